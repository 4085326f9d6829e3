package main

import (
	"math"
	"testing"
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
	} {
		if got := groupedMedian(c.ns); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("%s: got %v, want %v", c.name, got, c.want)
		}
	}
}

func TestOutputWithoutEndRecordIsAnError(t *testing.T) {
	for _, out := range []string{"", "pgmpi-hello {}\n", "error no memory\n", "nonsense\n"} {
		if _, err := readOutput([]byte(out)); err == nil {
			t.Errorf("%q: no error", out)
		}
	}
}

func TestReportMarksRatiosFurtherThan3PercentFrom1(t *testing.T) {
	rows := func(v float64) [][]float64 {
		out := make([][]float64, len(cases))
		for i := range out {
			out[i] = []float64{v, v, v}
		}
		return out
	}
	for ratio, want := range map[float64]bool{1: false, 1.029: false, 0.971: false, 1.031: true, 0.96: true, math.NaN(): true} {
		if off, err := report(rows(ratio), rows(1), rows(250)); err != nil || !(off <= allowed) != want {
			t.Errorf("ratio %v: off by %v, %v, too far: want %v", ratio, off, err, want)
		}
	}
}
