package check

import (
	"fmt"

	"pgmpi/analyze"
	"pgmpi/analyze/judge"
	"pgmpi/analyze/medians"
	"pgmpi/internal/document"
)

func reportMetrics(r *analyze.Report) []document.Metric {
	ratio := document.Metric{Name: "pgmpi_ratio", Help: "How many times slower the call is than what it must not be slower than."}
	violated := 0
	for i := range r.Verdicts {
		v := &r.Verdicts[i]
		if v.Verdict == judge.Violated {
			violated++
		}
		if v.Ratio != nil {
			ratio.Add(*v.Ratio, append([]document.Label{{Name: "guideline", Value: v.Guideline}}, CellLabels(v.Function, v.Msize, v.Shape)...)...)
		}
	}
	seconds := document.Metric{Name: "pgmpi_seconds", Help: "Median of the run medians of a call, in seconds."}
	for _, k := range r.Measured.Cases {
		seconds.Add(k.MedianNS/1e9, CellLabels(k.Function, k.Msize, k.Shape)...)
	}
	count := func(name, help string, n int) document.Metric {
		return document.Metric{Name: name, Help: help, Values: []document.MetricValue{{Value: float64(n)}}}
	}
	alarms := violated
	if r.Gate != nil {
		alarms = r.Gate.Alarms
	}
	yardstick := document.Metric{Name: "pgmpi_yardstick_seconds", Help: "How fast the machine was, in seconds of the median mpirun."}
	for _, s := range r.Probes {
		for _, q := range medians.ProbeQuantities {
			if ns := *s.At(q); ns > 0 {
				yardstick.Add(ns/1e9, document.Label{Name: "quantity", Value: string(q)}, document.Label{Name: "shape", Value: s.Shape})
			}
		}
	}
	all := []document.Metric{ratio, seconds,
		count("pgmpi_violated", "Tests whose guideline is violated.", violated),
		count("pgmpi_alarms", "Tests that make the check fail: new ones where there is a baseline, else all that are violated.", alarms),
		count("pgmpi_slow_mpiruns", "Mpiruns that were slower than the others throughout.", len(r.SlowMpiruns)), yardstick}
	var out []document.Metric
	for _, m := range all {
		if len(m.Values) > 0 {
			out = append(out, m)
		}
	}
	return out
}

func CellLabels(function string, msize int64, shape string) []document.Label {
	return []document.Label{{Name: "function", Value: function}, {Name: "msize", Value: fmt.Sprint(msize)}, {Name: "shape", Value: shape}}
}
