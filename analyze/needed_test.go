package analyze

import (
	"testing"

	"pgmpi/analyze/judge"
	"pgmpi/measure/protocol"
	"pgmpi/testkit/fixture"
	"pgmpi/testkit/should"
)

func TestMoreMpirunsAreNamedForTestsThatTheDataLeaveOpen(t *testing.T) {
	m := fixture.Manifest()
	runs := fixture.Measured(m, 10000, 50000, 10000, 50000, 10000, 50000)
	// GL8 at 8 B: as often slower as faster; at 64 B: slower in eight mpiruns
	// of twelve, by more than it is faster in the other four.
	for i := range runs {
		sign := int64(1 - 2*(i%2))
		shift(runs[i].Samples[2], 2000*sign+int64(7*i))
		by := int64(-9000)
		if i%3 == 2 {
			by = 500
		}
		shift(runs[i].Samples[3], by+int64(11*i))
	}
	r := analyzed(t, m, runs, judge.Default())
	open, slower, kept := &r.Verdicts[2], &r.Verdicts[3], &r.Verdicts[4]
	should.Hold(t, open.Verdict == judge.Undecided && open.RunsNeeded != nil, "%s: %+v", open.Verdict, open.RunsNeeded)
	n := slower.RunsNeeded
	should.Hold(t, slower.Verdict == judge.Undecided && n != nil && n.Towards != judge.Kept && n.R > m.R && n.R <= 100,
		"%s, ratio %g: %+v", slower.Verdict, *slower.Ratio, n)
	should.Hold(t, kept.Verdict == judge.Kept && kept.RunsNeeded == nil, "%s: %+v", kept.Verdict, kept.RunsNeeded)
	m.R = 3
	r = analyzed(t, m, runs[:3], judge.Default())
	should.Hold(t, r.Verdicts[3].RunsNeeded == nil && r.Refused != nil, "a refusal names the R itself")
}

func shift(samples []protocol.Sample, by int64) {
	for i := range samples {
		samples[i].NS += by
	}
}
