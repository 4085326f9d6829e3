package main

import (
	"math"
	"testing"

	"pgmpi/measure/protocol"
	"pgmpi/testkit/should"
)

func TestGroupedMedianSharesTheTickAmongTies(t *testing.T) {
	for _, c := range []struct {
		name string
		ns   []int64
		want float64
	}{
		{"no ties", []int64{101, 200, 303}, 200},
		{"all tied but for the tick", []int64{230, 240, 240, 250}, 240},
		{"most of the ties above the middle", []int64{230, 240, 240, 240}, 235 + 10./3},
		{"unsorted", []int64{250, 230, 240, 240, 250}, 242.5},
		{"a clock of whole nanoseconds", []int64{5, 7, 7, 8}, 7},
		{"nothing", nil, math.NaN()},
	} {
		var samples []protocol.Sample
		for _, ns := range c.ns {
			samples = append(samples, protocol.Sample{NS: ns})
		}
		got := groupedMedian(samples)
		should.Hold(t, math.Abs(got-c.want) <= 1e-9 || math.IsNaN(c.want), "%s: got %v, want %v", c.name, got, c.want)
	}
}

func TestLoopMarksRatiosFurtherThan3PercentFrom1(t *testing.T) {
	for ratio, want := range map[float64]bool{1: false, 1.029: false, 0.971: false, 1.031: true, 0.96: true, math.NaN(): true} {
		got := make([]ratios, len(loopRival.cases))
		for i := range got {
			got[i] = ratios{plain: []float64{250, 250, 250}, ours: []float64{ratio, ratio, ratio}, again: []float64{1, 1, 1}}
		}
		off := loopRival.show(got)
		should.Hold(t, !(off <= loopRival.allowed) == want, "ratio %v: off by %v, too far: want %v", ratio, off, want)
	}
}
