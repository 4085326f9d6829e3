package report

import (
	"fmt"
	"slices"

	"pgmpi/analyze"
	"pgmpi/analyze/medians"
)

// mostRows is the most rows of a section that lists what is not a finding.
const mostRows = 12

// undecided lists the tests that the data leave open, with the mpiruns that
// would decide them; the fewest first.
func (p *page) undecided(r *analyze.Report) {
	var open []*analyze.Verdict
	for i := range r.Verdicts {
		if v := &r.Verdicts[i]; v.RunsNeeded != nil {
			open = append(open, v)
		}
	}
	if len(open) == 0 {
		return
	}
	needed := func(v *analyze.Verdict) int {
		if v.RunsNeeded.R == 0 {
			return v.RunsNeeded.Limit + 1
		}
		return v.RunsNeeded.R
	}
	slices.SortStableFunc(open, func(a, b *analyze.Verdict) int { return needed(a) - needed(b) })
	half := ""
	if n := open[(len(open)-1)/2].RunsNeeded.R; n > 0 {
		which := "half of them"
		if len(open) == 1 {
			which = "it"
		}
		half = fmt.Sprintf("; R = %d mpiruns would probably decide %s", n, which)
	}
	p.title("Undecided: %s, neither violated nor kept is shown%s", plural(len(open), "test"), half)
	g := grid{head: []string{"guideline", "shape", "msize", "median", "other", "ratio [95 %]", "R needed", "towards"}, align: "llrrrlrl", gap: 2}
	for _, v := range open[:min(len(open), mostRows)] {
		r, towards := fmt.Sprintf("> %d", v.RunsNeeded.Limit), "-"
		if v.RunsNeeded.R > 0 {
			r, towards = fmt.Sprint(v.RunsNeeded.R), string(v.RunsNeeded.Towards)
		}
		g.rows = append(g.rows, []string{v.Guideline + " " + plain(v.Function), v.Shape, size(v.Msize), duration(v.MedianS), other(v), effect(v), r, towards})
	}
	p.grid(g)
	more := ""
	if i := slices.IndexFunc(open, func(v *analyze.Verdict) bool { return v.RunsNeeded.Test != r.Test }); i >= 0 {
		n := open[i].RunsNeeded
		more = fmt.Sprintf(" So many mpiruns choose another test: %s.", n.Test.Title(n.R))
	}
	if n := len(open) - mostRows; n > 0 {
		more += fmt.Sprintf(" %d more are in report.json.", n)
	}
	p.say("R needed: a new check with so many mpiruns decides it four times in five, if effect and spread stay as observed. This one had %d; a finished check is not extended.%s", r.R, more)
}

// outOfSync lists the cases with samples that were left out.
func (p *page) outOfSync(r *analyze.Report) {
	if len(r.OutOfSync) == 0 {
		return
	}
	worst := slices.Clone(r.OutOfSync)
	slices.SortStableFunc(worst, func(a, b medians.OutOfSync) int {
		switch {
		case a.Share > b.Share:
			return -1
		case a.Share < b.Share:
			return 1
		}
		return 0
	})
	p.title("Out of sync: cases with samples that were left out, %d; one with more than 25 %% of them is inconclusive", len(worst))
	g := grid{head: []string{"case", "shape", "msize", "samples", "started late", "took too long", "left out", ""}, align: "llrrrrrl", gap: 2}
	for _, k := range worst[:min(len(worst), mostRows)] {
		mark := ""
		if k.TooMany {
			mark = "inconclusive"
		}
		g.rows = append(g.rows, []string{k.Function, k.Shape, size(k.Msize), fmt.Sprint(k.Samples), fmt.Sprint(k.Late), fmt.Sprint(k.Long),
			fmt.Sprintf("%.1f %%", 100*k.Share), mark})
	}
	p.grid(g)
	if n := len(worst) - mostRows; n > 0 {
		p.say("%d more are in report.json.", n)
	}
}

// bounds shows beside the samples what the run-times cannot exceed.
func (p *page) bounds(r *analyze.Report) {
	if len(r.Bounds) == 0 {
		return
	}
	p.title("Upper bounds of run-times that need no common clock, two barriers included, beside the samples")
	g := grid{head: []string{"case", "shape", "msize", "samples", "bound", "least bound"}, align: "llrrrr", gap: 2}
	for _, b := range r.Bounds[:min(len(r.Bounds), mostRows)] {
		g.rows = append(g.rows, []string{fit(plain(b.Function), 45), b.Shape, size(b.Msize), duration(b.SamplesS), duration(&b.MedianS), duration(&b.MinS)})
	}
	p.grid(g)
	if n := len(r.Bounds) - mostRows; n > 0 {
		p.say("%d more are in report.json.", n)
	}
}
