package report

import (
	"cmp"
	"fmt"
	"slices"

	"pgmpi/analyze"
	"pgmpi/analyze/medians"
)

// mostRows is the most rows of a section that lists what is not a finding.
const mostRows = 12

// undecided lists the tests that the data leave open, with the mpiruns that
// would decide them; the fewest first.
func undecided(r *analyze.Report) []Section {
	var open []*analyze.Verdict
	for i := range r.Verdicts {
		if v := &r.Verdicts[i]; v.RunsNeeded != nil {
			open = append(open, v)
		}
	}
	if len(open) == 0 {
		return nil
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
	s := Titled("Undecided: %s, neither violated nor kept is shown%s", plural(len(open), "test"), half)
	s.Table = &Table{Head: []string{"guideline", "shape", "msize", "median", "other", "ratio [95 %]", "R needed", "towards"}, Align: "llrrrlrl"}
	for _, v := range open[:min(len(open), mostRows)] {
		r, towards := fmt.Sprintf("> %d", v.RunsNeeded.Limit), "-"
		if v.RunsNeeded.R > 0 {
			r, towards = fmt.Sprint(v.RunsNeeded.R), string(v.RunsNeeded.Towards)
		}
		s.Table.Add(v.Guideline+" "+plain(v.Function), v.Shape, size(v.Msize), duration(v.MedianS), other(v), effect(v), r, towards)
	}
	more := ""
	if i := slices.IndexFunc(open, func(v *analyze.Verdict) bool { return v.RunsNeeded.Test != r.Test }); i >= 0 {
		n := open[i].RunsNeeded
		more = fmt.Sprintf(" That many mpiruns choose another test: %s.", n.Test.Title(n.R))
	}
	if n := len(open) - mostRows; n > 0 {
		more += fmt.Sprintf(" %d more are in report.json.", n)
	}
	s.note("R needed: a new check with that many mpiruns decides it four times in five, if effect and spread stay as observed. This one had %d; a finished check is not extended.%s", r.R, more)
	return []Section{s}
}

// rest says how many rows a table of the first mostRows lacks.
func (s *Section) rest(rows int) []Section {
	if n := rows - mostRows; n > 0 {
		s.note("%d more are in report.json.", n)
	}
	return []Section{*s}
}

// outOfSync lists the cases with samples that were left out.
func outOfSync(r *analyze.Report) []Section {
	if len(r.OutOfSync) == 0 {
		return nil
	}
	worst := slices.Clone(r.OutOfSync)
	slices.SortStableFunc(worst, func(a, b medians.OutOfSync) int { return cmp.Compare(b.Share, a.Share) })
	s := Titled("Out of sync: cases with samples that were left out, %d; one with more than 25 %% of them is inconclusive", len(worst))
	s.Table = &Table{Head: []string{"case", "shape", "msize", "samples", "started late", "took too long", "left out", ""}, Align: "llrrrrrl"}
	for _, k := range worst[:min(len(worst), mostRows)] {
		mark := ""
		if k.TooMany {
			mark = "inconclusive"
		}
		s.Table.Add(k.Function, k.Shape, size(k.Msize), fmt.Sprint(k.Samples), fmt.Sprint(k.Late), fmt.Sprint(k.Long),
			fmt.Sprintf("%.1f %%", 100*k.Share), mark)
	}
	return s.rest(len(worst))
}

// bounds shows beside the samples what the run-times cannot exceed.
func bounds(r *analyze.Report) []Section {
	if len(r.Bounds) == 0 {
		return nil
	}
	s := Titled("Upper bounds of run-times that need no common clock, two barriers included, beside the samples")
	s.Table = &Table{Head: []string{"case", "shape", "msize", "samples", "bound", "least bound"}, Align: "llrrrr"}
	for _, b := range r.Bounds[:min(len(r.Bounds), mostRows)] {
		s.Table.Add(fit(plain(b.Function), 45), b.Shape, size(b.Msize), duration(b.SamplesS), duration(&b.MedianS), duration(&b.MinS))
	}
	return s.rest(len(r.Bounds))
}
