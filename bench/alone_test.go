package main

import (
	"testing"

	"pgmpi/analyze"
	"pgmpi/analyze/judge"
	"pgmpi/guidelines"
	"pgmpi/testkit/should"
)

func effect(ratio, lo, hi float64) analyze.Effect {
	return analyze.Effect{Ratio: &ratio, RatioLo95: &lo, RatioHi95: &hi}
}

func TestConditionsAreComparedWhereBothChecksHaveThem(t *testing.T) {
	both := analyze.Verdict{Tested: analyze.Tested{Effect: effect(2, 1.9, 2.1)}, Alternating: &analyze.Elsewhere{Alone: analyze.Alone{Effect: effect(1.2, 1.1, 1.3)}}}
	other := analyze.Verdict{Tested: analyze.Tested{Effect: effect(1, .99, 1.01)}}
	pairs := map[string]*agreement{}
	compareConditions(pairs, "a and b", &both, &both)
	compareConditions(pairs, "a and b", &both, &other)
	compareConditions(pairs, "a and b", &both, nil)
	should.Equal(t, *pairs["repeated, a and b"], agreement{1, 2}, "repeated")
	should.Equal(t, *pairs["alternating, a and b"], agreement{1, 1}, "alternating")
}

func TestViolatedPatternsAreMeasuredAloneFirst(t *testing.T) {
	var verdicts []analyze.Verdict
	for i := range 9 {
		v := analyze.Verdict{Type: guidelines.Pattern, Verdict: judge.Kept, Msize: int64(i), Tested: analyze.Tested{Effect: effect(1, 1, 1)}}
		switch i {
		case 4, 7:
			v.Verdict = judge.Violated
		case 8:
			v.Type = guidelines.Monotony
		}
		verdicts = append(verdicts, v)
	}
	var sizes []int64
	for _, v := range aloneCells(verdicts, 4) {
		sizes = append(sizes, v.Msize)
	}
	should.Equal(t, sizes, []int64{4, 7, 0, 3}, "sizes")
}
