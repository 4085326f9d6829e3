package report

import (
	"fmt"

	"pgmpi/analyze"
	"pgmpi/analyze/judge"
	"pgmpi/analyze/medians"
)

// reportMetrics are what one draws over the nights. A metric without a value is left out.
func reportMetrics(r *analyze.Report) []Metric {
	ratio := Metric{Name: "pgmpi_ratio", Help: "How many times slower the call is than what it must not be slower than."}
	violated := 0
	for i := range r.Verdicts {
		v := &r.Verdicts[i]
		if v.Verdict == judge.Violated {
			violated++
		}
		if v.Ratio != nil {
			ratio.add(*v.Ratio, append([]Label{{"guideline", v.Guideline}}, cellLabels(v.Function, v.Msize, v.Shape)...)...)
		}
	}
	seconds := Metric{Name: "pgmpi_seconds", Help: "Median of the run medians of a call, in seconds."}
	for _, k := range r.Measured.Cases {
		seconds.add(k.MedianNS/1e9, cellLabels(k.Function, k.Msize, k.Shape)...)
	}
	count := func(name, help string, n int) Metric {
		return Metric{Name: name, Help: help, Values: []MetricValue{{Value: float64(n)}}}
	}
	alarms := violated
	if r.Gate != nil {
		alarms = r.Gate.Alarms
	}
	yardstick := Metric{Name: "pgmpi_yardstick_seconds", Help: "How fast the machine was, in seconds of the median mpirun."}
	for _, s := range r.Yardstick {
		for _, q := range medians.Yardsticks {
			if ns := *s.At(q); ns > 0 {
				yardstick.add(ns/1e9, Label{"quantity", string(q)}, Label{"shape", s.Shape})
			}
		}
	}
	all := []Metric{ratio, seconds,
		count("pgmpi_violated", "Tests whose guideline is violated.", violated),
		count("pgmpi_alarms", "Tests that make the check fail: new ones where there is a baseline, else all that are violated.", alarms),
		count("pgmpi_slow_mpiruns", "Mpiruns that were slower than the others throughout.", len(r.SlowMpiruns)), yardstick}
	var out []Metric
	for _, m := range all {
		if len(m.Values) > 0 {
			out = append(out, m)
		}
	}
	return out
}

func cellLabels(function string, msize int64, shape string) []Label {
	return []Label{{"function", function}, {"msize", fmt.Sprint(msize)}, {"shape", shape}}
}
