package series

import (
	"pgmpi/analyze"
	"pgmpi/analyze/judge"
	"pgmpi/guidelines"
)

// question is what a test asks. The other size belongs to it for monotony; for
// split-robustness it is part of the answer.
type question struct {
	guideline        string
	typ              guidelines.Type
	function, mockup string
	msize, other     int64
	shape            string
}

func questionOf(v *analyze.Verdict) question {
	q := question{guideline: v.Guideline, typ: v.Type, function: v.Function, mockup: v.Mockup, msize: v.Msize, shape: v.Shape}
	if v.Type == guidelines.Monotony {
		q.other = v.MsizeOther
	}
	return q
}

// changedGuidelines lists the tests of both folders that are violated in one
// of them only, as the case studies of S-PGMPI §5.2 and §5.3 do.
func changedGuidelines(a, b *analyze.Side) []GuidelineChange {
	out := []GuidelineChange{}
	inB := map[question]*analyze.Verdict{}
	for i := range b.Report.Verdicts {
		v := &b.Report.Verdicts[i]
		inB[questionOf(v)] = v
	}
	for i := range a.Report.Verdicts {
		va := &a.Report.Verdicts[i]
		vb, ok := inB[questionOf(va)]
		if !ok || !alike(a, b, va.Shape) {
			continue
		}
		change := guidelineChange(va, vb)
		if change == "" {
			continue
		}
		other := va.MsizeOther
		if vb.Verdict == judge.Violated {
			other = vb.MsizeOther
		}
		out = append(out, GuidelineChange{Change: change, Guideline: va.Guideline, Type: va.Type,
			Function: va.Function, Mockup: va.Mockup, Msize: va.Msize, MsizeOther: other, Shape: va.Shape,
			AVerdict: va.Verdict, BVerdict: vb.Verdict, ARatio: va.Ratio, BRatio: vb.Ratio})
	}
	return out
}

// guidelineChange: a test without data or with wrong data in one of the
// folders is no change.
func guidelineChange(a, b *analyze.Verdict) Change {
	missing := func(v *analyze.Verdict) bool {
		return v.Verdict == judge.NotMeasured || v.Verdict == judge.Wrong || v.Verdict == judge.Undecided && v.Reason != ""
	}
	switch {
	case a.Verdict == b.Verdict || missing(a) || missing(b):
	case b.Verdict == judge.Violated && (untested(a) || !apart(a, b)):
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

// untested tells whether a verdict is from medians, without a test.
func untested(v *analyze.Verdict) bool {
	return v.Verdict == judge.Suspected || v.Verdict == judge.NotSuspected
}

// apart tells whether the ratio's 95 % interval in b lies above that in a.
func apart(a, b *analyze.Verdict) bool {
	return a.RatioHi95 != nil && b.RatioLo95 != nil && *b.RatioLo95 > *a.RatioHi95
}
