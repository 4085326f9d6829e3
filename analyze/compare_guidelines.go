package analyze

import "pgmpi/guidelines"

// verdictKey says that two tests ask the same. The other size belongs to it
// for monotony; for split-robustness it is part of the answer.
type verdictKey struct {
	guideline, function, mockup, shape string
	typ                                guidelines.Type
	msize, other                       int64
}

func keyOf(v *Verdict) verdictKey {
	k := verdictKey{v.Guideline, v.Function, v.Mockup, v.Shape, v.Type, v.Msize, 0}
	if v.Type == guidelines.Monotony {
		k.other = v.MsizeOther
	}
	return k
}

// compareGuidelines lists the tests of both folders that are violated in one
// of them only, as the case studies of S-PGMPI §5.2 and §5.3 do.
func (c *Comparison) compareGuidelines(a, b *Side) {
	inB := map[verdictKey]*Verdict{}
	for i := range b.report.Verdicts {
		v := &b.report.Verdicts[i]
		inB[keyOf(v)] = v
	}
	for i := range a.report.Verdicts {
		va := &a.report.Verdicts[i]
		vb, ok := inB[keyOf(va)]
		if !ok {
			continue
		}
		change := guidelineChange(va, vb)
		if change == "" {
			continue
		}
		other := va.MsizeOther
		if vb.Verdict == Violated {
			other = vb.MsizeOther
		}
		c.Guidelines = append(c.Guidelines, GuidelineChange{Change: change, Guideline: va.Guideline, Type: va.Type,
			Function: va.Function, Mockup: va.Mockup, Msize: va.Msize, MsizeOther: other, Shape: va.Shape,
			AVerdict: va.Verdict, BVerdict: vb.Verdict, ARatio: va.Ratio, BRatio: vb.Ratio})
	}
}

// guidelineChange: a test without data or with wrong data in one of the
// folders is no change.
func guidelineChange(a, b *Verdict) string {
	untested := func(v *Verdict) bool {
		return v.Verdict == NotMeasured || v.Verdict == Wrong || v.Verdict == Undecided && v.Reason != ""
	}
	switch {
	case a.Verdict == b.Verdict || untested(a) || untested(b):
		return ""
	case b.Verdict == Violated && a.Verdict == Undecided && !apart(a, b):
		return NewlyShown
	case b.Verdict == Violated:
		return NewlyViolated
	case a.Verdict == Violated && (b.Verdict == Undecided || b.Verdict == Suspected):
		return NoLongerShown
	case a.Verdict == Violated:
		return NewlyKept
	}
	return ""
}

// apart tells whether the ratio's 95 % interval in b lies above that in a.
func apart(a, b *Verdict) bool {
	return a.RatioHi95 != nil && b.RatioLo95 != nil && *b.RatioLo95 > *a.RatioHi95
}
