package remedy

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pgmpi/analyze"
	"pgmpi/analyze/judge"
	"pgmpi/analyze/medians"
	"pgmpi/analyze/report"
	"pgmpi/analyze/series"
	"pgmpi/guidelines"
	"pgmpi/internal/conf/glfile"
	"pgmpi/internal/exitcode"
	"pgmpi/internal/experiment"
	"pgmpi/internal/experiment/run"
	"pgmpi/internal/fail"
	"pgmpi/internal/feature/explore"
	"pgmpi/internal/feature/remedy/conformance"
	"pgmpi/internal/feature/remedy/reach"
	"pgmpi/internal/reading"
	"pgmpi/internal/regular"
	"pgmpi/internal/tuning"
	"pgmpi/measure"
	"pgmpi/measure/protocol"
	"pgmpi/measure/results"
	"pgmpi/mockups"
	"pgmpi/testkit/bed"
	"pgmpi/testkit/fixture"
	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

func init() { glfile.Register(explore.Section, section) }

// faulting is a check of GL8 at a size where malloc may be the cause, and at one where it
// cannot be.
const faulting = `
[check]
guidelines = ["GL8"]
[job]
np = [2]
mpiruns = 10
msizes = ["8", "256Ki"]
[nrep]
predictions = 2
`

// slowWithoutMalloc makes MPI_Reduce slow at 256 KiB, unless malloc keeps its memory; then
// something else takes worse times as long.
func slowWithoutMalloc(b *bed.Bed, large, worse time.Duration) {
	b.Fake.Under = func(env []string, c protocol.JobCase) time.Duration {
		kept := slices.Contains(env, "MALLOC_TRIM_THRESHOLD_=1000000000")
		switch {
		case c.Function == "MPI_Reduce" && c.Msize > 8 && !kept:
			return large
		case c.Function == "MPI_Reduce" && c.Msize == 8 && kept:
			return worse
		}
		return 10 * time.Microsecond
	}
}

func silent(run.Event) {}

// asked is a remedy of what a bed has measured.
func asked(b *bed.Bed, toml string) Request {
	return Request{Config: b.Config(toml), Check: b.Out, Version: "test", Start: b.Fake.Start}
}

func done(b *bed.Bed, r Request) (*Result, error) {
	b.T.Helper()
	task, err := Prepare(r)
	if err != nil {
		return nil, err
	}
	return task.Do(b.T.Context(), func(e run.Event) { b.Said = append(b.Said, e.Sentence) })
}

func remedied(b *bed.Bed, change func(*Request)) (*Result, error) {
	return remediedOf(b, faulting, change)
}

func remediedOf(b *bed.Bed, toml string, change func(*Request)) (*Result, error) {
	b.T.Helper()
	b.Checked(toml)
	r := asked(b, toml)
	if change != nil {
		change(&r)
	}
	return done(b, r)
}

func TestWhatMallocMakesSlowIsMendedAndExported(t *testing.T) {
	bed.Bubble(t, func(t *testing.T, b *bed.Bed) {
		slowWithoutMalloc(b, 40*time.Microsecond, 10*time.Microsecond)
		b.Checked(faulting)
		check := len(b.Fake.Jobs())
		r := must.Get(done(b, asked(b, faulting)))(t)
		must.Hold(t, r.Exit == exitcode.OK && len(r.Cells) == 1 && r.Cells[0].State == CellMended && r.Mpiruns == 20 && len(r.Proofs) == 1 && r.Proofs[0].Holds,
			"%+v", r)
		for i, job := range b.Fake.Jobs() {
			want := protocol.MallocDefault
			if i < check {
				want = protocol.MallocFresh
			}
			timed := job.CallsJob != nil && job.Mode == protocol.ModeMeasure
			should.Hold(t, !timed || job.Malloc == want, "mpirun %d: malloc %s, not %s", i+1, job.Malloc, want)
		}
		folder := folderOf(b.Out)
		f := glfile.Default()
		f.MPI.Under = folder
		if err := experiment.Under(&f); err != nil || f.MPI.Env["MALLOC_MMAP_THRESHOLD_"] != "1000000000" {
			t.Errorf("--under %s: %v, %v", folder, f.MPI.Env, err)
		}
		mine, err := glfile.Load(filepath.Join(folder, SettingTOML))
		should.Hold(t, err == nil && mine.MPI.Env["MALLOC_TRIM_THRESHOLD_"] == "1000000000" && mine.Job.MPIRuns == 10 && slices.Equal(mine.Job.Msizes, b.Config(faulting).Job.Msizes),
			"gl.toml: %+v, %v", mine, err)
		readme, _ := regular.Read(filepath.Join(folder, results.Readme), 1<<20)
		first, _, _ := strings.Cut(string(readme), "\n")
		should.Hold(t, first == "MENDED: 1 violated cell, by 2 environment variables; proved in 20 mpiruns.", "README begins with %q", first)
		var again Result
		text, err := os.ReadFile(filepath.Join(folder, File))
		should.Hold(t, err == nil && json.Unmarshal(text, &again) == nil && again.Schema == Schema, "remedy.json: %v", err)
	})
}

// splitting is a check of split-robustness alone: one call of 256 KiB against two of 128 KiB.
var splitting = strings.NewReplacer(`"GL8"`, `"GL2:MPI_Reduce"`, `"8"`, `"128Ki"`).Replace(faulting)

// Split-robustness is only suspected without an experiment of its own: a cell that violates nothing
// else is mended, or kept without the setting, only if the proof has tested it.
func TestCellThatViolatesOnlySplitRobustnessIsTestedInTheProof(t *testing.T) {
	t.Parallel()
	const slow = 40 * time.Microsecond
	for _, c := range []struct {
		without, with time.Duration
		want          CellState
	}{
		{slow, 15 * time.Microsecond, CellMended},
		{slow, 25 * time.Microsecond, CellFaster},
		{slow, slow, CellUndecided},
		{15 * time.Microsecond, 15 * time.Microsecond, CellNotAgain},
	} {
		bed.Bubble(t, func(t *testing.T, b *bed.Bed) {
			checked := false
			b.Fake.Under = func(env []string, k protocol.JobCase) time.Duration {
				switch {
				case k.Function != "MPI_Reduce" || k.Msize < 256<<10:
					return 10 * time.Microsecond
				case !checked:
					return slow
				case slices.Contains(env, "MALLOC_TRIM_THRESHOLD_=1000000000"):
					return c.with
				}
				return c.without
			}
			r := must.Get(remediedOf(b, splitting, func(*Request) { checked = true }))(t)
			must.Hold(t, len(r.Cells) == 1 && slices.Equal(r.Cells[0].Guidelines, []string{"GL2"}), "%+v", r.Cells)
			should.Equal(t, r.Cells[0].State, c.want, "%v without, %v with the setting", c.without, c.with)
		})
	}
}

func TestWhatHarmsIsTakenBack(t *testing.T) {
	bed.Bubble(t, func(t *testing.T, b *bed.Bed) {
		slowWithoutMalloc(b, 40*time.Microsecond, 13*time.Microsecond) // 8 bytes pay for it
		r := must.Get(remedied(b, nil))(t)
		must.Hold(t, r.Exit == exitcode.NoVerdict && len(r.Env) == 0 && len(r.Rejected) == 1 && strings.Contains(r.Rejected[0].Reason, "MPI_Reduce at 8 B on p2 takes 1.30× as long"),
			"%+v", r)
		should.Hold(t, !r.Proofs[0].Holds && len(r.Proofs[0].Harms) != 0 && r.Cells[0].State == CellTakenBack, "%+v", r.Proofs)
		holdsNoSetting(b, folderOf(b.Out))
		must.Hold(t, len(r.Trades) == 1 && len(r.Trades[0].Mends) == 1 && len(r.Trades[0].Harms) == 1, "it is no trade: %+v", r.Trades)
		should.Hold(t, math.Abs(*r.Trades[0].Mends[0].Ratio-4) < .1 && math.Abs(*r.Trades[0].Harms[0].Ratio-1.3) < .01, "%+v", r.Trades[0])
		should.Contain(t, answer(r)[0].Text[0].Text, "TRADE for 1 violated cell, unset: malloc's variables: 1 cell faster (4.0", "and 1 case slower (1.30×)")
		f := glfile.Default()
		f.MPI.Under = filepath.Join(r.Folder, r.Trades[0].Folder)
		should.Hold(t, experiment.Under(&f) == nil && f.MPI.Env["MALLOC_TRIM_THRESHOLD_"] == "1000000000", "its env.sh: %v", f.MPI.Env)
	})
}

// With the setting, a Bcast of 256 KiB takes longer in every second mpirun of a proof, and in all
// that measure it again.
func TestWhatPointsToHarmIsMeasuredAgain(t *testing.T) {
	t.Parallel()
	for again, want := range map[time.Duration]CellState{13 * time.Microsecond: CellTakenBack, 10 * time.Microsecond: CellMended} {
		bed.Bubble(t, func(t *testing.T, b *bed.Bed) {
			n := 0
			b.Fake.Under = func(env []string, c protocol.JobCase) time.Duration {
				kept := slices.Contains(env, "MALLOC_TRIM_THRESHOLD_=1000000000")
				switch jobs := b.Fake.Jobs(); {
				case c.Function == "MPI_Reduce" && c.Msize > 8 && !kept:
					return 40 * time.Microsecond
				case c.Function != "MPI_Bcast" || c.Msize == 8 || !kept:
				case jobs[len(jobs)-1].Mode == protocol.ModeConfirm:
					return again
				default:
					n++
					return []time.Duration{9, 15}[n%2] * time.Microsecond
				}
				return 10 * time.Microsecond
			}
			r := must.Get(remediedOf(b, strings.Replace(faulting, `"GL8"`, `"GL8", "GL10"`, 1), nil))(t)
			must.Hold(t, len(r.Cells) == 1 && len(r.Proofs) > 0 && r.Proofs[0].Mpiruns == 40, "%+v", r)
			should.Equal(t, r.Cells[0].State, want, "%v when measured again", again)
			if p := r.Proofs[0]; want == CellMended {
				should.Hold(t, p.Holds && p.Reached == 2 && p.Harmless == 2 && p.NotExcluded == nil, "%+v", p)
			}
		})
	}
}

func TestWhatHelpsNowhereIsTakenBack(t *testing.T) {
	bed.Bubble(t, func(t *testing.T, b *bed.Bed) {
		b.Fake.Call = func(c protocol.JobCase, _ int) time.Duration {
			if c.Function == "MPI_Reduce" && c.Msize > 8 {
				return 40 * time.Microsecond // whatever malloc does
			}
			return 10 * time.Microsecond
		}
		r := must.Get(remedied(b, nil))(t)
		must.Hold(t, r.Exit == exitcode.NoVerdict && r.Cells[0].State == CellUndecided && len(r.Rejected) == 1 && strings.Contains(r.Rejected[0].Reason, "none of the cells"),
			"%+v", r)
		holdsNoSetting(b, folderOf(b.Out))
		// An env.sh of before must not outlive a remedy that finds nothing.
		must.Do(t, os.WriteFile(filepath.Join(folderOf(b.Out), tuning.EnvFile), []byte("export A=1\n"), 0o600))
		var s *fail.Setup
		again := asked(b, faulting)
		_, err := Prepare(again)
		should.Hold(t, errors.As(err, &s) && strings.Contains(err.Error(), "--force"), "a remedy is written over: %v", err)
		again.Force = true
		must.Get(done(b, again))(t)
		holdsNoSetting(b, folderOf(b.Out))
	})
}

func holdsNoSetting(b *bed.Bed, folder string) {
	b.T.Helper()
	for _, name := range []string{tuning.EnvFile, SettingTOML} {
		if reading.Has(folder, name) {
			b.T.Errorf("%s has %s, and nothing is proved", folder, name)
		}
	}
	if !reading.Has(folder, results.Readme) || !reading.Has(folder, File) {
		b.T.Errorf("%s does not say what was tried", folder)
	}
}

func TestHarmThatIsPutUpWithTakesNothingBack(t *testing.T) {
	bed.Bubble(t, func(t *testing.T, b *bed.Bed) {
		slowWithoutMalloc(b, 40*time.Microsecond, 13*time.Microsecond)
		r, err := remedied(b, func(x *Request) {
			c := glfile.Of(x.Config, section)
			c.Harm = 1.5
			glfile.Put(x.Config, section, c)
			x.Config.Analyze.MinSlowdown = 1.5 // nor is 8 B newly violated
		})
		should.Hold(t, err == nil && r.Exit == exitcode.OK && len(r.Rejected) == 0 && r.Cells[0].State == CellMended, "%+v, %v", r, err)
	})
}

func TestWhatIsProvedIsKeptWhenWhatFollowsFails(t *testing.T) {
	bed.Bubble(t, func(t *testing.T, b *bed.Bed) {
		slowWithoutMalloc(b, 40*time.Microsecond, 10*time.Microsecond)
		inTime := b.Fake.Under
		b.Fake.Under = func(env []string, c protocol.JobCase) time.Duration {
			if took := inTime(env, c); c.Function != "MPI_Reduce" || c.Msize == 8 || took > 10*time.Microsecond {
				return took
			}
			return 20 * time.Microsecond // not kept with it
		}
		starts, most := 0, math.MaxInt
		start := func(argv, env []string, stderr io.Writer) (*measure.Ranks, error) {
			if starts++; starts > most {
				return nil, errors.New("no such launcher")
			}
			return b.Fake.Start(argv, env, stderr)
		}
		must.Get(remedied(b, func(x *Request) {
			c := glfile.Of(x.Config, section)
			c.Kinds = c.Kinds[:1]
			glfile.Put(x.Config, section, c)
			x.Start = start
		}))(t)
		most, starts = starts, 0 // the next kind fails
		r, err := remedied(b, func(x *Request) { x.Start, x.Force = start, true })
		must.Hold(t, err != nil && strings.Contains(err.Error(), "no such launcher"), "%v", err)
		should.Hold(t, r != nil && r.Cells[0].State == CellFaster && len(r.Notes) != 0 && strings.Contains(r.Notes[len(r.Notes)-1], "ended early") && reading.Has(folderOf(b.Out), tuning.EnvFile),
			"what was proved is lost: %+v", r)
	})
}

// Programs may use the setting that is there while another is being proved.
func TestSettingStaysUntilAnotherIsProved(t *testing.T) {
	t.Parallel()
	bed.Bubble(t, func(t *testing.T, b *bed.Bed) {
		slowWithoutMalloc(b, 40*time.Microsecond, 10*time.Microsecond)
		_, err := remedied(b, nil)
		must.Do(t, err)
		folder := folderOf(b.Out)
		must.Do(t, os.WriteFile(filepath.Join(folder, tuning.RulesFile), []byte("0\n"), 0o600))
		starts := 0
		x := asked(b, faulting)
		x.Force = true
		x.Start = func(argv, env []string, stderr io.Writer) (*measure.Ranks, error) {
			if starts++; starts > 20 {
				return nil, errors.New("no such launcher")
			}
			return b.Fake.Start(argv, env, stderr)
		}
		_, err = done(b, x)
		must.Hold(t, err != nil, "nothing has failed")
		for _, name := range []string{File, results.Readme, tuning.EnvFile, SettingTOML, tuning.RulesFile} {
			should.Hold(t, reading.Has(folder, name), "%s of the remedy before is not there any more", name)
		}
		x = asked(b, faulting)
		x.Resume = true
		before := len(b.Fake.Jobs())
		r := must.Get(done(b, x))(t)
		should.Hold(t, r.Proofs[0].Holds && r.Proofs[0].Mpiruns == 20, "%+v", r.Proofs)
		should.Hold(t, len(b.Fake.Jobs())-before < 20, "%d jobs, and some of the 20 mpiruns were there", len(b.Fake.Jobs())-before)
		should.Hold(t, !reading.Has(folder, tuning.RulesFile), "rules that the setting lacks are still there")
	})
}

func TestFastestMockupIsThatOfTheLargestRatioOfAPattern(t *testing.T) {
	number := func(x float64) *float64 { return &x }
	verdict := func(guideline, mockup string, ratio float64) analyze.Verdict {
		v := analyze.Verdict{}
		v.Guideline, v.Function, v.Mockup, v.Msize, v.Shape, v.Ratio = guideline, "MPI_Scan", mockup, 8, "p2", number(ratio)
		v.Verdict = judge.Violated
		return v
	}
	gone := verdict("D", "gone", 2)
	gone.Standing = analyze.GoneInTurns
	got := violatedCells(&analyze.Report{Verdicts: []analyze.Verdict{verdict("A", "slow", 1.2), verdict("B", "fast", 1.5), verdict("GL1", "", 3), verdict("C", "slower", 1.3), gone}})
	should.Hold(t, len(got) == 1 && got[0].Mockup == "fast" && *got[0].Ratio == 3, "%+v", got)
	got = violatedCells(&analyze.Report{Verdicts: []analyze.Verdict{gone}})
	should.Hold(t, len(got) == 1 && got[0].Mockup == "" && got[0].Gone, "%+v", got)
	got[0].State = CellNotProved
	should.Contain(t, mockupsList(&Result{Cells: got}, 5)[0].Text[0].Text, "what was measured in its place is no faster where the calls take turns")
}

func TestComponentThatBettersNoCellIsNoGain(t *testing.T) {
	cell := medians.Cell{Function: "MPI_Bcast", Msize: 65536, Shape: "p2"}
	e := proof([]medians.Cell{cell}, nil)
	for state, want := range map[CellState]bool{CellUndecided: true, CellFaster: true, CellMended: false} {
		should.Equal(t, e.betters([]Cell{{Cell: cell, NP: 2, State: state}}), want, "%s", state)
	}
	c := tuning.Choice{Kind: tuning.ByComponent, Component: "sm", Env: map[string]string{"OMPI_MCA_coll_sm_priority": "100"}}
	e = proof(nil, nil)
	e.held = algorithmsOf()
	back := e.rejects(append(algorithmsOf(), c))
	should.Hold(t, len(back) == 1 && strings.Contains(back[0].Label, "component sm (OMPI_MCA_coll_sm_priority=100)"), "%+v", back)
}

// besideMalloc proves malloc's variables, and then another one besides them. It returns what is held then.
func besideMalloc(b *bed.Bed, under func(env []string, second bool, c protocol.JobCase) time.Duration) (*mending, setting) {
	second := false
	b.Fake.Under = func(env []string, c protocol.JobCase) time.Duration { return under(env, second, c) }
	toml := strings.Replace(faulting, `"GL8"`, `"GL8", "GL10"`, 1)
	b.Checked(toml)
	x := must.Get(begin(b.T.Context(), must.Get(Prepare(asked(b, toml)))(b.T), silent))(b.T)
	held := must.Get(x.try(b.T.Context()))(b.T)
	must.Hold(b.T, len(held.choices) == 1 && len(x.found.Proofs) == 1, "%+v", x.found)
	second = true
	pad := tuning.Choice{Kind: tuning.ByEnv, NP: 2, Env: map[string]string{"MALLOC_TOP_PAD_": "1"}, Sizes: []int64{256 << 10}}
	return x, must.Get(x.prove(b.T.Context(), held, append(slices.Clone(held.choices), pad)))(b.T)
}

// Reduce of 256 KiB takes 40 µs, 20 µs with malloc's variables and padded with both.
func malloced(env []string, c protocol.JobCase, padded time.Duration) time.Duration {
	switch {
	case c.Function != "MPI_Reduce" || c.Msize == 8:
		return 10 * time.Microsecond
	case slices.Contains(env, "MALLOC_TOP_PAD_=1"):
		return padded
	case slices.Contains(env, "MALLOC_TRIM_THRESHOLD_=1000000000"):
		return 20 * time.Microsecond
	}
	return 40 * time.Microsecond
}

func TestWhatIsHeldIsMeasuredBesideWhatIsNew(t *testing.T) {
	t.Parallel()
	for padded, holds := range map[time.Duration]bool{10 * time.Microsecond: true, 20 * time.Microsecond: false} {
		bed.Bubble(t, func(t *testing.T, b *bed.Bed) {
			x, held := besideMalloc(b, func(env []string, _ bool, c protocol.JobCase) time.Duration { return malloced(env, c, padded) })
			looks, _ := filepath.Glob(filepath.Join(x.work, "*-look", "*", "raw", "run-*"))
			must.Hold(t, len(looks) == 2*fewProving, "it looked in %d mpiruns", len(looks))
			r := x.found
			if !holds { // a proof would be in vain
				should.Hold(t, len(r.Proofs) == 1 && len(held.choices) == 1 && len(r.Rejected) == 1 && strings.Contains(r.Rejected[0].Choice.Key(), "MALLOC_TOP_PAD_"), "%+v", r)
				return
			}
			must.Hold(t, len(r.Proofs) == 2 && len(held.choices) == 2, "%+v", r)
			// Of three sides; harm at 8 B is excluded by the first proof.
			p := r.Proofs[1]
			should.Hold(t, p.Mpiruns == 30 && p.Holds && p.Cases == 4 && p.Reached == 2 && p.Harmless == 2, "%+v", p)
		})
	}
}

// An mpirun that measures more than two cases crashes under MALLOC_PERTURB_; a short look has two.
func TestWhatEndsAnMpirunIsTakenBackAlone(t *testing.T) {
	bed.Bubble(t, func(t *testing.T, b *bed.Bed) {
		toml := strings.Replace(faulting, `"GL8"`, `"GL8", "GL10"`, 1)
		b.Fake.Under = func(env []string, c protocol.JobCase) time.Duration { return malloced(env, c, 5*time.Microsecond) }
		b.Checked(toml)
		x := must.Get(begin(t.Context(), must.Get(Prepare(asked(b, toml)))(t), silent))(t)
		b.Fake.Crashes = func(env []string, job *protocol.Job) bool {
			return slices.Contains(env, "MALLOC_PERTURB_=1") && len(job.Cases) > 2 && job.Mode != ""
		}
		choice := func(name string) tuning.Choice {
			return tuning.Choice{Kind: tuning.ByEnv, NP: 2, Env: map[string]string{name: "1"}, Sizes: []int64{256 << 10}}
		}
		held := must.Get(x.prove(t.Context(), setting{}, []tuning.Choice{choice("MALLOC_PERTURB_"), choice("MALLOC_TOP_PAD_")}))(t)
		must.Hold(t, len(held.choices) == 1 && held.env["MALLOC_TOP_PAD_"] == "1", "%+v", held.choices)
		r := x.found.Rejected
		should.Hold(t, len(r) == 1 && strings.Contains(r[0].Choice.Key(), "MALLOC_PERTURB_") && strings.HasPrefix(r[0].Reason, "with it an mpirun failed twice: ") &&
			!strings.Contains(r[0].Reason, "\n"), "%+v", r)
	})
}

// malloc's variables make a Bcast slow that the first proof has not seen so.
func TestHarmOfWhatIsHeldIsNotPutDownToWhatIsNew(t *testing.T) {
	t.Parallel()
	bed.Bubble(t, func(t *testing.T, b *bed.Bed) {
		x, held := besideMalloc(b, func(env []string, second bool, c protocol.JobCase) time.Duration {
			if second && c.Function == "MPI_Bcast" && c.Msize > 8 && slices.Contains(env, "MALLOC_TRIM_THRESHOLD_=1000000000") {
				return 15 * time.Microsecond
			}
			return malloced(env, c, 10*time.Microsecond)
		})
		r := x.found
		must.Hold(t, len(r.Rejected) == 1 && strings.Contains(r.Rejected[0].Choice.Key(), "MALLOC_TRIM"), "%+v", r.Rejected)
		should.Hold(t, len(held.choices) == 1 && held.env["MALLOC_TOP_PAD_"] == "1" && len(r.Proofs) == 3, "%+v, %+v", held.choices, r.Proofs)
	})
}

func TestRemedyIsPlannedFollowedAndEndsInTime(t *testing.T) {
	bed.Bubble(t, func(t *testing.T, b *bed.Bed) {
		slowWithoutMalloc(b, 40*time.Microsecond, 10*time.Microsecond)
		r := must.Get(remedied(b, func(x *Request) {
			b.Fake.Takes, x.MaxTime = 5*time.Second, time.Minute
		}))(t)
		should.Hold(t, r.Exit == exitcode.NoVerdict && len(r.Notes) == 1 && strings.Contains(r.Notes[0], "1m0s are over (--max-time); --resume goes on"), "%+v", r)
		s := must.Get(experiment.StatusOf(folderOf(b.Out), experiment.Kinds))(t)
		should.Hold(t, s.Done > 0 && s.Done < 22 && s.Planned == 22 && strings.Contains(s.Stages[0].Name, "/a: stage 1"), "%+v", s)
		again := asked(b, faulting)
		again.Resume = true
		task := must.Get(Prepare(again))(t)
		text, takes, err := task.Planned(t.Context())
		should.Hold(t, err == nil && takes > 0 && strings.HasPrefix(text, "DRY RUN: nothing is started. 1 cell to mend, in 1 collective.\n  environment: 1 proof, 20 mpiruns"), "%v, %v\n%s", takes, err, text)
		r = must.Get(task.Do(t.Context(), silent))(t)
		should.Equal(t, r.Cells[0].State, CellMended, "after --resume")
	})
}

func TestPlanOfARemedyRestsOnTheStartsOfTheCheck(t *testing.T) {
	bed.Bubble(t, func(t *testing.T, b *bed.Bed) {
		slowWithoutMalloc(b, 40*time.Microsecond, 10*time.Microsecond)
		b.Fake.Comes = 30 * time.Second
		b.Checked(faulting)
		task := must.Get(Prepare(asked(b, faulting)))(t)
		_, total := must.Two(task.Planned(t.Context()))(t)
		proof := task.steps()[0]
		should.Hold(t, total >= time.Duration(proof.sides*proof.r)*30*time.Second, "%v in all", total)
	})
}

func TestVariableThatIsSetAlreadyIsNotTried(t *testing.T) {
	bed.Bubble(t, func(t *testing.T, b *bed.Bed) {
		slowWithoutMalloc(b, 40*time.Microsecond, 10*time.Microsecond)
		r, err := remedied(b, func(x *Request) { x.Config.MPI.Env = map[string]string{"MALLOC_MMAP_THRESHOLD_": "5"} })
		must.Hold(t, err == nil && r.Exit == exitcode.NoVerdict && len(r.Proofs) == 0 && len(r.Rejected) == 1 && r.Cells[0].State == CellNotProved,
			"%+v, %v", r, err)
		should.Equal(t, r.Rejected[0].Reason, `mpi.env sets MALLOC_MMAP_THRESHOLD_ to "5" already`)
	})
}

func TestProofsAreNotMoreThanWanted(t *testing.T) {
	x := &mending{Task: &Task{Request: Request{Config: &glfile.File{}}}, found: &Result{}, tell: silent}
	glfile.Put(x.Config, section, Config{})
	before := setting{choices: algorithmsOf()[:1]}
	held := must.Get(x.prove(t.Context(), before, algorithmsOf()))(t)
	should.Equal(t, held.choices, before.choices)
	n := len(x.found.Rejected)
	should.Hold(t, n == 3 && strings.Contains(x.found.Rejected[0].Reason, "remedy.proofs = 0"), "%d were dropped: %+v", n, x.found.Rejected)
}

func TestAlgorithmsThatAreNotKnownAreNoted(t *testing.T) {
	x := &mending{found: &Result{}, tell: silent}
	list := &report.Algorithms{Library: "MPICH Version: 9.0", Collectives: []protocol.Algorithms{{Collective: "MPI_Scan", Variable: "MPIR_CVAR_SCAN_INTRA_ALGORITHM"}}}
	e, err := x.explore(t.Context(), setting{}, &glfile.File{}, list, nil)
	should.Hold(t, e == nil && err == nil && len(x.found.Notes) == 1, "%v, %v, %v", e, err, x.found.Notes)
	should.Contain(t, x.found.Notes[0], "Not known for this version of the library: its own algorithms of MPI_Scan")
}

func TestNothingViolatedIsNothingToMend(t *testing.T) {
	bed.Bubble(t, func(t *testing.T, b *bed.Bed) {
		r, err := remedied(b, nil)
		should.Hold(t, err == nil && r.Exit == exitcode.OK && !reading.Has(b.Out, "remedy"), "%+v, %v", r, err)
		d := kind.Document(r)
		should.Hold(t, strings.HasPrefix(d.Sections[0].Text[0].Text, "NOTHING TO MEND"), "%+v", d.Sections)
	})
}

func TestCheckThatIsNotFinishedIsRefused(t *testing.T) {
	bed.Bubble(t, func(t *testing.T, b *bed.Bed) {
		slowWithoutMalloc(b, 40*time.Microsecond, 10*time.Microsecond)
		for name, left := range map[string]int{"the last of ten mpiruns": 9, "all of them": 0} {
			_, err := remedied(b, func(*Request) {
				for n := left + 1; n <= 10; n++ {
					b.Remove(strings.TrimSuffix(results.RawName(protocol.ModeMeasure, fixture.P2, n), ".tsv.gz"))
				}
			})
			var s *fail.Setup
			should.Hold(t, errors.As(err, &s) && strings.Contains(err.Error(), "is not finished") && strings.Contains(err.Error(), "--resume"), "without %s: %v", name, err)
		}
	})
	bed.Bubble(t, func(t *testing.T, b *bed.Bed) { // the experiment on what is suspected
		b.Fake.Call = func(c protocol.JobCase, _ int) time.Duration {
			return 10 * time.Microsecond * time.Duration(c.Msize/(128<<10)*3-2)
		}
		_, err := remediedOf(b, splitting, func(*Request) { b.Remove("split-p2-01") })
		should.Hold(t, err != nil && strings.Contains(err.Error(), "is not finished"), "%v", err)
	})
}

func TestCheckOfAnotherLibraryIsRefused(t *testing.T) {
	bed.Bubble(t, func(t *testing.T, b *bed.Bed) {
		slowWithoutMalloc(b, 40*time.Microsecond, 10*time.Microsecond)
		b.Checked(faulting)
		folder, m, err := reading.Open(b.Out)
		must.Do(t, err)
		m.Rank.LibVersion, m.Factors.Hostname = "Other MPI 2", "elsewhere"
		must.Do(t, folder.WriteManifest(m))
		task := must.Get(Prepare(asked(b, faulting)))(t)
		_, err = task.Do(t.Context(), silent)
		var s *fail.Setup
		should.Hold(t, errors.As(err, &s) && strings.Contains(err.Error(), "is a check of Other MPI 2") && !reading.Has(b.Out, "remedy"), "%v", err)
		task.checked.Rank.LibVersion = "Fake MPI 1"
		r := must.Get(task.Do(t.Context(), silent))(t)
		should.Hold(t, r.Host != "elsewhere" && len(r.Notes) != 0 && strings.Contains(r.Notes[0], "the check was made on elsewhere"), "%q, %q", r.Host, r.Notes)
	})
}

// explored is an exploration of one algorithm of each of these collectives, which is faster at 1 KiB. The
// ranks of a bed have no algorithms, so those are taken that a dry run assumes.
func explored(t *testing.T, b *bed.Bed, own ...string) Request {
	t.Helper()
	f := b.Config("[job]\nnp = [2]\nmsizes = [\"8\", \"1Ki\"]\n[nrep]\npredictions = 1\n")
	for _, id := range own {
		f.Check.Functions = append(f.Check.Functions, mockups.Collective(id))
	}
	glfile.Put(f, explore.Section, explore.Config{Algorithms: own, Select: 3})
	b.Fake.Call = func(c protocol.JobCase, _ int) time.Duration {
		if slices.Contains(own, c.Function) && c.Msize > 8 {
			return 5 * time.Microsecond
		}
		return 10 * time.Microsecond
	}
	kind := *explore.Experiment
	kind.Prepare = func(ctx context.Context, f *glfile.File, o run.Options) (*glfile.File, error) {
		o.Dry = true
		return explore.Experiment.Prepare(ctx, f, o)
	}
	c := must.Get(b.New(&kind, f, b.Out))(t)
	must.Do(t, c.Open())
	must.Get(bed.Done(t.Context(), c))(t)
	_, m := must.Two(reading.Open(b.Out))(t)
	return Request{Config: must.Get(reading.ConfigOf(m))(t), Check: b.Out, Version: "test", Start: b.Fake.Start}
}

// The fake library has no format for a setting.
func TestFasterAlgorithmOfAnExplorationIsTriedWithoutAGuideline(t *testing.T) {
	bed.Bubble(t, func(t *testing.T, b *bed.Bed) {
		x := explored(t, b, "MPI_Bcast@binomial")
		task := must.Get(Prepare(x))(t)
		must.Hold(t, len(task.Cells) == 1 && task.Cells[0].Function == "MPI_Bcast" && task.Cells[0].Msize == 1024, "%+v", task.Cells)
		should.Hold(t, slices.Equal(reach.Sizes(task.plan, "MPI_Bcast", 2), []int64{8, 1024}) && len(reach.Sizes(task.plan, "MPI_Bcast@binomial", 2)) == 0, "proofs measure %+v", task.plan.Cases)
		r := must.Get(task.Do(t.Context(), silent))(t)
		d := kind.Document(r)
		should.Hold(t, len(r.Rejected) == 1 && strings.Contains(r.Rejected[0].Reason, "cannot be written") && strings.HasPrefix(d.Sections[0].Text[0].Text, "NOT SHOWN for 1 cell with a faster algorithm"),
			"%+v, %+v", r.Rejected, d.Sections[0].Text)
		b.Remove("explore-p2-01")
		x.Force = true
		_, err := Prepare(x)
		should.Hold(t, err != nil && strings.Contains(err.Error(), "is not finished"), "%v", err)
	})
}

// No guideline is about MPI_Scatterv: its sizes are those that were explored, and proofs time it.
func TestFasterAlgorithmOfACollectiveWithoutGuidelinesIsProved(t *testing.T) {
	for _, own := range [][]string{{"MPI_Scatterv@linear"}, {"MPI_Bcast@binomial", "MPI_Scatterv@linear"}} {
		bed.Bubble(t, func(t *testing.T, b *bed.Bed) {
			task := must.Get(Prepare(explored(t, b, own...)))(t)
			must.Hold(t, len(task.Cells) == len(own), "%+v", task.Cells)
			choices := perhaps(task.Cells)
			proved := task.reached(choices, true, choices)
			for _, c := range task.Cells {
				should.Hold(t, slices.ContainsFunc(proved.Cases, func(k guidelines.Case) bool { return medians.CellOf(k) == c.Cell }), "a proof does not time %v: %+v", c.Cell, proved.Cases)
			}
			r := must.Get(task.Do(t.Context(), silent))(t)
			must.Hold(t, len(r.Rejected) == len(own), "%+v", r.Rejected)
			for _, no := range r.Rejected {
				should.Hold(t, slices.Equal(no.Choice.Measured, []int64{8, 1024}), "%+v", no)
			}
		})
	}
}

// algorithmsOf are choices of two algorithms beside malloc's variables.
func algorithmsOf() []tuning.Choice {
	own := func(function string, size int64) tuning.Choice {
		return tuning.Choice{Function: function, NP: 2, Kind: tuning.OwnAlgorithm, Algorithm: "ring", Value: 1, Sizes: []int64{size}, Measured: []int64{8, 1024, 65536}}
	}
	return []tuning.Choice{{NP: 2, Kind: tuning.ByEnv, Env: mallocKeeps, Sizes: []int64{65536}},
		own("MPI_Gather", 1024), own("MPI_Gather", 65536), own("MPI_Bcast", 65536)}
}

// proof is one in which so much became faster, and then kept its guidelines, or slower.
func proof(faster, slower []medians.Cell) *effects {
	cases := func(cells []medians.Cell, c series.Change) *series.Comparison {
		out := &series.Comparison{MinSlowdown: 1.1}
		for _, k := range cells {
			out.Cases = append(out.Cases, series.CaseChange{Cell: k, NP: 2, Change: c})
		}
		return out
	}
	e := &effects{helped: cases(faster, series.Faster), harmed: cases(slower, series.Slower), held: algorithmsOf()[:1], before: &analyze.Report{}, after: &analyze.Report{}, keptAfter: map[medians.Cell]bool{}}
	for _, c := range faster {
		e.keptAfter[c] = true
	}
	return e
}

func TestHarmIsPutDownToWhatExplainsIt(t *testing.T) {
	gather1, gather64, bcast64 := medians.Cell{Function: "MPI_Gather", Msize: 1024, Shape: "p2"}, medians.Cell{Function: "MPI_Gather", Msize: 65536, Shape: "p2"}, medians.Cell{Function: "MPI_Bcast", Msize: 65536, Shape: "p2"}
	faster := []medians.Cell{gather1, gather64, bcast64}
	choices := algorithmsOf()
	newly := func(mockup string) *effects {
		e := proof(faster, nil)
		e.harmed.Guidelines = []series.GuidelineChange{{Change: series.NewlyViolated, Asked: series.Asked{Guideline: "GLx", Function: "MPI_Scan", Mockup: mockup, Msize: 8, Shape: "p2"}}}
		return e
	}
	beside := func(ratio float64) *effects { // the call takes that much longer itself
		e := newly("allgather_as_gather+bcast")
		e.harmed.Cases = []series.CaseChange{{Cell: medians.Cell{Function: "MPI_Scan", Msize: 8, Shape: "p2"}, NP: 2, Ratio: &ratio}}
		return e
	}
	wrong := func(function string) *effects {
		e := proof(faster, nil)
		e.after.Wrong = []analyze.CaseMessage{{Cell: medians.Cell{Function: function, Msize: 65536, Shape: "p2"}, Message: "rank 0 has 1 in place of 2"}}
		return e
	}
	for _, c := range []struct {
		what string
		e    *effects
		back []int // of choices
	}{
		{"nothing is harmed", proof(faster, nil), nil},
		{"at the size of one choice", proof(faster, []medians.Cell{gather64}), []int{2}},
		{"at a size between", proof(faster, []medians.Cell{{Function: "MPI_Gather", Msize: 8, Shape: "p2"}}), []int{1, 2}},
		{"elsewhere", proof(faster, []medians.Cell{{Function: "MPI_Scan", Msize: 8, Shape: "p2"}}), []int{1, 2, 3}},
		{"through a mock-up", newly("allgather_as_gather+bcast"), []int{1, 2, 3}},
		{"through a mock-up of one", newly("bcast_as_scatter+allgather"), []int{1, 2, 3}},
		{"a faster mock-up of a call that is not slower", beside(1.09), nil},
		{"a faster mock-up of a call that is slower", beside(1.1), []int{1, 2, 3}},
		{"wrong data", wrong("MPI_Bcast"), []int{3}},
		{"wrong data of a mock-up", wrong("scatter_as_bcast"), []int{3}},
		{"no gain of one", proof([]medians.Cell{gather1, bcast64}, nil), []int{2}},
		{"harm and no gain", proof([]medians.Cell{gather1}, []medians.Cell{gather1}), []int{1, 2, 3}},
	} {
		var want, got []string
		for _, i := range c.back {
			want = append(want, choices[i].String())
		}
		for _, d := range c.e.rejects(choices) {
			got = append(got, d.Label)
		}
		slices.Sort(want)
		slices.Sort(got)
		should.Equal(t, got, want, "%s: is taken back", c.what)
	}
	none := proof(nil, nil)
	none.held = nil
	wide := proof(faster, []medians.Cell{{Function: "MPI_Scan", Msize: 8, Shape: "p2"}, {Function: "MPI_Gather", Msize: 500, Shape: "p2"}}).rejects(choices)
	should.Hold(t, len(wide) == 3 && strings.Contains(wide[0].Reason, "MPI_Gather at 500 B"), "between the measured sizes: %+v", wide)
	got := none.rejects(choices[:1])
	should.Hold(t, len(got) == 1 && got[0].Choice.Kind == tuning.ByEnv, "malloc's variables that help nowhere: %+v", got)
}

func TestConformanceCallThatGoesWrongTakesItsChoiceBack(t *testing.T) {
	got := blamed(algorithmsOf()[1:], []conformance.Outcome{{Call: "MPI_Gather, a count that does not count", Function: "MPI_Gather", Shape: "p2", State: conformance.Error, Message: "MPI_ERR_TRUNCATE"}})
	should.Hold(t, len(got) == 2 && got[0].Choice.Function == "MPI_Gather" && strings.Contains(got[1].Reason, "MPI_ERR_TRUNCATE"), "%+v", got)
	got = blamed(algorithmsOf()[1:], nil)
	should.Hold(t, len(got) == 0, "%+v", got)
}

func TestChoicesOfOneAlgorithmAreWrittenAsOne(t *testing.T) {
	got := reach.Joined(algorithmsOf())
	should.Hold(t, len(got) == 3 && slices.Equal(got[1].Sizes, []int64{1024, 65536}), "%+v", got)
	whole := reach.PartsOf(algorithmsOf(), []tuning.Rejected{got[1].Rejected("no")}, "")
	should.Hold(t, len(whole) == 2, "one that cannot be written is %d choices", len(whole))
}

// Half to two thirds of the time is 1.5 to 2 times as fast.
func TestTheIntervalOfAGainRunsFromItsLessToItsLargerEnd(t *testing.T) {
	ratio, lo, hi := 0.6, 0.5, 2./3
	cell := Cell{Cell: medians.Cell{Function: "MPI_Reduce", Msize: 8, Shape: "p2"}}
	e := effects{helped: &series.Comparison{Cases: []series.CaseChange{{Cell: cell.Cell, Change: series.Faster, Ratio: &ratio, RatioLo: &lo, RatioHi: &hi}}},
		before: &analyze.Report{}, after: &analyze.Report{}, keptAfter: map[medians.Cell]bool{cell.Cell: true}}
	e.outcome(&cell, nil)
	should.Hold(t, cell.State == CellMended && *cell.Gain == 1/ratio && *cell.GainLo == 1.5 && *cell.GainHi == 2,
		"%s by %v, %v to %v", cell.State, *cell.Gain, *cell.GainLo, *cell.GainHi)
}

func TestChoicesAreToldApartByWhatTheySetNotByTheirNames(t *testing.T) {
	a := tuning.Choice{Kind: tuning.ByEnv, Env: map[string]string{"MALLOC_TOP_PAD_": "1"}, Sizes: []int64{8}, NP: 4}
	b := a
	b.Env = map[string]string{"MALLOC_TOP_PAD_": "2"}
	should.Hold(t, a.String() == b.String() && a.Key() != b.Key(), "%q and %q have keys %q and %q", a.String(), b.String(), a.Key(), b.Key())
}
