package series

import (
	"pgmpi/analyze"
	"pgmpi/analyze/judge"
)

// changedGuidelines lists the tests of both folders that are violated in one
// of them only, as the case studies of S-PGMPI §5.2 and §5.3 do.
func changedGuidelines(a, b *analyze.Side) []GuidelineChange {
	out := []GuidelineChange{}
	before, now := CheckOf(a.Report, a.Name), CheckOf(b.Report, b.Name)
	for i := range before.Points {
		pa := &before.Points[i]
		pb := now.find(pa.Asked)
		if pb == nil || !alike(a, b, pa.Shape) {
			continue
		}
		change := guidelineChange(pa, pb)
		if change == "" {
			continue
		}
		asked := pa.Asked
		if pb.Verdict == judge.Violated {
			asked.MsizeOther = pb.MsizeOther
		}
		out = append(out, GuidelineChange{Change: change, Asked: asked, AVerdict: pa.Verdict, BVerdict: pb.Verdict, ARatio: pa.Ratio, BRatio: pb.Ratio})
	}
	return out
}

// guidelineChange: a test without data or with wrong data in one of the
// folders is no change.
func guidelineChange(a, b *Point) Change {
	missing := func(p *Point) bool {
		return p.Verdict == judge.NotMeasured || p.Verdict == judge.Wrong || p.Verdict == judge.Undecided && p.Reason != ""
	}
	apart := a.RatioHi95 != nil && b.RatioLo95 != nil && *b.RatioLo95 > *a.RatioHi95
	switch {
	case a.Verdict == b.Verdict || missing(a) || missing(b):
	case b.Verdict == judge.Violated && (untested(a) || !apart):
		return NewlyShown
	case b.Verdict == judge.Violated:
		return NewlyViolated
	case a.Verdict == judge.Violated && (b.Verdict == judge.Undecided || untested(b)):
		return NoLongerShown
	case a.Verdict == judge.Violated:
		return NewlyKept
	}
	return ""
}

// untested reports whether a verdict is from medians, without a test.
func untested(p *Point) bool { return p.Verdict == judge.Suspected || p.Verdict == judge.NotSuspected }
