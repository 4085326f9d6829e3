package run_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pgmpi/analyze/judge"
	"pgmpi/analyze/report"
	"pgmpi/internal/exitcode"
	"pgmpi/internal/experiment"
	"pgmpi/internal/experiment/run"
	"pgmpi/internal/fail"
	"pgmpi/internal/reading"
	"pgmpi/internal/remark"
	"pgmpi/measure"
	"pgmpi/measure/protocol"
	"pgmpi/testkit/bed"
	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

func TestCheckJudgesWhatItHasMeasuredAsItsFolderDoes(t *testing.T) {
	bed.Bubble(t, func(t *testing.T, b *bed.Bed) {
		b.Fake.Call = bed.ReduceSlow
		j := b.Checked(bed.Quick)
		v := j.Report.Verdicts[0]
		should.Hold(t, v.Verdict == judge.Violated && v.Guideline == "GL8", "%+v", v)
		folder, m, err := reading.Open(b.Out)
		must.Do(t, err)
		config := must.Get(reading.ConfigOf(m))(t)
		again, err := reading.Judge(folder, m, config.Analyze)
		should.Hold(t, err == nil && bed.Text(t, again.Report) == bed.Text(t, j.Report),
			"%v, another report:\n%s\n%s", err, bed.Text(t, j.Report), bed.Text(t, again.Report))
		should.Equal(t, len(b.Raw()), 2*2+2*3, "raw files")
	})
}

func TestProgressCountsTheMpirunsOfAllStages(t *testing.T) {
	bed.Bubble(t, func(t *testing.T, b *bed.Bed) {
		b.Checked(bed.Quick)
		n := 0
		for _, p := range b.Seen {
			if p.Finished {
				should.Hold(t, p.Before == n && p.All == 10, "mpirun %d: %+v", n, p)
				n++
			}
		}
		last := b.Seen[len(b.Seen)-1]
		should.Hold(t, n == 10 && last.Run == 6 && last.Runs == 6 && last.Doing == run.Measure.Doing, "%d mpiruns, the last %+v", n, last)
	})
}

func TestResumeMeasuresWhatIsMissingAndNothingElse(t *testing.T) {
	bed.Bubble(t, func(t *testing.T, b *bed.Bed) {
		before := bed.Text(t, b.Checked(bed.Quick).Report)
		done := len(b.Fake.Jobs())
		b.Remove("nrep-p3-2", "run-p2-02")
		after := bed.Text(t, b.Checked(bed.Quick).Report)
		should.Hold(t, after == before, "another report:\n%s\n%s", before, after)
		jobs := b.Fake.Jobs()[done:]
		should.Hold(t, len(jobs) == 2 && jobs[0].Mode == protocol.ModeNREP && jobs[0].NP == 3 && jobs[1].Mode == protocol.ModeMeasure && jobs[1].NP == 2,
			"measured again: %+v", jobs)
		should.Hold(t, !jobs[1].Verify && jobs[1].MemoryCap == 1<<30, "the first mpirun's cap is forgotten: %+v", jobs[1])
	})
}

func TestACaseThatHasSpentItsBudgetIsPredictedOnce(t *testing.T) {
	bed.Bubble(t, func(t *testing.T, b *bed.Bed) {
		long := func(c protocol.JobCase) bool { return c.Function == "MPI_Reduce" }
		b.Fake.Call = func(c protocol.JobCase, _ int) time.Duration {
			if long(c) {
				return time.Millisecond // ten are more than 3 ms
			}
			return 10 * time.Microsecond
		}
		b.Checked(bed.Quick)
		predicted := map[int]int{}
		for _, j := range b.Fake.Jobs() {
			if j.Mode == protocol.ModeNREP {
				predicted[j.NP]++
				measured := bed.Measured(j)
				should.Hold(t, slices.ContainsFunc(measured, long) == (predicted[j.NP] == 1) && len(measured) > 0, "prediction %d: %+v", predicted[j.NP], measured)
			}
		}
		should.Hold(t, predicted[2] == 2 && predicted[3] == 2, "%v predictions", predicted)
	})
}

func TestFixedRepetitionsHoldForEveryMpirun(t *testing.T) {
	bed.Bubble(t, func(t *testing.T, b *bed.Bed) {
		b.Checked(strings.Replace(bed.Quick, "predictions = 2", "fixed = 50", 1))
		jobs := b.Fake.Jobs()
		must.Hold(t, len(jobs) == 6, "%d mpiruns", len(jobs))
		for i, job := range jobs {
			for _, c := range job.Cases {
				should.Hold(t, job.Mode == protocol.ModeMeasure && c.NRep == 50, "mpirun %d, %s: %+v", i, job.Mode, c)
			}
		}
	})
}

func TestWrongDataIsNotTimedAgain(t *testing.T) {
	bed.Bubble(t, func(t *testing.T, b *bed.Bed) {
		b.Fake.Fault = func(launch int) bed.Fault {
			if launch == 1 {
				return bed.WrongData
			}
			return bed.NoFault
		}
		j := b.Checked(bed.Quick)
		should.Hold(t, len(j.Report.Wrong) == 1 && j.Report.Exit == 3, "%+v", j.Report.Wrong)
		for i, job := range b.Fake.Jobs()[1:] {
			should.Equal(t, job.Cases[0].Skip == protocol.StatusWrong, job.NP == 2, "job %d: %+v", i+1, job.Cases)
		}
	})
}

// What the mpiruns before it have measured does not count any more.
func TestWrongDataInALaterMpirunMakeTheCaseWrong(t *testing.T) {
	bed.Bubble(t, func(t *testing.T, b *bed.Bed) {
		b.Fake.Fault = func(launch int) bed.Fault {
			if launch == 6 { // the last one
				return bed.WrongData
			}
			return bed.NoFault
		}
		r := b.Checked(strings.Replace(bed.Quick, "predictions = 2", "fixed = 10", 1)).Report
		should.Hold(t, len(r.Wrong) == 1 && r.Exit == 3 && strings.HasPrefix(r.Wrong[0].Message, "mpirun 3 of stage 2: rank 0"),
			"exit %d, wrong: %+v", r.Exit, r.Wrong)
		for _, v := range r.Verdicts {
			should.Equal(t, r.Wrong[0].Shape == v.Shape, v.Verdict == judge.Wrong, "%+v", v)
		}
	})
}

// No program can live with a library that does not return; an algorithm that nobody gets
// unasked is only left out.
func TestACallOfTheLibraryThatEndsTheMpirunIsWrong(t *testing.T) {
	for name, c := range map[string]struct {
		function string
		how      bed.Fault
		did      string // "": it is no fault of the check
	}{
		"hangs":             {"MPI_Scatter_init", bed.Hangs, "hangs"},
		"crashes":           {"MPI_Scatter_init", bed.Dies, "crashed"},
		"algorithm hangs":   {"MPI_Bcast@binomial", bed.Hangs, ""},
		"algorithm crashes": {"MPI_Bcast@binomial", bed.Dies, ""},
		"not there":         {"MPI_Scatter_init", bed.Unlinked, ""},
	} {
		t.Run(name, func(t *testing.T) {
			bed.Bubble(t, func(t *testing.T, b *bed.Bed) {
				b.Fake.Ends = map[string]bed.Fault{c.function: c.how}
				r := b.Checked(bed.Ending).Report
				list, verdict, exclude := r.Wrong, judge.Wrong, []string{"NB3:MPI_Scatter_init"}
				if c.did == "" {
					list, verdict, exclude = r.NotMeasured, judge.NotMeasured, []string{}
				}
				should.Hold(t, len(list) == 1 && len(r.Wrong)+len(r.NotMeasured) == 1 && list[0].Function == c.function && (c.did == "" || list[0].Did() == c.did),
					"wrong %+v, not measured %+v", r.Wrong, r.NotMeasured)
				should.Hold(t, (r.Exit == exitcode.Failed) == (c.did != "") && slices.Equal(r.Exclude, exclude), "exit %d, exclude %q", r.Exit, r.Exclude)
				for _, v := range r.Verdicts {
					is := v.Function == c.function || v.Mockup == c.function
					should.Hold(t, (v.Verdict == verdict) == is && (is || v.MedianS != nil), "%s %s is %s: %s", v.Guideline, v.Function, v.Verdict, v.Reason)
				}
			})
		})
	}
}

func TestALookDropsWhatIsDecided(t *testing.T) {
	bed.Bubble(t, func(t *testing.T, b *bed.Bed) {
		b.Undecided()
		j := b.Checked(bed.Looking)
		jobs := b.Fake.Jobs()
		must.Hold(t, len(jobs) == 14 && len(bed.Measured(jobs[9])) == 4 && len(bed.Measured(jobs[10])) == 2 && jobs[10].Cases[0].Msize == 1024 && len(jobs[10].Cases) == 4,
			"%d mpiruns, after the look %+v", len(jobs), jobs[min(10, len(jobs)-1)].Cases)
		v := j.Report.Verdicts[0]
		should.Hold(t, v.Runs == 10 && v.Verdict == judge.Violated, "%+v", v)
	})
}

func TestALookReadsNoRawFileAgain(t *testing.T) {
	bed.Bubble(t, func(t *testing.T, b *bed.Bed) {
		b.Undecided()
		b.Fake.Fault = func(launch int) bed.Fault {
			if launch == 10 {
				should.Do(t, os.WriteFile(filepath.Join(b.Out, "raw", "run-p2-05.tsv.gz"), []byte("damaged"), 0o666))
			}
			return bed.NoFault
		}
		b.Checked(bed.Looking)
		should.Equal(t, len(b.Fake.Jobs()), 14)
	})
}

func TestALookIsRepeatedOnResumeWithTheMpirunsItHad(t *testing.T) {
	bed.Bubble(t, func(t *testing.T, b *bed.Bed) {
		b.Undecided()
		b.Checked(bed.Looking)
		done := len(b.Fake.Jobs())
		b.Remove("run-p2-05", "run-p2-11")
		b.Checked(bed.Looking)
		jobs := b.Fake.Jobs()[done:]
		should.Hold(t, len(jobs) == 2 && len(bed.Measured(jobs[0])) == 4 && len(bed.Measured(jobs[1])) == 2, "%+v", jobs)
	})
}

func TestADecidedCheckEndsAtItsLook(t *testing.T) {
	bed.Bubble(t, func(t *testing.T, b *bed.Bed) {
		b.Fake.Call = bed.ReduceSlow
		j := b.Checked(bed.Looking)
		n := len(b.Raw())
		should.Hold(t, n == 10 && j.Report.Looks != nil && j.Report.Looks.Decided[0] == 2, "%d mpiruns, %+v", n, j.Report.Looks)
		if b.Checked(bed.Looking); len(b.Raw()) != 10 {
			t.Errorf("resumed, it went on with a check that is over: %d mpiruns", len(b.Raw()))
		}
	})
}

func TestMaxTimeEndsAStageAndResumeDoesNotGoOn(t *testing.T) {
	bed.Bubble(t, func(t *testing.T, b *bed.Bed) {
		b.Fake.Takes = 10 * time.Second
		toml := strings.Replace(bed.Quick, "mpiruns = 3", "mpiruns = 30\nmax_time = \"125s\"", 1)
		j := b.Checked(toml)
		// Stage 1 takes 40 s, each round of two shapes 20 s.
		should.Hold(t, j.Report.R == 4 && len(b.Raw()) == 4+8, "R = %d after %v", j.Report.R, b.Raw())
		want := "job.max_time = 2m5s: stage 2 ended after 4 mpiruns"
		should.Equal(t, b.Said, []string{want})
		again := b.Checked(toml)
		should.Hold(t, again.Report.R == 4 && len(b.Raw()) == 12, "R = %d after %v", again.Report.R, b.Raw())
	})
}

func TestAGapIsFilledThoughTheTimeIsSpent(t *testing.T) {
	bed.Bubble(t, func(t *testing.T, b *bed.Bed) {
		b.Fake.Takes = 10 * time.Second
		b.Checked(strings.Replace(bed.Quick, "[nrep]", "max_time = \"100s\"\n[nrep]", 1))
		b.Remove("run-p3-02")
		should.Equal(t, b.Checked(strings.Replace(bed.Quick, "[nrep]", "max_time = \"100s\"\n[nrep]", 1)).Report.R, 3, "R")
	})
}

func TestAnMpirunThatFailsIsRepeatedOnce(t *testing.T) {
	for name, c := range map[string]struct {
		fault bed.Fault
		says  string
	}{
		"dies":   {bed.Dies, "rank 1: it is a fake"},
		"hangs":  {bed.Hangs, "no word from the ranks for 2m10s"},
		"silent": {bed.Silent, "no word from rank 0 within 1m30s"},
	} {
		t.Run(name, func(t *testing.T) {
			bed.Bubble(t, func(t *testing.T, b *bed.Bed) {
				b.Fake.Fault = func(launch int) bed.Fault {
					if launch == 3 {
						return c.fault
					}
					return bed.NoFault
				}
				j := b.Checked(bed.Quick)
				should.Hold(t, len(b.Said) == 1 && strings.Contains(b.Said[0], "repeated once: "+c.says), "said %q", b.Said)
				events := j.Manifest.Events
				should.Hold(t, len(events) == 1 && strings.HasPrefix(events[0], "nrep-p2-2.tsv.gz failed and was repeated"), "%q", events)
				should.Hold(t, slices.ContainsFunc(j.Report.Warnings, func(w remark.Remark) bool { return w.ID == remark.Repeated }),
					"the report does not say so: %v", j.Report.Warnings)
			})
		})
	}
}

func TestAnMpirunThatFailsTwiceEndsTheCheckAndResumeGoesOn(t *testing.T) {
	bed.Bubble(t, func(t *testing.T, b *bed.Bed) {
		b.Fake.Fault = func(launch int) bed.Fault {
			if launch == 6 || launch == 7 {
				return bed.Dies
			}
			return bed.NoFault
		}
		_, err := b.Check(bed.Quick)
		var failed *fail.Failed
		must.Hold(t, errors.As(err, &failed) && failed.Twice && strings.HasPrefix(err.Error(), "an mpirun failed twice: rank 1: it is a fake"), "%v", err)
		should.Equal(t, len(b.Raw()), 5, "raw files")
		b.Checked(bed.Quick)
		should.Equal(t, len(b.Fake.Jobs()), 12, "jobs")
	})
}

func TestASetUpThatNeverWorkedIsNotTriedAgain(t *testing.T) {
	for _, which := range []bed.Fault{bed.Unstarted, bed.Silent} {
		bed.Bubble(t, func(t *testing.T, b *bed.Bed) {
			launches := 0
			b.Fake.Fault = func(launch int) bed.Fault {
				launches = launch
				return which
			}
			_, err := b.Check(bed.Quick)
			var setup *fail.Setup
			var failed *measure.Error
			should.Hold(t, errors.As(err, &setup) && errors.As(err, &failed) && launches == 1, "after %d launches: %v", launches, err)
		})
	}
}

func TestACrashInMPIInitMayComeOnce(t *testing.T) {
	for times, ends := range []bool{1: false, 2: true} {
		bed.Bubble(t, func(t *testing.T, b *bed.Bed) {
			b.Fake.Fault = func(launch int) bed.Fault {
				if launch <= times {
					return bed.Crashes
				}
				return bed.NoFault
			}
			_, err := b.Check(bed.Quick)
			var setup *fail.Setup
			should.Hold(t, errors.As(err, &setup) == ends && (err == nil) != ends, "after %d crashes: %v", times, err)
			should.Equal(t, len(b.Said), min(times, 1), "said")
		})
	}
}

func TestInterruptKeepsWhatIsFinished(t *testing.T) {
	bed.Bubble(t, func(t *testing.T, b *bed.Bed) {
		b.Fake.Takes = time.Minute
		c := b.Campaign(bed.Quick)
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute+30*time.Second)
		defer cancel()
		_, err := bed.Done(ctx, c)
		var interrupted *fail.Interrupted
		must.Hold(t, errors.As(err, &interrupted) && len(b.Raw()) == 5 && b.Fake.Live() == 0, "%v with %v, %d launches left", err, b.Raw(), b.Fake.Live())
		c.Close()
		b.Checked(bed.Quick)
		should.Equal(t, len(b.Raw()), 10, "raw files")
	})
}

func TestADamagedRawFileEndsAResumedCheck(t *testing.T) {
	bed.Bubble(t, func(t *testing.T, b *bed.Bed) {
		b.Checked(bed.Quick)
		path := filepath.Join(b.Out, "raw", "run-p2-02.tsv.gz")
		must.Do(t, os.WriteFile(path, []byte("no raw file"), 0o666))
		_, err := b.Check(bed.Quick)
		should.Hold(t, err != nil && strings.Contains(err.Error(), "run-p2-02.tsv.gz") && strings.Contains(err.Error(), "move it away"), "%v", err)
	})
}

func TestASuspectedSplitIsFollowedUp(t *testing.T) {
	bed.Bubble(t, func(t *testing.T, b *bed.Bed) {
		b.Fake.Call = func(c protocol.JobCase, _ int) time.Duration {
			if c.Msize == 1024 {
				return time.Millisecond
			}
			return time.Microsecond
		}
		j := b.Checked(`
[check]
guidelines = ["GL2:MPI_Bcast"]
[job]
np = [2]
mpiruns = 8
msizes = ["64", "1Ki"]
[nrep]
fixed = 10
`)
		v := j.Report.Verdicts[0]
		should.Hold(t, v.Verdict == judge.Violated && v.PValue != nil && j.Report.Split != nil, "%+v, %+v", v, j.Report.Split)
		last := b.Fake.Jobs()[15]
		should.Hold(t, last.Mode == protocol.ModeSplit && len(last.Cases) == 2 && last.Cases[0].Calls == 16, "%+v", last)
	})
}

func TestStagesOfTheirOwnShareAFolder(t *testing.T) {
	bed.Bubble(t, func(t *testing.T, b *bed.Bed) {
		stage := func(x *run.Experiment) (*run.Campaign, error) {
			c, err := b.New(x, b.Config(bed.Quick), b.Out)
			must.Do(t, err)
			must.Do(t, c.Open())
			defer c.Close()
			_, err = c.Do(t.Context())
			return c, err
		}
		if _, err := stage(experiment.Measure); err == nil || !strings.Contains(err.Error(), "pgmpi nrep") {
			t.Errorf("without stage 1: %v", err)
		}
		if _, err := stage(experiment.Predict); err != nil {
			t.Fatal(err)
		}
		c := must.Get(stage(experiment.Measure))(t)
		n := len(b.Fake.Jobs())
		should.Hold(t, n == 10 && c.Manifest.NRep[0].N >= 20, "%d jobs, %+v", n, c.Manifest.NRep)
	})
}

func TestAMeasurementThatCanShowNothingIsRefused(t *testing.T) {
	b := bed.New(t)
	c := b.Prepared(b.Out, strings.Replace(bed.Quick, `method = "paper"`, `method = "default"`, 1))
	var refused *fail.Refused
	err := c.Refusal()
	should.Hold(t, errors.As(err, &refused) && strings.Contains(err.Error(), "would do"), "%v", err)
	should.Do(t, b.Prepared(b.Out, bed.Quick).Refusal())
}

func TestShapesOfOneNumberOfProcessesAreMeasuredApart(t *testing.T) {
	bed.Bubble(t, func(t *testing.T, b *bed.Bed) {
		j := b.Checked(bed.InShapes)
		got := strings.Join(b.Raw(), " ")
		should.Hold(t, strings.Contains(got, "run-1x2-01") && strings.Contains(got, "run-2x1-03") && !strings.Contains(got, "p2"), "raw files: %s", got)
		var shapes []string
		for _, v := range j.Report.Verdicts {
			should.Hold(t, v.NP == 2, "%s has %d processes", v.Shape, v.NP)
			shapes = append(shapes, v.Shape)
		}
		should.Equal(t, strings.Join(shapes, " "), "2x1 1x2", "verdicts on")
		for _, job := range b.Fake.Jobs() {
			must.Hold(t, job.Place == "2x1" || job.Place == "1x2", "an mpirun may be placed anywhere: %q", job.Place)
		}
	})
}

func TestRanksInAnotherShapeMeasureNothing(t *testing.T) {
	bed.Bubble(t, func(t *testing.T, b *bed.Bed) {
		b.Fake.Place = "1x2"
		_, err := b.Check(bed.InShapes)
		var setup *fail.Setup
		should.Hold(t, errors.As(err, &setup) && strings.Contains(err.Error(), "placed as 1x2") && strings.Contains(err.Error(), "2x1 is wanted") && strings.Contains(err.Error(), "{ppn}"),
			"got %T: %v", err, err)
		should.Equal(t, len(b.Fake.Jobs()), 1, "launches")
	})
}

func TestAFolderGoesOnWhereItBegan(t *testing.T) {
	bed.Bubble(t, func(t *testing.T, b *bed.Bed) {
		b.Checked(bed.Quick)
		b.Remove("run-p2-03")
		b.Fake.Place = "2x1"
		_, err := b.Check(bed.Quick)
		var failed *fail.Failed
		should.Hold(t, errors.As(err, &failed) && strings.Contains(err.Error(), "placed as 2x1") && strings.Contains(err.Error(), "1x2 is wanted"),
			"got %T: %v", err, err)
		b.Fake.Place = "1x2"
		b.Checked(bed.Quick)
	})
}

// On two shapes, each round of mpiruns of 10 s takes 20 s. A verdict needs four.
func TestStageOneLeavesTimeForVerdicts(t *testing.T) {
	for limit, predictions := range map[string]int{"120s": 2, "119s": 1} {
		bed.Bubble(t, func(t *testing.T, b *bed.Bed) {
			b.Fake.Takes = 10 * time.Second
			toml := strings.NewReplacer("mpiruns = 3", "mpiruns = 10\nmax_time = \""+limit+"\"", "paper", "default").Replace(bed.Quick)
			j := b.Checked(toml)
			count := map[string]int{}
			for _, name := range b.Raw() {
				count[name[:strings.Index(name, "-")]]++
			}
			should.Hold(t, count["nrep"] == 2*predictions && count["run"] == 8 && j.Report.Refused == nil,
				"max_time %s: %v, refused %v", limit, count, j.Report.Refused)
			b.Checked(toml)
			should.Equal(t, len(b.Raw()), count["nrep"]+count["run"], "max_time %s: raw files after --resume", limit)
		})
	}
}

func TestAnEstimateNeedsNoLauncher(t *testing.T) {
	b := bed.New(t)
	for without, says := range map[bool]string{false: "no-such-launcher", true: ""} {
		config := b.Config("[job]\nnp = [2]\nmsizes = [\"8\"]\n")
		config.MPI.Launch = []string{"no-such-launcher"}
		c, err := run.New(t.Context(), experiment.Check, config, run.Options{Path: b.Out, Dry: true, NoLauncher: without})
		if says != "" {
			should.Fail(t, err, says)
			continue
		}
		must.Do(t, err)
		p := must.Get(c.Estimate())(t)
		should.Hold(t, p.Total > 0, "%v", p.Total)
	}
}

func TestEstimateAtScaleIsDominatedByWhatTakesLong(t *testing.T) {
	b := bed.New(t)
	toml := "[check]\nguidelines = [\"all\"]\n[job]\nshapes = [\"1024x64\"]\n"
	c := b.Prepared(filepath.Join(t.TempDir(), "out"), toml)
	c.LaunchTime = 10 * time.Second
	e := must.Get(c.Estimate())(t)
	stage := e.Costs[0].Stages[0]
	should.Hold(t, e.Nodes == 1024 && stage.Each >= 10*time.Second && stage.Verify >= time.Second && stage.Verify <= 5*time.Minute,
		"%d nodes, an mpirun of %v, %v to verify", e.Nodes, stage.Each, stage.Verify)
	var all strings.Builder
	for _, s := range report.Plans.Sections(e) {
		fmt.Fprintln(&all, s.Text)
	}
	should.Contain(t, all.String(), "node-hours", "1024 nodes", "--launch-time", "does not know the network between nodes: the first time is as in shared memory", "mpi.start_limit")
}

func TestEstimateCountsNoStartForWhatRides(t *testing.T) {
	c := bed.New(t).Prepared(filepath.Join(t.TempDir(), "out"), "[job]\nnp = [2]\n")
	c.LaunchTime = 30 * time.Second
	got := map[string][]report.StageCost{}
	for _, s := range must.Get(c.Estimate())(t).Costs[0].Stages {
		got[s.Name] = append(got[s.Name], s)
	}
	for name, runs := range map[string]int{"split experiment": 15, "other state of malloc": 8} {
		should.Hold(t, len(got[name]) == 1 && got[name][0].Rides && got[name][0].Runs == runs && got[name][0].Each < time.Second, "%s: %+v", name, got[name])
	}
	again := got["alternating calls"]
	should.Hold(t, len(again) == 1 && !again[0].Rides && again[0].Each > 30*time.Second, "%+v", again)
}

func TestEstimateRestsOnTwoEmptyMpirunsIfAsked(t *testing.T) {
	bed.Bubble(t, func(t *testing.T, b *bed.Bed) {
		b.Fake.Comes = 30 * time.Second
		c := b.Prepared(b.Out, bed.Quick)
		before := must.Get(c.Estimate())(t)
		must.Do(t, c.TimeLaunch(t.Context()))
		e := must.Get(c.Estimate())(t)
		should.Hold(t, before.Costs[0].Start < 1 && e.Costs[0].Start >= 30, "%v s, then %v s to start", before.Costs[0].Start, e.Costs[0].Start)
		jobs := b.Fake.Jobs()
		should.Hold(t, len(jobs) == 2 && jobs[0].NP == 3 && len(jobs[0].Cases) == 0, "%d mpiruns: %+v", len(jobs), jobs)
	})
}

func TestEstimateOfAResumedFolderRestsOnItsMpiruns(t *testing.T) {
	bed.Bubble(t, func(t *testing.T, b *bed.Bed) {
		b.Fake.Takes = 10 * time.Second
		b.Checked(bed.Quick)
		b.Remove("run-p2-03")
		e := must.Get(b.Prepared(b.Out, bed.Quick).Estimate())(t)
		should.Hold(t, e.Costs[0].Measured && e.Total >= 10*time.Second && e.Total <= 11*time.Second, "one mpirun of 10 s is left: %v", e.Total)
	})
}

func TestAMpirunThatIsLongInStartingMakesAllPredictions(t *testing.T) {
	bed.Bubble(t, func(t *testing.T, b *bed.Bed) {
		b.Fake.Comes = 30 * time.Second
		toml := strings.Replace(bed.Quick, "predictions = 2", "predictions = 3", 1)
		b.Checked(toml)
		should.Equal(t, strings.Join(b.Raw(), " "), "nrep-p2-1 nrep-p3-1 run-p2-01 run-p2-02 run-p2-03 run-p3-01 run-p3-02 run-p3-03", "measured")
		first := b.Fake.Jobs()[0]
		should.Hold(t, first.Predict.Times == 3 && len(first.Order) == 3*len(first.Cases),
			"%d predictions, %d visits of %d cases", first.Predict.Times, len(first.Order), len(first.Cases))
		b.Remove("run-p3-03") // and nothing else is missing
		e, err := b.Prepared(b.Out, toml).Estimate()
		should.Hold(t, err == nil && e.Costs[0].Stages[0].Left == 0 && e.Costs[1].Stages[1].Left == 1, "%+v, %v", e, err)
		s, err := experiment.StatusOf(b.Out, experiment.Kinds)
		should.Hold(t, err == nil && s.Done == 7 && s.Planned == 8, "%+v, %v", s, err)
		b.Checked(toml)
		should.Equal(t, len(b.Fake.Jobs()), 9, "mpiruns")
	})
}
