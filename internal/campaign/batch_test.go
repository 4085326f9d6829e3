package campaign

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"pgmpi/internal/remark"
	"pgmpi/measure"
	"pgmpi/measure/batch"
	"pgmpi/measure/protocol"
)

// inJob does a check in a batch job that ends after a time; 0: at a time unknown.
func (b *bed) inJob(toml string, left time.Duration) error {
	b.t.Helper()
	c := b.prepared(b.out, toml)
	c.Job = batch.Job{ID: "17"}
	if left > 0 {
		c.Job.Ends = time.Now().Add(left)
	}
	if err := c.Open(); err != nil {
		b.t.Fatal(err)
	}
	defer c.Close()
	_, err := c.Check(b.t.Context())
	return err
}

func wantInterrupted(t *testing.T, err error, why string) {
	t.Helper()
	var interrupted *Interrupted
	if !errors.As(err, &interrupted) || !strings.Contains(err.Error(), why) {
		t.Errorf("%v, want an interruption: %s", err, why)
	}
}

func TestNoMpirunIsStartedThatWouldOutliveTheBatchJob(t *testing.T) {
	bubble(t, func(t *testing.T, b *bed) {
		b.fake.Takes = time.Minute
		wantInterrupted(t, b.inJob(quick, 4*time.Minute+30*time.Second), "batch job 17 ends at")
		if n := len(b.raw()); n != 4 {
			t.Errorf("%d mpiruns of a minute in four and a half", n)
		}
		if n := b.fake.Live(); n != 0 {
			t.Errorf("%d launches are left", n)
		}
		// The next job goes on.
		wantInterrupted(t, b.inJob(quick, 3*time.Minute+30*time.Second), "in 30s, and an mpirun takes about 1m0s")
		if n := len(b.raw()); n != 7 {
			t.Errorf("%d mpiruns in all", n)
		}
		if err := b.inJob(quick, time.Hour); err != nil {
			t.Error(err)
		}
	})
}

func TestTheFirstMpirunIsStartedWhateverItTakesButNotAfterTheEnd(t *testing.T) {
	bubble(t, func(t *testing.T, b *bed) {
		b.fake.Takes = time.Minute
		wantInterrupted(t, b.inJob(quick, 1), "is past its time limit")
		if n := len(b.fake.Jobs()); n != 1 {
			t.Errorf("%d mpiruns", n)
		}
	})
}

func TestAFailureAtTheEndOfTheBatchJobIsNotRepeated(t *testing.T) {
	for name, c := range map[string]struct {
		fault fault
		left  time.Duration
		why   string
	}{
		"Slurm refuses a step":              {refused, 0, "batch job 17 is at its end"},
		"it dies when the time limit is up": {dies, 3*time.Minute + 30*time.Second, "batch job 17 is at its end"},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T, b *bed) {
				b.fake.Takes = time.Minute
				b.fake.Fault = func(launch int) fault {
					if launch < 3 {
						return noFault
					}
					b.fake.Takes = 2 * time.Minute // the limit passes
					return c.fault
				}
				wantInterrupted(t, b.inJob(quick, c.left), c.why)
				_, m, err := OpenResults(b.out)
				if err != nil || len(m.Events) > 0 || len(b.raw()) != 2 {
					t.Errorf("%v, events %q, %d mpiruns", err, m.Events, len(b.raw()))
				}
			})
		})
	}
}

func TestASignalRightAfterTheRanksHaveDiedIsAnInterruption(t *testing.T) {
	bubble(t, func(t *testing.T, b *bed) {
		c := b.prepared(b.out, quick)
		c.Job = batch.Job{ID: "17"}
		if err := c.Open(); err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		ctx, cancel := context.WithCancel(t.Context())
		b.fake.Fault = func(launch int) fault {
			if launch == 2 {
				time.AfterFunc(signalGrace/2, cancel)
				return dies
			}
			return noFault
		}
		_, err := c.Check(ctx)
		wantInterrupted(t, err, "interrupted")
		if len(c.Manifest.Events) > 0 {
			t.Errorf("%q", c.Manifest.Events)
		}
	})
}

func TestWhatACutOffPredictionHasFinishedIsNotPredictedAgain(t *testing.T) {
	bubble(t, func(t *testing.T, b *bed) {
		whole := len(newBed(t).prepared(b.out, quick).Manifest.Plan.Cases) / 2 // of a shape
		ctx, cancel := context.WithCancel(t.Context())
		b.fake.Fault = func(launch int) fault {
			if launch == 1 {
				time.AfterFunc(time.Minute, cancel)
				return cutOff
			}
			return noFault
		}
		c := b.prepared(b.out, quick)
		if err := c.Open(); err != nil {
			t.Fatal(err)
		}
		_, err := c.Check(ctx)
		c.Close()
		wantInterrupted(t, err, "interrupted")
		if raw := b.raw(); len(raw) != 1 || raw[0] != "part-nrep-p2-1" {
			t.Fatalf("kept: %v", raw)
		}
		b.checked(quick)
		if n := len(b.fake.Jobs()[1].Cases); n != whole-1 {
			t.Errorf("the next attempt predicts %d of %d cases", n, whole)
		}
		folder, m, err := OpenResults(b.out)
		if err != nil {
			t.Fatal(err)
		}
		r, err := folder.ReadRun(protocol.ModeNREP, m.Plan.Shapes[0], 1, &m.Plan)
		if err != nil || len(r.Cases) != whole || len(r.Order) != whole {
			t.Errorf("%v, %+v", err, r)
		}
		for i, c := range r.Cases {
			if c.Plan != m.Plan.CasesOf(m.Plan.Shapes[0])[i] || len(r.Samples[i]) == 0 {
				t.Errorf("case %d: %+v with %d samples", i, c, len(r.Samples[i]))
			}
		}
		if slices.ContainsFunc(b.raw(), func(name string) bool { return strings.HasPrefix(name, "part-") }) {
			t.Errorf("the part is still there: %v", b.raw())
		}
	})
}

// An mpirun of stage 2 that is cut off twice: each attempt does the rounds that are left.
func TestWhatFinishedRoundsHaveMeasuredIsNotMeasuredAgain(t *testing.T) {
	bubble(t, func(t *testing.T, b *bed) {
		toml := strings.Replace(quick, "np = [2, 3]", "np = [2]", 1)
		for attempt := range 2 {
			ctx, cancel := context.WithCancel(t.Context())
			b.fake.Fault = func(launch int) fault {
				if launch == 3+attempt { // after two predictions
					time.AfterFunc(time.Minute, cancel)
					return cutRounds
				}
				return noFault
			}
			c := b.prepared(b.out, toml)
			if err := c.Open(); err != nil {
				t.Fatal(err)
			}
			_, err := c.Check(ctx)
			c.Close()
			wantInterrupted(t, err, "interrupted")
			if raw := b.raw(); len(raw) != 3 || raw[2] != "part-run-p2-01" {
				t.Fatalf("kept: %v", raw)
			}
		}
		j := b.checked(toml)
		jobs := b.fake.Jobs()
		whole := jobs[5] // of mpirun 2
		folder, m, err := OpenResults(b.out)
		if err != nil {
			t.Fatal(err)
		}
		r, err := folder.ReadRun(protocol.ModeMeasure, m.Plan.Shapes[0], 1, &m.Plan)
		if err != nil || len(r.Cases) != len(whole.Cases) || len(r.Order) != len(whole.Order) {
			t.Fatalf("%v, %+v", err, r)
		}
		for i, c := range r.Cases {
			if c.NRep != whole.Cases[i].NRep || len(r.Samples[i]) != c.NRep {
				t.Errorf("case %d: %d samples of %d", i, len(r.Samples[i]), whole.Cases[i].NRep)
			}
		}
		if len(r.Parts) != 2 || r.Parts[0].Rounds != 5 || r.Parts[0].Of != 10 || r.Parts[1].Rounds != 2 || r.Parts[1].Of != 5 {
			t.Errorf("parts: %+v", r.Parts)
		}
		for n, rounds := range []int{10, 5, 3} {
			if got := len(jobs[2+n].Rounds) + 1; got != rounds {
				t.Errorf("attempt %d has %d rounds, want %d", n+1, got, rounds)
			}
		}
		if slices.ContainsFunc(b.raw(), func(name string) bool { return strings.HasPrefix(name, "part-") }) {
			t.Errorf("the part is still there: %v", b.raw())
		}
		if !slices.ContainsFunc(j.Report.Warnings, func(w remark.Remark) bool { return w.ID == remark.Joined }) {
			t.Error("the report does not say so")
		}
	})
}

// Else such a check would never end.
func TestAnMpirunLongerThanABatchJobIsStartedIfItCanLeaveAPart(t *testing.T) {
	for name, c := range map[string]struct {
		more string
		job  time.Duration
		why  string // of the interruption; "": none
	}{
		"it can":              {"", 30 * time.Minute, ""},
		"nothing is finished": {"turns = 1\n", 30 * time.Minute, "an mpirun takes about 1h0m0s"},
		"nothing is sent":     {"per_rank = true\n", 30 * time.Minute, "an mpirun takes about 1h0m0s"},
		"nor with counters":   {"counters = [\"page-faults\"]\n", 30 * time.Minute, "an mpirun takes about 1h0m0s"},
		"no time for a round": {"", measure.PartTime, "an mpirun takes about 1h0m0s"},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T, b *bed) {
				toml := strings.Replace(quick, "np = [2, 3]", "np = [2]", 1) + "[measure]\nstall = \"2h\"\n" + c.more
				b.fake.Takes = time.Hour
				b.checked(toml)
				b.remove("run-p2-03")
				b.fake.Takes = time.Minute
				if err := b.inJob(toml, c.job); c.why != "" {
					wantInterrupted(t, err, c.why)
				} else if err != nil {
					t.Error(err)
				}
			})
		})
	}
}
