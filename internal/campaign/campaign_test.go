package campaign

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"pgmpi/analyze"
	"pgmpi/analyze/judge"
	"pgmpi/internal/conf/glfile"
	"pgmpi/internal/exitcode"
	"pgmpi/measure"
	"pgmpi/measure/protocol"
)

// quick is a check of two cases on each of two shapes, over three mpiruns.
const quick = `
[check]
guidelines = ["GL8"]
[job]
np = [2, 3]
mpiruns = 3
msizes = ["8"]
[nrep]
predictions = 2
[analyze]
method = "paper"
`

// bed is a results folder with the ranks that are measured into it.
type bed struct {
	t    *testing.T
	out  string
	rank string
	fake fakeRanks
	said []string
	seen []Progress
}

func newBed(t *testing.T) *bed {
	return &bed{t: t, out: filepath.Join(t.TempDir(), "out"), rank: rankProgram(t)}
}

// campaign is opened in the bed's folder, and goes on in it.
func (b *bed) campaign(toml string) *Campaign {
	b.t.Helper()
	c := b.prepared(b.out, toml)
	if err := c.Open(); err != nil {
		b.t.Fatal(err)
	}
	b.t.Cleanup(func() { c.Close() })
	return c
}

func (b *bed) config(toml string) *glfile.File {
	b.t.Helper()
	config, err := glfile.Parse("gl.toml", []byte(toml))
	if err != nil {
		b.t.Fatal(err)
	}
	config.MPI.Rank, config.MPI.Launch = b.rank, []string{"true", "{np}"}
	return config
}

func (b *bed) prepared(path, toml string) *Campaign {
	b.t.Helper()
	before, err := Before(path, true)
	if err != nil {
		b.t.Fatal(err)
	}
	c, err := New(b.config(toml), path, before, "test")
	if err != nil {
		b.t.Fatal(err)
	}
	c.Start = b.fake.Start
	c.Tell = func(e Event) {
		if e.Sentence != "" {
			b.said = append(b.said, e.Sentence)
		} else {
			b.seen = append(b.seen, e.Progress)
		}
	}
	return c
}

// check does a whole check, and closes the folder.
func (b *bed) check(toml string) (*Judgement, error) {
	b.t.Helper()
	c := b.campaign(toml)
	defer c.Close()
	j, err := c.Check(b.t.Context())
	if n := b.fake.Live(); n != 0 {
		b.t.Errorf("%d launches are left", n)
	}
	return j, err
}

func (b *bed) checked(toml string) *Judgement {
	b.t.Helper()
	j, err := b.check(toml)
	if err != nil {
		b.t.Fatal(err)
	}
	return j
}

func (b *bed) remove(names ...string) {
	b.t.Helper()
	for _, name := range names {
		if err := os.Remove(filepath.Join(b.out, "raw", name+".tsv.gz")); err != nil {
			b.t.Fatal(err)
		}
	}
}

// raw lists the raw files.
func (b *bed) raw() (names []string) {
	entries, _ := os.ReadDir(filepath.Join(b.out, "raw"))
	for _, e := range entries {
		names = append(names, strings.TrimSuffix(e.Name(), ".tsv.gz"))
	}
	return names
}

// bubble runs a test in which time passes only while everybody waits.
func bubble(t *testing.T, test func(*testing.T, *bed)) {
	synctest.Test(t, func(t *testing.T) { test(t, newBed(t)) })
}

func text(t *testing.T, r *analyze.Report) string {
	t.Helper()
	text, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// reduceSlow makes MPI_Reduce slower than its mock-up.
func reduceSlow(c protocol.JobCase, _ int) time.Duration {
	if c.Function == "MPI_Reduce" {
		return 30 * time.Microsecond
	}
	return 10 * time.Microsecond
}

func TestCheckJudgesWhatItHasMeasuredAsItsFolderDoes(t *testing.T) {
	bubble(t, func(t *testing.T, b *bed) {
		b.fake.Call = reduceSlow
		j := b.checked(quick)
		if v := j.Report.Verdicts[0]; v.Verdict != judge.Violated || v.Guideline != "GL8" {
			t.Errorf("%+v", v)
		}
		folder, m, err := OpenResults(b.out)
		if err != nil {
			t.Fatal(err)
		}
		config, err := ConfigOf(m)
		if err != nil {
			t.Fatal(err)
		}
		again, err := Judge(folder, m, config.Analyze)
		if err != nil || text(t, again.Report) != text(t, j.Report) {
			t.Errorf("%v, another report:\n%s\n%s", err, text(t, j.Report), text(t, again.Report))
		}
		if n := len(b.raw()); n != 2*2+2*3 {
			t.Errorf("%d raw files", n)
		}
	})
}

func TestProgressCountsTheMpirunsOfAllStages(t *testing.T) {
	bubble(t, func(t *testing.T, b *bed) {
		b.checked(quick)
		n := 0
		for _, p := range b.seen {
			if p.Finished {
				if p.Before != n || p.All != 10 {
					t.Errorf("mpirun %d: %+v", n, p)
				}
				n++
			}
		}
		if last := b.seen[len(b.seen)-1]; n != 10 || last.Run != 6 || last.Runs != 6 || last.Mode != protocol.ModeMeasure {
			t.Errorf("%d mpiruns, the last %+v", n, last)
		}
	})
}

func TestResumeMeasuresWhatIsMissingAndNothingElse(t *testing.T) {
	bubble(t, func(t *testing.T, b *bed) {
		before := text(t, b.checked(quick).Report)
		done := len(b.fake.Jobs())
		b.remove("nrep-p3-2", "run-p2-02")
		after := text(t, b.checked(quick).Report)
		if after != before {
			t.Errorf("another report:\n%s\n%s", before, after)
		}
		jobs := b.fake.Jobs()[done:]
		if len(jobs) != 2 || jobs[0].Mode != protocol.ModeNREP || jobs[0].NP != 3 || jobs[1].Mode != protocol.ModeMeasure || jobs[1].NP != 2 {
			t.Errorf("measured again: %+v", jobs)
		}
		if jobs[1].Verify || jobs[1].MemoryCap != 1<<30 {
			t.Errorf("the first mpirun's cap is forgotten: %+v", jobs[1])
		}
	})
}

func TestFixedRepetitionsHoldForEveryMpirun(t *testing.T) {
	bubble(t, func(t *testing.T, b *bed) {
		b.checked(strings.Replace(quick, "predictions = 2", "fixed = 50", 1))
		jobs := b.fake.Jobs()
		if len(jobs) != 6 {
			t.Fatalf("%d mpiruns", len(jobs))
		}
		for i, job := range jobs {
			for _, c := range job.Cases {
				if job.Mode != protocol.ModeMeasure || c.NRep != 50 {
					t.Errorf("mpirun %d, %s: %+v", i, job.Mode, c)
				}
			}
		}
	})
}

func TestWrongDataIsNotTimedAgain(t *testing.T) {
	bubble(t, func(t *testing.T, b *bed) {
		b.fake.Fault = func(launch int) fault {
			if launch == 1 {
				return wrongData
			}
			return noFault
		}
		j := b.checked(quick)
		if len(j.Report.Wrong) != 1 || j.Report.Exit != 3 {
			t.Errorf("%+v", j.Report.Wrong)
		}
		for i, job := range b.fake.Jobs()[1:] {
			if skipped := job.Cases[0].Skip == protocol.StatusWrong; skipped != (job.NP == 2) {
				t.Errorf("job %d: %+v", i+1, job.Cases)
			}
		}
	})
}

// What the mpiruns before it have measured does not count any more.
func TestWrongDataInALaterMpirunMakeTheCaseWrong(t *testing.T) {
	bubble(t, func(t *testing.T, b *bed) {
		b.fake.Fault = func(launch int) fault {
			if launch == 6 { // the last one
				return wrongData
			}
			return noFault
		}
		r := b.checked(strings.Replace(quick, "predictions = 2", "fixed = 10", 1)).Report
		if len(r.Wrong) != 1 || r.Exit != 3 || !strings.HasPrefix(r.Wrong[0].Message, "mpirun 3 of stage 2: rank 0") {
			t.Errorf("exit %d, wrong: %+v", r.Exit, r.Wrong)
		}
		for _, v := range r.Verdicts {
			if is := r.Wrong[0].Shape == v.Shape; is != (v.Verdict == judge.Wrong) {
				t.Errorf("%+v", v)
			}
		}
	})
}

// ending is a check in which two calls of a library, and one of its own algorithms, may end.
const ending = `
[check]
guidelines = ["NB3:MPI_Scatter_init", "NB3:MPI_Gather_init", "own"]
[job]
np = [2]
mpiruns = 3
msizes = ["8"]
[nrep]
fixed = 10
[analyze]
method = "paper"
[[guideline]]
id = "own"
pattern = { function = "MPI_Bcast", mockup = "MPI_Bcast@binomial" }
`

// No program can live with a library that does not return; an algorithm that nobody gets
// unasked is only left out.
func TestACallOfTheLibraryThatEndsTheMpirunIsWrong(t *testing.T) {
	for name, c := range map[string]struct {
		function string
		how      fault
		did      string // "": it is no fault of the check
	}{
		"hangs":             {"MPI_Scatter_init", hangs, "hangs"},
		"crashes":           {"MPI_Scatter_init", dies, "crashed"},
		"algorithm hangs":   {"MPI_Bcast@binomial", hangs, ""},
		"algorithm crashes": {"MPI_Bcast@binomial", dies, ""},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T, b *bed) {
				b.fake.Ends = map[string]fault{c.function: c.how}
				r := b.checked(ending).Report
				list, verdict, exclude := r.Wrong, judge.Wrong, []string{"NB3:MPI_Scatter_init"}
				if c.did == "" {
					list, verdict, exclude = r.NotMeasured, judge.NotMeasured, []string{}
				}
				if len(list) != 1 || len(r.Wrong)+len(r.NotMeasured) != 1 || list[0].Function != c.function || c.did != "" && list[0].Did() != c.did {
					t.Errorf("wrong %+v, not measured %+v", r.Wrong, r.NotMeasured)
				}
				if (r.Exit == exitcode.Failed) != (c.did != "") || !slices.Equal(r.Exclude, exclude) {
					t.Errorf("exit %d, exclude %q", r.Exit, r.Exclude)
				}
				for _, v := range r.Verdicts {
					is := v.Function == c.function || v.Mockup == c.function
					if (v.Verdict == verdict) != is || !is && v.MedianS == nil {
						t.Errorf("%s %s is %s: %s", v.Guideline, v.Function, v.Verdict, v.Reason)
					}
				}
			})
		})
	}
}

// looking looks after 10, 12 and 14 mpiruns.
const looking = `
[check]
guidelines = ["GL8"]
[job]
np = [2]
looks = [10, 12, 14]
msizes = ["8", "1Ki"]
[nrep]
fixed = 10
`

// undecided makes GL8 violated at 8 bytes, and leaves 1 KiB open.
func (b *bed) undecided() {
	n := 0
	b.fake.Call = func(c protocol.JobCase, _ int) time.Duration {
		if c.Msize == 8 {
			return reduceSlow(c, 0)
		}
		each := 100 * time.Microsecond
		if c.Function == "MPI_Reduce" {
			n++
			each += []time.Duration{-20, 40}[n%2] * time.Microsecond
		}
		return each
	}
}

func TestALookDropsWhatIsDecided(t *testing.T) {
	bubble(t, func(t *testing.T, b *bed) {
		b.undecided()
		j := b.checked(looking)
		jobs := b.fake.Jobs()
		if len(jobs) != 14 || len(measured(jobs[9])) != 4 || len(measured(jobs[10])) != 2 || jobs[10].Cases[0].Msize != 1024 || len(jobs[10].Cases) != 4 {
			t.Fatalf("%d mpiruns, after the look %+v", len(jobs), jobs[min(10, len(jobs)-1)].Cases)
		}
		if v := j.Report.Verdicts[0]; v.Runs != 10 || v.Verdict != judge.Violated {
			t.Errorf("%+v", v)
		}
	})
}

func TestALookIsRepeatedOnResumeWithTheMpirunsItHad(t *testing.T) {
	bubble(t, func(t *testing.T, b *bed) {
		b.undecided()
		b.checked(looking)
		done := len(b.fake.Jobs())
		b.remove("run-p2-05", "run-p2-11")
		b.checked(looking)
		jobs := b.fake.Jobs()[done:]
		if len(jobs) != 2 || len(measured(jobs[0])) != 4 || len(measured(jobs[1])) != 2 {
			t.Errorf("%+v", jobs)
		}
	})
}

func TestADecidedCheckEndsAtItsLook(t *testing.T) {
	bubble(t, func(t *testing.T, b *bed) {
		b.fake.Call = reduceSlow
		j := b.checked(looking)
		if n := len(b.raw()); n != 10 || j.Report.Looks == nil || j.Report.Looks.Decided[0] != 2 {
			t.Errorf("%d mpiruns, %+v", n, j.Report.Looks)
		}
	})
}

func TestMaxTimeEndsAStageAndResumeDoesNotGoOn(t *testing.T) {
	bubble(t, func(t *testing.T, b *bed) {
		b.fake.Takes = 10 * time.Second
		toml := strings.Replace(quick, "mpiruns = 3", "mpiruns = 30\nmax_time = \"125s\"", 1)
		j := b.checked(toml)
		// Stage 1 takes 40 s, each round of two shapes 20 s.
		if j.Report.R != 4 || len(b.raw()) != 4+8 {
			t.Errorf("R = %d after %v", j.Report.R, b.raw())
		}
		want := "job.max_time = 2m5s: stage 2 ended after 4 mpiruns"
		if !slices.Equal(b.said, []string{want}) {
			t.Errorf("%q", b.said)
		}
		if again := b.checked(toml); again.Report.R != 4 || len(b.raw()) != 12 {
			t.Errorf("R = %d after %v", again.Report.R, b.raw())
		}
	})
}

func TestAGapIsFilledThoughTheTimeIsSpent(t *testing.T) {
	bubble(t, func(t *testing.T, b *bed) {
		b.fake.Takes = 10 * time.Second
		b.checked(strings.Replace(quick, "[nrep]", "max_time = \"100s\"\n[nrep]", 1))
		b.remove("run-p3-02")
		if j := b.checked(strings.Replace(quick, "[nrep]", "max_time = \"100s\"\n[nrep]", 1)); j.Report.R != 3 {
			t.Errorf("R = %d", j.Report.R)
		}
	})
}

func TestAnMpirunThatFailsIsRepeatedOnce(t *testing.T) {
	for name, c := range map[string]struct {
		fault fault
		says  string
	}{
		"dies":   {dies, "rank 1: it is a fake"},
		"hangs":  {hangs, "no word from the ranks for 2m10s"},
		"silent": {silent, "no word from rank 0 within 1m30s"},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T, b *bed) {
				b.fake.Fault = func(launch int) fault {
					if launch == 3 {
						return c.fault
					}
					return noFault
				}
				j := b.checked(quick)
				if len(b.said) != 1 || !strings.Contains(b.said[0], "repeated once: "+c.says) {
					t.Errorf("said %q", b.said)
				}
				if events := j.manifest.Events; len(events) != 1 || !strings.HasPrefix(events[0], "nrep-p2-2.tsv.gz failed and was repeated") {
					t.Errorf("%q", events)
				}
			})
		})
	}
}

func TestAnMpirunThatFailsTwiceEndsTheCheckAndResumeGoesOn(t *testing.T) {
	bubble(t, func(t *testing.T, b *bed) {
		b.fake.Fault = func(launch int) fault {
			if launch == 6 || launch == 7 {
				return dies
			}
			return noFault
		}
		_, err := b.check(quick)
		var failed *Failed
		if !errors.As(err, &failed) || !failed.Twice || !strings.HasPrefix(err.Error(), "an mpirun failed twice: rank 1: it is a fake") {
			t.Fatalf("%v", err)
		}
		if n := len(b.raw()); n != 5 {
			t.Errorf("%d raw files, want the five before", n)
		}
		b.checked(quick)
		if n := len(b.fake.Jobs()); n != 12 {
			t.Errorf("%d jobs, want 10 and the two that failed", n)
		}
	})
}

func TestASetUpThatNeverWorkedIsNotTriedAgain(t *testing.T) {
	for _, which := range []fault{unstarted, silent} {
		bubble(t, func(t *testing.T, b *bed) {
			launches := 0
			b.fake.Fault = func(launch int) fault {
				launches = launch
				return which
			}
			_, err := b.check(quick)
			var setup *Setup
			var failed *measure.Error
			if !errors.As(err, &setup) || !errors.As(err, &failed) || launches != 1 {
				t.Errorf("after %d launches: %v", launches, err)
			}
		})
	}
}

func TestInterruptKeepsWhatIsFinished(t *testing.T) {
	bubble(t, func(t *testing.T, b *bed) {
		b.fake.Takes = time.Minute
		c := b.campaign(quick)
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute+30*time.Second)
		defer cancel()
		_, err := c.Check(ctx)
		var interrupted *Interrupted
		if !errors.As(err, &interrupted) || len(b.raw()) != 5 || b.fake.Live() != 0 {
			t.Fatalf("%v with %v, %d launches left", err, b.raw(), b.fake.Live())
		}
		c.Close()
		b.checked(quick)
		if n := len(b.raw()); n != 10 {
			t.Errorf("%d raw files", n)
		}
	})
}

func TestADamagedRawFileEndsAResumedCheck(t *testing.T) {
	bubble(t, func(t *testing.T, b *bed) {
		b.checked(quick)
		path := filepath.Join(b.out, "raw", "run-p2-02.tsv.gz")
		if err := os.WriteFile(path, []byte("no raw file"), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := b.check(quick); err == nil || !strings.Contains(err.Error(), "run-p2-02.tsv.gz") || !strings.Contains(err.Error(), "move it away") {
			t.Errorf("%v", err)
		}
	})
}

func TestASuspectedSplitIsFollowedUp(t *testing.T) {
	bubble(t, func(t *testing.T, b *bed) {
		b.fake.Call = func(c protocol.JobCase, _ int) time.Duration {
			if c.Msize == 1024 {
				return time.Millisecond
			}
			return time.Microsecond
		}
		j := b.checked(`
[check]
guidelines = ["GL2:MPI_Bcast"]
[job]
np = [2]
mpiruns = 8
msizes = ["64", "1Ki"]
[nrep]
fixed = 10
`)
		if v := j.Report.Verdicts[0]; v.Verdict != judge.Violated || v.PValue == nil || j.Report.Split == nil {
			t.Errorf("%+v, %+v", v, j.Report.Split)
		}
		last := b.fake.Jobs()[15]
		if last.Mode != protocol.ModeSplit || len(last.Cases) != 2 || last.Cases[0].Calls != 16 {
			t.Errorf("%+v", last)
		}
	})
}

func TestStagesOfTheirOwnShareAFolder(t *testing.T) {
	bubble(t, func(t *testing.T, b *bed) {
		c := b.campaign(quick)
		if err := c.Measure(t.Context()); err == nil || !strings.Contains(err.Error(), "pgmpi nrep") {
			t.Errorf("without stage 1: %v", err)
		}
		if err := c.Predict(t.Context()); err != nil {
			t.Fatal(err)
		}
		c.Close()
		c = b.campaign(quick)
		if err := c.Measure(t.Context()); err != nil {
			t.Fatal(err)
		}
		if n := len(b.fake.Jobs()); n != 10 || c.Manifest.NRep[0].N < 20 {
			t.Errorf("%d jobs, %+v", n, c.Manifest.NRep)
		}
	})
}

func TestAMeasurementThatCanShowNothingIsRefused(t *testing.T) {
	b := newBed(t)
	c := b.prepared(b.out, strings.Replace(quick, `method = "paper"`, `method = "default"`, 1))
	var refused *Refused
	if err := c.Refuse(); !errors.As(err, &refused) || !strings.Contains(err.Error(), "would do") {
		t.Errorf("%v", err)
	}
	if err := b.prepared(b.out, quick).Refuse(); err != nil {
		t.Error(err)
	}
}

// inShapes is quick on two shapes of two ranks.
var inShapes = strings.Replace(quick, "np = [2, 3]", `shapes = ["2x1", "1x2"]`, 1)

func TestShapesOfOneNumberOfProcessesAreMeasuredApart(t *testing.T) {
	bubble(t, func(t *testing.T, b *bed) {
		j := b.checked(inShapes)
		if got := strings.Join(b.raw(), " "); !strings.Contains(got, "run-1x2-01") || !strings.Contains(got, "run-2x1-03") || strings.Contains(got, "p2") {
			t.Errorf("raw files: %s", got)
		}
		var shapes []string
		for _, v := range j.Report.Verdicts {
			if v.NP != 2 {
				t.Errorf("%s has %d processes", v.Shape, v.NP)
			}
			shapes = append(shapes, v.Shape)
		}
		if got := strings.Join(shapes, " "); got != "2x1 1x2" {
			t.Errorf("verdicts on %s", got)
		}
		for _, job := range b.fake.Jobs() {
			if job.Place != "2x1" && job.Place != "1x2" {
				t.Fatalf("an mpirun may be placed anywhere: %q", job.Place)
			}
		}
	})
}

func TestRanksInAnotherShapeMeasureNothing(t *testing.T) {
	bubble(t, func(t *testing.T, b *bed) {
		b.fake.Place = "1x2"
		_, err := b.check(inShapes)
		var setup *Setup
		if !errors.As(err, &setup) || !strings.Contains(err.Error(), "placed as 1x2") || !strings.Contains(err.Error(), "2x1 is wanted") || !strings.Contains(err.Error(), "{ppn}") {
			t.Errorf("got %T: %v", err, err)
		}
		if n := len(b.fake.Jobs()); n != 1 {
			t.Errorf("%d launches", n)
		}
	})
}

func TestAFolderGoesOnWhereItBegan(t *testing.T) {
	bubble(t, func(t *testing.T, b *bed) {
		b.checked(quick)
		b.remove("run-p2-03")
		b.fake.Place = "2x1"
		_, err := b.check(quick)
		var failed *Failed
		if !errors.As(err, &failed) || !strings.Contains(err.Error(), "placed as 2x1") || !strings.Contains(err.Error(), "1x2 is wanted") {
			t.Errorf("got %T: %v", err, err)
		}
		b.fake.Place = "1x2"
		b.checked(quick)
	})
}

// On two shapes, each round of mpiruns of 10 s takes 20 s. A verdict needs four.
func TestStageOneLeavesTimeForVerdicts(t *testing.T) {
	for limit, predictions := range map[string]int{"120s": 2, "119s": 1} {
		bubble(t, func(t *testing.T, b *bed) {
			b.fake.Takes = 10 * time.Second
			toml := strings.NewReplacer("mpiruns = 3", "mpiruns = 10\nmax_time = \""+limit+"\"", "paper", "default").Replace(quick)
			j := b.checked(toml)
			count := map[string]int{}
			for _, name := range b.raw() {
				count[name[:strings.Index(name, "-")]]++
			}
			if count["nrep"] != 2*predictions || count["run"] != 8 || j.Report.Refused != nil {
				t.Errorf("max_time %s: %v, refused %v", limit, count, j.Report.Refused)
			}
			b.checked(toml)
			if n := len(b.raw()); n != count["nrep"]+count["run"] {
				t.Errorf("max_time %s: %d raw files after --resume", limit, n)
			}
		})
	}
}

func TestEstimateAtScaleIsDominatedByWhatTakesLong(t *testing.T) {
	b := newBed(t)
	toml := "[check]\nguidelines = [\"all\"]\n[job]\nshapes = [\"1024x64\"]\n"
	c := b.prepared(filepath.Join(t.TempDir(), "out"), toml)
	c.LaunchTime = 10 * time.Second
	e, err := c.Estimate(protocol.ModeNREP, protocol.ModeMeasure)
	if err != nil {
		t.Fatal(err)
	}
	stage := e.Costs[0].Stages[0]
	if e.Nodes != 1024 || stage.Each < 10*time.Second || stage.Verify < time.Second || stage.Verify > 5*time.Minute {
		t.Errorf("%d nodes, an mpirun of %v, %v to verify", e.Nodes, stage.Each, stage.Verify)
	}
	p := Plan{Campaign: c, Estimate: e, Command: "check"}
	var all strings.Builder
	for _, s := range Plans.Sections(&p) {
		fmt.Fprintln(&all, s.Text)
	}
	for _, want := range []string{"node-hours", "1024 nodes", "--launch-time", "does not know the network between nodes: there it is a lower bound", "mpi.start_limit"} {
		if !strings.Contains(all.String(), want) {
			t.Errorf("the plan lacks %q:\n%s", want, all.String())
		}
	}
}

func TestEstimateOfAResumedFolderRestsOnItsMpiruns(t *testing.T) {
	bubble(t, func(t *testing.T, b *bed) {
		b.fake.Takes = 10 * time.Second
		b.checked(quick)
		b.remove("run-p2-03")
		e, err := b.prepared(b.out, quick).Estimate(protocol.ModeNREP, protocol.ModeMeasure)
		if err != nil {
			t.Fatal(err)
		}
		if !e.Costs[0].Measured || e.Total < 10*time.Second || e.Total > 11*time.Second {
			t.Errorf("one mpirun of 10 s is left: %v", e.Total)
		}
	})
}

func TestAMpirunThatIsLongInStartingMakesAllPredictions(t *testing.T) {
	bubble(t, func(t *testing.T, b *bed) {
		b.fake.Comes = 30 * time.Second
		toml := strings.Replace(quick, "predictions = 2", "predictions = 3", 1)
		b.checked(toml)
		if got, want := strings.Join(b.raw(), " "), "nrep-p2-1 nrep-p3-1 run-p2-01 run-p2-02 run-p2-03 run-p3-01 run-p3-02 run-p3-03"; got != want {
			t.Errorf("measured %s", got)
		}
		first := b.fake.Jobs()[0]
		if first.Predictions != 3 || len(first.Order) != 3*len(first.Cases) {
			t.Errorf("%d predictions, %d visits of %d cases", first.Predictions, len(first.Order), len(first.Cases))
		}
		b.remove("run-p3-03") // and nothing else is missing
		e, err := b.prepared(b.out, toml).Estimate(protocol.ModeNREP, protocol.ModeMeasure)
		if err != nil || e.Costs[0].Stages[0].Left != 0 || e.Costs[1].Stages[1].Left != 1 {
			t.Errorf("%+v, %v", e, err)
		}
		s, err := StatusOf(b.out)
		if err != nil || s.Done != 7 || s.Planned != 8 {
			t.Errorf("%+v, %v", s, err)
		}
		b.checked(toml)
		if n := len(b.fake.Jobs()); n != 9 {
			t.Errorf("%d mpiruns", n)
		}
	})
}
