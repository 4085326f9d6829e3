package analyze

import (
	"fmt"

	"pgmpi/guidelines"
	"pgmpi/internal/conf"
)

// summarize fills Summary and Guidelines from the verdicts.
func summarize(r *Report, plan *guidelines.Plan) {
	r.Summary = []SummaryRow{}
	for _, s := range r.Shapes {
		for _, t := range []guidelines.Type{guidelines.Monotony, guidelines.Split, guidelines.Pattern} {
			if row := summaryRow(r.Verdicts, s, t); len(row.ByVerdict) > 0 {
				r.Summary = append(r.Summary, row)
			}
		}
	}
	r.Guidelines = []GuidelineRow{}
	at := map[string]int{}
	for _, g := range plan.Guidelines {
		at[g.ID+":"+g.Function] = len(r.Guidelines)
		r.Guidelines = append(r.Guidelines, GuidelineRow{Guideline: g.ID, Type: g.Type, Function: g.Function,
			Mockup: g.Mockup, Formula: g.Formula(), ByShape: map[string]map[string]int{}})
	}
	for _, v := range r.Verdicts {
		i, ok := at[v.Guideline+":"+v.Function]
		if !ok {
			continue
		}
		by := r.Guidelines[i].ByShape
		if by[v.Shape] == nil {
			by[v.Shape] = map[string]int{}
		}
		by[v.Shape][v.Verdict]++
	}
}

// summaryRow counts each function (monotony, split) or guideline (pattern)
// once over all sizes, as Table 2 of S-PGMPI does.
func summaryRow(verdicts []Verdict, s Shape, t guidelines.Type) SummaryRow {
	row := SummaryRow{Shape: s.Name, NP: s.NP, Type: t, Unit: "functions", ByVerdict: map[string]int{}}
	if t == guidelines.Pattern {
		row.Unit = "guidelines"
	}
	checked, violated, suspected := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for _, v := range verdicts {
		if v.Shape != s.Name || v.Type != t {
			continue
		}
		row.ByVerdict[v.Verdict]++
		unit := v.Function
		if t == guidelines.Pattern {
			unit = v.Guideline
		}
		switch v.Verdict {
		case NotMeasured, Wrong:
			continue
		case Violated:
			row.Tests.Violated++
			violated[unit] = true
		case Suspected:
			row.Tests.Suspected++
			suspected[unit] = true
		}
		row.Tests.Checked++
		checked[unit] = true
	}
	row.Units = Count{Checked: len(checked), Violated: len(violated), Suspected: len(suspected)}
	return row
}

// warnings collects what a reader of the verdicts should know.
func (c *Collector) warnings(r *Report) []Warning {
	out := []Warning{}
	warn := func(id, format string, args ...any) {
		out = append(out, newWarning(id, fmt.Sprintf(format, args...)))
	}
	if r.Method == MethodPaper {
		warn("paper-method", "method paper neither adjusts for m = %d tests nor asks for a minimum slowdown: "+
			"expect false violations", r.M)
	} else if r.Test == TestRankSumNormal {
		warn("normal-approximation", "with more than %d mpiruns the rank-sum p-values are from the normal approximation", exactLimit)
	}
	for _, d := range c.manifest.Factors.Remarks() {
		out = append(out, Warning{ID: string(d.ID), Text: d.Text, Remedy: d.Remedy, Docs: "docs/cluster.md#what-the-ranks-run-on"})
	}
	for _, shape := range c.manifest.Plan.Shapes {
		if len(c.manifest.Factors.Layouts) > 0 {
			break // the ranks themselves have said where they ran
		}
		if cores := c.manifest.Factors.Cores; shape.Nodes == 0 && cores > 0 && shape.NP > cores {
			warn("oversubscribed", "%s has more processes than this machine has cores (%d): its times are those of the scheduler as much as of "+
				"the library", shape, cores)
		}
	}
	if n := len(c.manifest.Events); n > 0 {
		warn("repeated", "failed mpiruns that were repeated: %d, the last one: %s", n, c.manifest.Events[n-1])
	}
	if c.zeroIQR > 0 {
		warn("iqr-zero", "%d times the quartiles of a case in an mpirun were equal, so the outlier filter kept one value only: "+
			"the clock ticks coarsely (%.0f ns) for calls this short", c.zeroIQR, 1e9*r.ClockTickS)
	}
	c.warnOfSamples(r, warn)
	if n := len(r.NotConverged); n > 0 {
		warn("nrep-not-converged", "cases that reached nrep.max or nrep.max_time before their run-time was stable: %d", n)
	}
	if r.Looks != nil && len(r.Looks.Blind) > 0 && r.Refused == nil {
		warn("blind-look", "after %v mpiruns a lone violation cannot be found yet: the smallest p-value of the test is above alpha·weight/m", r.Looks.Blind)
	}
	if n := len(r.Incomplete); n > 0 {
		warn("incomplete", "planned tests that have no verdict for lack of valid data: %d", n)
	}
	return out
}

// warnOfSamples is about what the run medians rest on.
func (c *Collector) warnOfSamples(r *Report, warn func(id, format string, args ...any)) {
	if len(r.OutOfSync) > 0 {
		invalid, total, inconclusive := 0, 0, 0
		for i := range c.cases {
			total += c.cases[i].counts().total
		}
		for _, k := range r.OutOfSync {
			invalid += k.Invalid
			if k.TooMany {
				inconclusive++
			}
		}
		warn("out-of-sync", "%d of %d samples were out of sync and left out; cases with more than %.0f %% of them are inconclusive (%d here)",
			invalid, total, 100*maxInvalid, inconclusive)
	}
	if c.drifted > 0 {
		warn("drift", "in %d mpiruns a global clock was off by more than measure.max_drift when it was synchronised again, at worst by %.3g µs",
			c.drifted, float64(c.worstDrift)/1e3)
	}
	if text := slowText(r.SlowMpiruns); text != "" {
		warn("slow-mpirun", "slower than the others throughout: %s. Such an mpirun counts like the others, and leaves small slowdowns undecided", text)
	}
	if strong := r.Dependence.Strong; len(strong) > 0 {
		worst, measured := strong[0], 0
		for i := range c.cases {
			if c.cases[i].counts().total > 0 {
				measured++
			}
		}
		for _, k := range strong {
			if k.Inefficiency > worst.Inefficiency {
				worst = k
			}
		}
		warn("dependent-samples", "in %d of %d cases the samples resemble their neighbours so much that %d of them are worth one independent sample or less "+
			"(the worst: %s at %sB on %s, where %.0f are worth one). The tests stay valid, since they compare mpiruns; but the run medians are less precise than stage 1 thought",
			len(strong), measured, strongDependence, worst.Function, conf.FormatSize(worst.Msize), worst.Shape, worst.Inefficiency)
	}
}
