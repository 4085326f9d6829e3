package check

import (
	"fmt"
	"math"
	"strings"

	"pgmpi/analyze"
	"pgmpi/analyze/judge"
	"pgmpi/analyze/medians"
	"pgmpi/guidelines"
	"pgmpi/internal/document"
	"pgmpi/internal/phrase"
	"pgmpi/measure/results/imported"
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

// reportPlotted has the medians of the collectives over the mpiruns, as OSU's benchmarks print times.
func reportPlotted(r *analyze.Report) string {
	var times []imported.OSUTime
	for _, k := range r.Measured.Cases {
		if strings.HasPrefix(k.Function, "MPI_") {
			times = append(times, imported.OSUTime{Function: k.Function, Msize: k.Msize, Shape: guidelines.ShapeOf(k.Shape, k.NP), NS: k.MedianNS})
		}
	}
	return imported.OSUText(phrase.ShortVersion(r.Library.Version), times)
}

// RunMedians hold the run medians of a results folder, for programs only.
var RunMedians = document.Kind[[]medians.CaseMedians]{Name: "medians", Rows: runMedianRows,
	Sections: func(*[]medians.CaseMedians) []document.Section { return nil }}

var runMedianColumns = []string{"function", "mockup_of", "msize", "shape", "np", "mpirun", "median_s", "n", "outliers", "finished_at",
	"mode", "calls", "invalid", "page_faults", "page_faults_rank", "switches", "switches_rank"}

func runMedianRows(list *[]medians.CaseMedians) [][]string {
	out := [][]string{runMedianColumns}
	for _, k := range *list {
		for _, r := range k.Runs {
			u := r.Usage
			out = append(out, phrase.Row(k.Function, k.MockupOf, k.Msize, k.Shape, k.NP, r.Run, r.Seconds(), r.Samples-r.Outliers, r.Outliers, r.FinishedAt,
				k.Mode, k.Calls, r.Invalid, ifCounted(u, u.Faults), ifCounted(u, u.FaultsRank), ifCounted(u, u.Switches), ifCounted(u, u.SwitchesRank)))
		}
	}
	return out
}

func ifCounted(u medians.Usage, value any) any {
	if math.IsNaN(u.Faults) {
		return nil
	}
	return value
}
