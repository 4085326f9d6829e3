package report

import (
	"cmp"
	"fmt"
	"slices"

	"pgmpi/analyze"
	"pgmpi/analyze/medians"
	"pgmpi/internal/conf"
)

// A section that lists what is not a finding has at most mostRows rows, and moreRows below them.
const (
	mostRows = 12
	moreRows = "%d more are in report.json."
)

// undecided lists the tests that the data leave open, but those that are probably slower: what
// the fewest mpiruns would decide first.
func undecided(r *analyze.Report) []Section {
	open := those(r.Verdicts, func(v *analyze.Verdict) bool { return v.RunsNeeded != nil && !isProbable(v) })
	if len(open) == 0 {
		return nil
	}
	order := func(v *analyze.Verdict) int { return cmp.Or(v.RunsNeeded.R, v.RunsNeeded.Limit+1) }
	slices.SortStableFunc(open, func(a, b *analyze.Verdict) int { return order(a) - order(b) })
	headline := ""
	switch n, half := open[0].RunsNeeded.R, r.RunsNeededHalf; {
	case len(open) == 1 && n > 0:
		headline = fmt.Sprintf("; R = %d mpiruns would probably decide it", n)
	case len(open) > 1 && half != nil:
		headline = fmt.Sprintf("; R = %d mpiruns would probably decide about %.0f of them", half.R, half.Decides)
	}
	s := Titled("Undecided: %s, neither violated nor kept is shown%s", conf.Plural(len(open), "test"), headline)
	s.Table = &Table{Head: []string{"guideline", "shape", "msize", "median", "other", "ratio", "95 %", "R needed", "towards"}, Align: "llrrrrlrl",
		Spare: append(spareShape(r, 1), 6), Tone: toneOf(map[int]Tone{5: Open})}
	shown, more := first(open, mostRows, moreRows)
	for _, v := range shown {
		n := v.RunsNeeded
		s.Table.Add(v.Guideline+" "+plain(v.Function), v.Shape, size(v.Msize), Duration(v.MedianS), Duration(v.AllCallsS()), ratioOf(v),
			interval(v.RatioLo95, v.RatioHi95, "–"), needed(v), cmp.Or(string(n.Towards), "-"))
	}
	s.note("R needed: a new check with that many mpiruns decides it four times in five or more, if effect and spread stay as observed. "+
		"This one had %d; a finished check is not extended.", r.R)
	note := &s.Notes[0]
	if i := slices.IndexFunc(open, func(v *analyze.Verdict) bool { return v.RunsNeeded.Test != r.Test }); i >= 0 {
		n := open[i].RunsNeeded
		*note += fmt.Sprintf(" That many mpiruns choose another test: %s.", n.Test.Title(n.R))
	}
	*note += when(more != "", " %s", more)
	return []Section{s}
}

// outOfSync lists the cases with samples that were left out.
func outOfSync(r *analyze.Report) []Section {
	worst := slices.Clone(r.OutOfSync)
	slices.SortStableFunc(worst, func(a, b medians.OutOfSync) int { return cmp.Compare(b.Share, a.Share) })
	t := &Table{Head: []string{"case", "shape", "msize", "samples", "started late", "took too long", "left out", ""}, Align: "llrrrrrl", Spare: append([]int{3, 5, 4}, spareShape(r, 1)...)}
	shown, more := first(worst, mostRows, moreRows)
	for _, k := range shown {
		t.Add(k.Function, k.Shape, size(k.Msize), fmt.Sprint(k.Samples), fmt.Sprint(k.Late), fmt.Sprint(k.Long),
			fmt.Sprintf("%.1f %%", 100*k.Share), when(k.TooMany, "inconclusive"))
	}
	return tabled(t, more, "Out of sync: cases with samples that were left out, %d; one with more than 25 %% of them is inconclusive", len(worst))
}

// bounds shows beside the samples what the run-times cannot exceed.
func bounds(r *analyze.Report) []Section {
	t := &Table{Head: []string{"case", "shape", "msize", "samples", "bound", "least bound"}, Align: "llrrrr", Spare: spareShape(r, 1)}
	shown, more := first(r.Bounds, mostRows, moreRows)
	for _, b := range shown {
		t.Add(fit(plain(b.Function), 45), b.Shape, size(b.Msize), Duration(b.SamplesS), Duration(&b.MedianS), Duration(&b.MinS))
	}
	return tabled(t, more, "Upper bounds of run-times that need no common clock, two barriers included, beside the samples")
}
