package check

import (
	"cmp"
	"fmt"
	"slices"

	"pgmpi/analyze"
	"pgmpi/analyze/medians"
	"pgmpi/internal/conf"
	"pgmpi/internal/document"
	"pgmpi/internal/phrase"
	"pgmpi/internal/picture"
)

// A section that lists what is not a finding has at most mostRows rows, and moreRows below them.
const (
	mostRows = 12
	moreRows = "%d more are in report.json."
)

// undecided lists the tests that the data leave open: first those that are probably slower, the largest ratio first, then
// what the fewest mpiruns would decide.
func undecided(r *analyze.Report) []document.Section {
	open := byRatio(r.Where(func(v *analyze.Verdict) bool { return v.RunsNeeded != nil }))
	if len(open) == 0 {
		return nil
	}
	probable := 0
	order := func(v *analyze.Verdict) int {
		if isProbable(v) {
			return 0
		}
		return cmp.Or(v.RunsNeeded.R, v.RunsNeeded.Limit+1)
	}
	slices.SortStableFunc(open, func(a, b *analyze.Verdict) int { return order(a) - order(b) })
	for probable < len(open) && isProbable(open[probable]) {
		probable++
	}
	headline := ""
	switch n, half := open[0].RunsNeeded.R, r.RunsNeededHalf; {
	case len(open) == 1 && n > 0:
		headline = fmt.Sprintf("; R = %d mpiruns would probably decide it", n)
	case len(open) > 1 && half != nil:
		headline = fmt.Sprintf("; R = %d mpiruns would probably decide about %.0f of them", half.R, half.Decides)
	}
	s := document.Titled("Undecided: %s, neither violated nor kept is shown%s%s", conf.Plural(len(open), "test"), headline, phrase.When(probable > 0, "; probably slower: %d", probable))
	s.Table = &document.Table{Head: []string{"guideline", "shape", "msize", "now", "possible", "ratio", "95 %", "R needed", "towards"}, Align: "llrrrrlrl",
		Spare: append(spareShape(r, 1), 6), Tone: document.ToneOf(map[int]picture.Tone{5: picture.Open})}
	shown, more := phrase.First(open, mostRows, moreRows)
	for _, v := range shown {
		n := v.RunsNeeded
		s.Table.Add(v.Guideline+" "+phrase.Plain(v.Function), v.Shape, phrase.Size(v.Msize), phrase.Duration(v.MedianS), phrase.Duration(v.PossibleS()), phrase.Ratio(v.Ratio),
			phrase.Interval(v.RatioLo95, v.RatioHi95, "–"), needed(v), cmp.Or(string(n.Towards), "-"))
	}
	s.Note("R needed: a new check with that many mpiruns decides it four times in five or more, if effect and spread stay as observed. "+
		"This one had %d; a finished check is not extended.", r.R)
	note := &s.Notes[0]
	*note += phrase.When(probable > 0, " Probably slower: taken alone, with 95 %% confidence; the verdict is for all %s together, and asks for more.", conf.Plural(r.M, "test"))
	if i := slices.IndexFunc(open, func(v *analyze.Verdict) bool { return v.RunsNeeded.Test != r.Test }); i >= 0 {
		n := open[i].RunsNeeded
		*note += fmt.Sprintf(" That many mpiruns choose another test: %s.", n.Test.Title(n.R))
	}
	*note += phrase.When(more != "", " %s", more)
	return []document.Section{s}
}

// outOfSync lists the cases with samples that were left out.
func outOfSync(r *analyze.Report) []document.Section {
	worst := slices.Clone(r.OutOfSync)
	slices.SortStableFunc(worst, func(a, b medians.OutOfSync) int { return cmp.Compare(b.Share, a.Share) })
	t := &document.Table{Head: []string{"case", "shape", "msize", "samples", "started late", "took too long", "left out", ""}, Align: "llrrrrrl", Spare: append([]int{3, 5, 4}, spareShape(r, 1)...)}
	shown, more := phrase.First(worst, mostRows, moreRows)
	for _, k := range shown {
		t.Add(k.Function, k.Shape, phrase.Size(k.Msize), fmt.Sprint(k.Samples), fmt.Sprint(k.Late), fmt.Sprint(k.Long),
			fmt.Sprintf("%.1f %%", 100*k.Share), phrase.When(k.TooMany, "inconclusive"))
	}
	return document.Tabled(t, more, "Out of sync: cases with samples that were left out, %d; one with more than 25 %% of them is inconclusive", len(worst))
}

// bounds shows beside the samples what the run-times cannot exceed.
func bounds(r *analyze.Report) []document.Section {
	t := &document.Table{Head: []string{"case", "shape", "msize", "samples", "bound", "least bound"}, Align: "llrrrr", Spare: spareShape(r, 1)}
	shown, more := phrase.First(r.Bounds, mostRows, moreRows)
	for _, b := range shown {
		t.Add(phrase.Fit(phrase.Plain(b.Function), 45), b.Shape, phrase.Size(b.Msize), phrase.Duration(b.SamplesS), phrase.Duration(&b.MedianS), phrase.Duration(&b.MinS))
	}
	return document.Tabled(t, more, "Upper bounds of run-times that need no common clock, two barriers included, beside the samples")
}
