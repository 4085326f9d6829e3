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
		change := guidelineChange(va.Verdict, vb.Verdict)
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
func guidelineChange(a, b string) string {
	tested := func(v string) bool { return v != NotMeasured && v != Wrong }
	switch {
	case a == b || !tested(a) || !tested(b):
		return ""
	case b == Violated:
		return NewlyViolated
	case a == Violated && b == Undecided:
		return NoLongerShown
	case a == Violated:
		return NewlyKept
	}
	return ""
}
