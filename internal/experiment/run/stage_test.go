package run_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"pgmpi/internal/fail"
	"pgmpi/internal/reading"
	"pgmpi/internal/remark"
	"pgmpi/measure"
	"pgmpi/measure/batch"
	"pgmpi/measure/protocol"
	"pgmpi/testkit/bed"
	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

// inJob does a check in a batch job that ends after a time; 0: at a time unknown.
func inJob(b *bed.Bed, toml string, left time.Duration) error {
	b.T.Helper()
	c := b.Prepared(b.Out, toml)
	c.Job = batch.Job{ID: "17"}
	if left > 0 {
		c.Job.Ends = time.Now().Add(left)
	}
	if err := c.Open(); err != nil {
		b.T.Fatal(err)
	}
	_, err := bed.Done(b.T.Context(), c)
	return err
}

func wantInterrupted(t *testing.T, err error, why string) {
	t.Helper()
	var interrupted *fail.Interrupted
	should.Hold(t, errors.As(err, &interrupted) && strings.Contains(err.Error(), why), "%v, want an interruption: %s", err, why)
}

func TestNoMpirunIsStartedThatWouldOutliveTheBatchJob(t *testing.T) {
	bed.Bubble(t, func(t *testing.T, b *bed.Bed) {
		b.Fake.Takes = time.Minute
		wantInterrupted(t, inJob(b, bed.Quick, 4*time.Minute+30*time.Second), "batch job 17 ends at")
		should.Equal(t, len(b.Raw()), 4, "mpiruns of a minute in four and a half")
		should.Equal(t, b.Fake.Live(), 0, "launches are left")
		// The next job goes on.
		wantInterrupted(t, inJob(b, bed.Quick, 3*time.Minute+30*time.Second), "in 30s, and an mpirun takes about 1m0s")
		should.Equal(t, len(b.Raw()), 7, "mpiruns in all")
		should.Do(t, inJob(b, bed.Quick, time.Hour))
	})
}

func TestTheFirstMpirunIsStartedWhateverItTakesButNotAfterTheEnd(t *testing.T) {
	bed.Bubble(t, func(t *testing.T, b *bed.Bed) {
		b.Fake.Takes = time.Minute
		wantInterrupted(t, inJob(b, bed.Quick, 1), "is past its time limit")
		should.Equal(t, len(b.Fake.Jobs()), 1, "mpiruns")
	})
}

func TestAFailureAtTheEndOfTheBatchJobIsNotRepeated(t *testing.T) {
	for name, c := range map[string]struct {
		fault bed.Fault
		left  time.Duration
		why   string
	}{
		"Slurm refuses a step":              {bed.Refused, 0, "batch job 17 is at its end"},
		"it dies when the time limit is up": {bed.Dies, 3*time.Minute + 30*time.Second, "batch job 17 is at its end"},
	} {
		t.Run(name, func(t *testing.T) {
			bed.Bubble(t, func(t *testing.T, b *bed.Bed) {
				b.Fake.Takes = time.Minute
				b.Fake.Fault = func(launch int) bed.Fault {
					if launch < 3 {
						return bed.NoFault
					}
					b.Fake.Takes = 2 * time.Minute // the limit passes
					return c.fault
				}
				wantInterrupted(t, inJob(b, bed.Quick, c.left), c.why)
				_, m, err := reading.Open(b.Out)
				should.Hold(t, err == nil && len(m.Events) == 0 && len(b.Raw()) == 2, "%v, events %q, %d mpiruns", err, m.Events, len(b.Raw()))
			})
		})
	}
}

func TestASignalRightAfterTheRanksHaveDiedIsAnInterruption(t *testing.T) {
	bed.Bubble(t, func(t *testing.T, b *bed.Bed) {
		c := b.Prepared(b.Out, bed.Quick)
		c.Job = batch.Job{ID: "17"}
		must.Do(t, c.Open())
		defer c.Close()
		ctx, cancel := context.WithCancel(t.Context())
		b.Fake.Fault = func(launch int) bed.Fault {
			if launch == 2 {
				time.AfterFunc(500*time.Millisecond, cancel)
				return bed.Dies
			}
			return bed.NoFault
		}
		_, err := bed.Done(ctx, c)
		wantInterrupted(t, err, "interrupted")
		should.Hold(t, len(c.Manifest.Events) == 0, "%q", c.Manifest.Events)
	})
}

func TestWhatACutOffPredictionHasFinishedIsNotPredictedAgain(t *testing.T) {
	bed.Bubble(t, func(t *testing.T, b *bed.Bed) {
		whole := len(bed.New(t).Prepared(b.Out, bed.Quick).Manifest.Plan.Cases) / 2 // of a shape
		ctx, cancel := context.WithCancel(t.Context())
		b.Fake.Fault = func(launch int) bed.Fault {
			if launch == 1 {
				time.AfterFunc(time.Minute, cancel)
				return bed.CutOff
			}
			return bed.NoFault
		}
		c := b.Prepared(b.Out, bed.Quick)
		must.Do(t, c.Open())
		_, err := bed.Done(ctx, c)
		c.Close()
		wantInterrupted(t, err, "interrupted")
		raw := b.Raw()
		must.Hold(t, len(raw) == 1 && raw[0] == "part-nrep-p2-1", "kept: %v", raw)
		b.Checked(bed.Quick)
		n := len(b.Fake.Jobs()[1].Cases)
		should.Hold(t, n == whole-1, "the next attempt predicts %d of %d cases", n, whole)
		folder, m, err := reading.Open(b.Out)
		must.Do(t, err)
		r, err := folder.ReadRun(protocol.ModeNREP, m.Plan.Shapes[0], 1, &m.Plan)
		should.Hold(t, err == nil && len(r.Cases) == whole && len(r.Order) == whole, "%v, %+v", err, r)
		for i, c := range r.Cases {
			should.Hold(t, c.Plan == m.Plan.CasesOf(m.Plan.Shapes[0])[i] && len(r.Samples[i]) != 0, "case %d: %+v with %d samples", i, c, len(r.Samples[i]))
		}
		should.Hold(t, !slices.ContainsFunc(b.Raw(), func(name string) bool { return strings.HasPrefix(name, "part-") }), "the part is still there: %v", b.Raw())
	})
}

// An mpirun of stage 2 that is cut off twice: each attempt does the rounds that are left.
func TestWhatFinishedRoundsHaveMeasuredIsNotMeasuredAgain(t *testing.T) {
	bed.Bubble(t, func(t *testing.T, b *bed.Bed) {
		toml := strings.Replace(bed.Quick, "np = [2, 3]", "np = [2]", 1)
		for attempt := range 2 {
			ctx, cancel := context.WithCancel(t.Context())
			b.Fake.Fault = func(launch int) bed.Fault {
				if launch == 3+attempt { // after two predictions
					time.AfterFunc(time.Minute, cancel)
					return bed.CutRounds
				}
				return bed.NoFault
			}
			c := b.Prepared(b.Out, toml)
			must.Do(t, c.Open())
			_, err := bed.Done(ctx, c)
			c.Close()
			wantInterrupted(t, err, "interrupted")
			raw := b.Raw()
			must.Hold(t, len(raw) == 3 && raw[2] == "part-run-p2-01", "kept: %v", raw)
		}
		j := b.Checked(toml)
		jobs := b.Fake.Jobs()
		whole := jobs[5] // of mpirun 2
		folder, m, err := reading.Open(b.Out)
		must.Do(t, err)
		r, err := folder.ReadRun(protocol.ModeMeasure, m.Plan.Shapes[0], 1, &m.Plan)
		must.Hold(t, err == nil && len(r.Cases) == len(whole.Cases) && len(r.Order) == len(whole.Order), "%v, %+v", err, r)
		for i, c := range r.Cases {
			should.Hold(t, c.NRep == whole.Cases[i].NRep && len(r.Samples[i]) == c.NRep, "case %d: %d samples of %d", i, len(r.Samples[i]), whole.Cases[i].NRep)
		}
		should.Hold(t, len(r.Parts) == 2 && r.Parts[0].Rounds == 5 && r.Parts[0].Of == 10 && r.Parts[1].Rounds == 2 && r.Parts[1].Of == 5, "parts: %+v", r.Parts)
		for n, rounds := range []int{10, 5, 3} {
			got := len(jobs[2+n].Rounds) + 1
			should.Hold(t, got == rounds, "attempt %d has %d rounds, want %d", n+1, got, rounds)
		}
		should.Hold(t, !slices.ContainsFunc(b.Raw(), func(name string) bool { return strings.HasPrefix(name, "part-") }), "the part is still there: %v", b.Raw())
		should.Hold(t, slices.ContainsFunc(j.Report.Warnings, func(w remark.Remark) bool { return w.ID == remark.Joined }), "the report does not say so")
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
			bed.Bubble(t, func(t *testing.T, b *bed.Bed) {
				toml := strings.Replace(bed.Quick, "np = [2, 3]", "np = [2]", 1) + "[measure]\nstall = \"2h\"\n" + c.more
				b.Fake.Takes = time.Hour
				b.Checked(toml)
				b.Remove("run-p2-03")
				b.Fake.Takes = time.Minute
				if err := inJob(b, toml, c.job); c.why != "" {
					wantInterrupted(t, err, c.why)
				} else if err != nil {
					t.Error(err)
				}
			})
		})
	}
}
