package experiment_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"pgmpi/analyze"
	"pgmpi/analyze/judge"
	"pgmpi/measure/protocol"
	"pgmpi/testkit/bed"
	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

// measuring counts the mpiruns of a mode.
func measuring(b *bed.Bed, mode protocol.Mode) (jobs []protocol.Job) {
	for _, job := range b.Fake.Jobs() {
		if job.Mode == mode {
			jobs = append(jobs, job)
		}
	}
	return jobs
}

// once is bed.Nightly where violations are measured again: one look whose R is not given by itself.
var once = strings.Replace(bed.Nightly, "mpiruns = 10", "looks = [10]", 1)

func TestAGivenRIsAllThatIsMeasured(t *testing.T) {
	bed.Bubble(t, func(t *testing.T, b *bed.Bed) {
		b.Fake.Faults, b.Fake.Call = 100, bed.ReduceSlow
		j := b.Checked(strings.Replace(bed.Nightly, "alternate = false", "alternate = true", 1))
		should.Hold(t, len(b.Fake.Jobs()) == 10 && j.Report.Verdicts[0].Verdict == judge.Violated, "%d mpiruns, %+v", len(b.Fake.Jobs()), j.Report.Verdicts[0])
		should.Hold(t, slices.ContainsFunc(b.Said, func(s string) bool { return strings.Contains(s, "--looks 10 measures that too") }), "%q", b.Said)
	})
}

func TestAViolationThatDoesNotHoldCallByCallHoldsOnlyWhenRepeated(t *testing.T) {
	bed.Bubble(t, func(t *testing.T, b *bed.Bed) {
		b.Fake.Call = func(c protocol.JobCase, np int) time.Duration {
			if c.Msize == 8 && len(measuring(b, protocol.ModeAlternate)) > 0 {
				return 10 * time.Microsecond
			}
			return bed.ReduceSlow(c, np)
		}
		j := b.Checked(strings.Replace(once, "alternate = false", "alternate = true", 1))
		jobs := measuring(b, protocol.ModeAlternate)
		should.Hold(t, len(jobs) == 8 && len(jobs[0].Cases) == 4 && jobs[0].Cases[0].NRep == 200 && len(jobs[0].Order) == 2 &&
			!jobs[0].Cases[2].Turns && jobs[0].Cases[3].Turns, "%d jobs, %+v", len(jobs), jobs)
		for _, v := range j.Report.Verdicts {
			want := map[int64]judge.Verdict{8: judge.Kept, 1024: judge.Violated}[v.Msize]
			should.Hold(t, v.Verdict == judge.Violated && v.Alternating != nil && v.Alternating.Verdict == want && (v.Standing == analyze.GoneInTurns) == (want == judge.Kept),
				"%d: %s, %+v", v.Msize, v.Verdict, v.Alternating)
		}
		should.Hold(t, len(measuring(b, protocol.ModeMalloc)) == 0, "malloc without page faults")
	})
}

// A bar that counted the first stages only would fall back when the next one is planned.
func TestProgressStandsForTheStagesToComeFromItsBeginning(t *testing.T) {
	bed.Bubble(t, func(t *testing.T, b *bed.Bed) {
		b.Fake.Call = bed.ReduceSlow
		b.Checked(strings.Replace(once, "alternate = false", "alternate = true", 1))
		first, last := b.Seen[0], b.Seen[len(b.Seen)-1]
		should.Hold(t, first.All == last.All && last.Before == last.All-1 && last.Doing == "measuring violations call by call", "%+v, %+v", first, last)
	})
	bed.Bubble(t, func(t *testing.T, b *bed.Bed) {
		b.Fake.Call = func(protocol.JobCase, int) time.Duration { return 10 * time.Microsecond } // nothing is found
		b.Checked(strings.Replace(once, "alternate = false", "alternate = true", 1))
		first, last := b.Seen[0], b.Seen[len(b.Seen)-1]
		should.Hold(t, first.All == last.All && last.Before < last.All, "%+v, %+v", first, last)
	})
}

func TestAlternatingIsLeftOutWhereItIsNotWanted(t *testing.T) {
	bed.Bubble(t, func(t *testing.T, b *bed.Bed) {
		b.Fake.Call = bed.ReduceSlow
		j := b.Checked(once)
		should.Hold(t, len(measuring(b, protocol.ModeAlternate)) == 0 && j.Report.Verdicts[0].Alternating == nil, "%+v", j.Report.Verdicts[0])
	})
}

// A state that variables set is the same whatever the job asks for.
func TestNoOtherStateOfMallocIsMeasuredWhereTheEnvironmentSetsIt(t *testing.T) {
	bed.Bubble(t, func(t *testing.T, b *bed.Bed) {
		b.Fake.Faults, b.Fake.Call, b.Fake.Malloc = 100, bed.ReduceSlow, protocol.MallocByEnv
		b.Checked(once)
		should.Hold(t, len(measuring(b, protocol.ModeMalloc)) == 0, "malloc's other state")
	})
}

func TestAViolationWithPageFaultsIsMeasuredInTheOtherStateOfMalloc(t *testing.T) {
	for state, other := range map[string]string{protocol.MallocFresh: protocol.MallocSettled, protocol.MallocSettled: protocol.MallocFresh} {
		bed.Bubble(t, func(t *testing.T, b *bed.Bed) {
			b.Fake.Faults = 100
			b.Fake.Call = func(c protocol.JobCase, np int) time.Duration {
				if c.Msize == 8 && len(measuring(b, protocol.ModeMalloc)) > 0 {
					return 10 * time.Microsecond
				}
				return bed.ReduceSlow(c, np)
			}
			j := b.Checked(once + "malloc = \"" + state + "\"\n")
			jobs := measuring(b, protocol.ModeMalloc)
			must.Hold(t, len(jobs) == 8 && len(jobs[0].Cases) == 4, "%d jobs", len(jobs))
			should.Hold(t, jobs[0].Malloc == other && measuring(b, protocol.ModeMeasure)[0].Malloc == state, "%s after %s", jobs[0].Malloc, state)
			for _, v := range j.Report.Verdicts {
				want := map[int64]judge.Verdict{8: judge.Kept, 1024: judge.Violated}[v.Msize]
				should.Hold(t, v.Verdict == judge.Violated && v.OtherMalloc != nil && v.OtherMalloc.Verdict == want && v.OtherMalloc.Malloc == other && v.Standing != analyze.GoneInTurns,
					"%d: %s, %+v", v.Msize, v.Verdict, v.OtherMalloc)
			}
		})
	}
}
