package analyze

import (
	"pgmpi/analyze/judge"
	"pgmpi/analyze/medians"
	"pgmpi/guidelines"
)

// alternatives names, for every cell with a finding, the fastest of what was
// measured in its place: the function's mock-ups at this size, and what the
// verdict itself compared with.
func alternatives(verdicts []Verdict) {
	mockups := map[medians.Cell]*Alternative{}
	for i := range verdicts {
		v := &verdicts[i]
		if v.Type == guidelines.Pattern && v.OtherMedianS != nil && !v.Tolerant {
			a := &Alternative{Function: v.Mockup, Msize: v.Msize, Calls: 1, MedianS: *v.OtherMedianS}
			mockups[v.Cell()] = faster(mockups[v.Cell()], a)
		}
	}
	for i := range verdicts {
		v := &verdicts[i]
		if v.Verdict != judge.Violated && v.Verdict != judge.Suspected && v.Verdict != judge.SeenOnce {
			continue
		}
		v.Alternative = mockups[v.Cell()]
		if v.Type != guidelines.Pattern && v.OtherMedianS != nil {
			own := &Alternative{Function: v.Function, Msize: v.MsizeOther, Calls: max(v.K, 1), MedianS: *v.AllCallsS()}
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
