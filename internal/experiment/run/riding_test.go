package run_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"pgmpi/measure/protocol"
	"pgmpi/measure/results"
	"pgmpi/testkit/bed"
	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

// suspect is bed.Looking with a split that the first look suspects.
var suspect = strings.Replace(bed.Looking, `["GL8"]`, `["GL8", "GL2:MPI_Bcast"]`, 1)

// suspected makes GL8 undecided at 1 KiB, so that the looks go on, and MPI_Bcast slow there.
func suspected(b *bed.Bed) {
	b.Undecided()
	others := b.Fake.Call
	b.Fake.Call = func(c protocol.JobCase, np int) time.Duration {
		switch {
		case c.Function != "MPI_Bcast":
			return others(c, np)
		case c.Msize == 1024:
			return 3 * time.Millisecond
		}
		return 10 * time.Microsecond
	}
}

// launches counts the mpiruns of a mode, and the riders in mpiruns of others.
func launches(b *bed.Bed, mode protocol.Mode) (own, riders int) {
	for _, j := range b.Fake.Jobs() {
		if j.Mode == mode {
			own++
		}
		for _, r := range j.Riders {
			if r.Mode == mode {
				riders++
			}
		}
	}
	return own, riders
}

func withOf(t *testing.T, b *bed.Bed, mode protocol.Mode, n int) string {
	t.Helper()
	folder := results.Folder{Path: b.Out}
	m := must.Get(folder.Manifest())(t)
	return must.Get(folder.ReadRun(mode, m.Plan.Shapes[0], n, &m.Plan))(t).With
}

func TestAFollowUpRidesInTheMpirunsAfterTheLookThatSuspectsIt(t *testing.T) {
	bed.Bubble(t, func(t *testing.T, b *bed.Bed) {
		suspected(b)
		j := b.Checked(suspect)
		own, riders := launches(b, protocol.ModeSplit)
		jobs := b.Fake.Jobs()
		must.Hold(t, riders == 4 && own == j.Report.Split.R-4 && len(jobs) == 14+own, "%d ride, %d of their own, %d mpiruns", riders, own, len(jobs))
		for i, job := range jobs[:14] {
			should.Equal(t, len(job.Riders), map[bool]int{true: 1}[i >= 10], "riders of mpirun", i+1)
		}
		rider := jobs[10].Riders[0]
		should.Hold(t, rider.Mode == protocol.ModeSplit && len(rider.Cases) == 2 && !slices.ContainsFunc(rider.Cases, func(c protocol.JobCase) bool { return c.Filler }), "%+v", rider)
		should.Equal(t, [2]string{withOf(t, b, protocol.ModeSplit, 1), withOf(t, b, protocol.ModeSplit, 5)}, [2]string{"run-p2-11.tsv.gz", ""})
		b.Remove("split-p2-02")
		b.Checked(suspect)
		should.Hold(t, len(b.Fake.Jobs()) == len(jobs)+1 && b.Fake.Jobs()[len(jobs)].Mode == protocol.ModeSplit, "resumed: %d mpiruns", len(b.Fake.Jobs()))
	})
}

func TestARiderThatDiesSpoilsNothingAndIsMeasuredByItself(t *testing.T) {
	bed.Bubble(t, func(t *testing.T, b *bed.Bed) {
		suspected(b)
		b.Fake.Fault = func(launch int) bed.Fault {
			if launch == 12 {
				return bed.RiderDies
			}
			return bed.NoFault
		}
		j := b.Checked(suspect)
		own, riders := launches(b, protocol.ModeSplit)
		should.Hold(t, riders == 2 && own == j.Report.Split.R-1 && len(b.Fake.Jobs()) == 14+own, "%d ride, %d of their own", riders, own)
		should.Hold(t, slices.ContainsFunc(b.Said, func(s string) bool {
			return strings.HasPrefix(s, "the split experiment failed in an mpirun that had its other samples")
		}), "%q", b.Said)
		should.Hold(t, slices.Contains(b.Raw(), "run-p2-12"), "%v", b.Raw())
	})
}

func TestAnInterruptInARiderKeepsWhatCameBefore(t *testing.T) {
	bed.Bubble(t, func(t *testing.T, b *bed.Bed) {
		suspected(b)
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		b.Fake.Fault = func(launch int) bed.Fault {
			if launch == 12 {
				time.AfterFunc(time.Minute, stop)
				return bed.RiderHangs
			}
			return bed.NoFault
		}
		_, err := b.Gated(ctx, suspect)
		wantInterrupted(t, err, "")
		should.Hold(t, len(b.Fake.Jobs()) == 12 && slices.Contains(b.Raw(), "run-p2-12") && !slices.Contains(b.Raw(), "split-p2-02"), "%v", b.Raw())
		b.Fake.Fault = nil
		j := b.Checked(suspect)
		own, riders := launches(b, protocol.ModeSplit)
		should.Hold(t, riders == 4 && own == j.Report.Split.R-3, "%d ride, %d of their own", riders, own)
	})
}

func TestNothingRidesWhereTheTimeIsForTheLooks(t *testing.T) {
	bed.Bubble(t, func(t *testing.T, b *bed.Bed) {
		suspected(b)
		b.Fake.Takes = 10 * time.Second
		b.Checked(strings.Replace(suspect, "[job]", "[job]\nmax_time = \"150s\"", 1))
		_, riders := launches(b, protocol.ModeSplit)
		should.Equal(t, riders, 0)
		should.Hold(t, slices.Contains(b.Raw(), "run-p2-14"), "%v", b.Raw())
	})
}

// faulting has a check whose violation has page faults.
var faulting = strings.NewReplacer("[measure]\nalternate = false\n", "", "mpiruns = 10", "looks = [10]").Replace(bed.Nightly)

func TestTheOtherStateOfMallocRidesWithTheAlternatingCalls(t *testing.T) {
	bed.Bubble(t, func(t *testing.T, b *bed.Bed) {
		b.Fake.Call, b.Fake.Faults, b.Fake.Malloc = bed.ReduceSlow, 2, protocol.MallocFresh
		b.Checked(faulting)
		own, riders := launches(b, protocol.ModeMalloc)
		alternating, _ := launches(b, protocol.ModeAlternate)
		must.Hold(t, own == 0 && riders == alternating && riders > 0 && len(b.Fake.Jobs()) == 10+riders, "%d and %d in %d", own, riders, alternating)
		job := b.Fake.Jobs()[10]
		should.Equal(t, [2]string{job.Malloc, job.Riders[0].Malloc}, [2]string{protocol.MallocFresh, protocol.MallocSettled})
		should.Equal(t, withOf(t, b, protocol.ModeMalloc, 1), "alternate-p2-01.tsv.gz")
	})
}
