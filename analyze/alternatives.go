package analyze

import (
	"pgmpi/analyze/judge"
	"pgmpi/guidelines"
)

// alternatives names, for every cell with a finding, the fastest of what was
// measured in its place: the function's mock-ups at this size, and what the
// verdict itself compared with.
func alternatives(verdicts []Verdict) {
	type cell struct {
		function string
		msize    int64
		shape    string
	}
	mockups := map[cell]*Alternative{}
	at := func(v *Verdict) cell { return cell{v.Function, v.Msize, v.Shape} }
	for i := range verdicts {
		v := &verdicts[i]
		if v.Type == guidelines.Pattern && v.OtherMedianS != nil {
			a := &Alternative{Function: v.Mockup, Msize: v.Msize, Calls: 1, MedianS: *v.OtherMedianS}
			mockups[at(v)] = faster(mockups[at(v)], a)
		}
	}
	for i := range verdicts {
		v := &verdicts[i]
		if v.Verdict != judge.Violated && v.Verdict != judge.Suspected {
			continue
		}
		v.Alternative = mockups[at(v)]
		if v.Type != guidelines.Pattern && v.OtherMedianS != nil {
			calls := max(v.K, 1)
			own := &Alternative{Function: v.Function, Msize: v.MsizeOther, Calls: calls, MedianS: *v.OtherMedianS * float64(calls)}
			v.Alternative = faster(v.Alternative, own)
		}
	}
}

func faster(a, b *Alternative) *Alternative {
	if a == nil || b.MedianS < a.MedianS {
		return b
	}
	return a
}
