package calls

import (
	"fmt"
	"slices"

	"pgmpi/analyze/report/check"
	"pgmpi/internal/document"
	"pgmpi/internal/phrase"
	"pgmpi/internal/picture"
)

func fingerprintCounters(f *Fingerprint) []document.Section {
	t := &document.Table{Head: []string{"counter", "mean", "least", "most", "in none", "r", "read by"},
		Align: "lrrrrrl", Flex: 6}
	for _, c := range f.Counters {
		if c.Mean == nil {
			t.Add(c.Name, "-", "-", "-", "-", "-", "not read: "+c.Why)
			continue
		}
		r := "-"
		if c.R != nil {
			r = check.Correlation(*c.R)
		}
		t.Add(c.Name, phrase.Digits(*c.Mean), fmt.Sprintf("%.0f", *c.Min), fmt.Sprintf("%.0f", *c.Max),
			phrase.Percent(*c.None), r, c.From)
	}
	note := "Of a repetition with what synchronises it, at the rank that has most; in none: the share of the repetitions without any; r: the correlation with the " +
		"run-time within an mpirun, - where one of the two does not change."
	if x := f.Reading; x != nil {
		note += fmt.Sprintf(" Reading them costs: a call takes %s with them and %s without, in repetitions that alternate in parts of 25, %s as long.",
			phrase.Duration(&x.WithS), phrase.Duration(&x.WithoutS), phrase.Ratio(&x.Ratio))
	}
	out := document.Tabled(t, note, "Counters of each repetition")
	if len(out) > 0 {
		out[0].Figures = counterFigures(f)
	}
	return out
}

// counterFigures draws the run-time of each sample against its count, for the counters that change.
func counterFigures(f *Fingerprint) (out []picture.Figure) {
	for _, c := range f.Counters {
		if c.R == nil {
			continue
		}
		fig := picture.Figure{ID: picture.Anchor("counter", c.Name), Title: fmt.Sprintf("Run-time by %s", c.Name),
			X: picture.Axis{Title: c.Name + " in a repetition", Holds: []float64{0}},
			Y: picture.Axis{Title: "run-time", Scale: picture.Log, Unit: picture.Seconds},
			Text: fmt.Sprintf("Each sample by what %s has counted in it; correlation %s.", c.Name,
				check.Correlation(*c.R))}
		s := picture.Series{Name: "samples", Form: picture.Dots}
		for _, counted := range c.Runs {
			if at := slices.IndexFunc(f.Runs, func(r FingerprintRun) bool { return r.Run == counted.Run }); at >= 0 && len(counted.N) == len(f.Runs[at].NS) {
				s.Points = append(s.Points, countedPoints(&f.Runs[at], counted.N)...)
			}
		}
		if step := 1 + (len(s.Points)-1)/picture.MostPoints; step > 1 {
			var some []picture.Point
			for i := 0; i < len(s.Points); i += step {
				some = append(some, s.Points[i])
			}
			s.Points = some
			fig.Text += fmt.Sprintf(" One of %d is shown.", step)
		}
		fig.Series = []picture.Series{s}
		out = append(out, fig)
	}
	return out
}

func countedPoints(r *FingerprintRun, n []int64) (out []picture.Point) {
	for i, of := range r.Of {
		if of != "" {
			out = append(out, picture.Bare(float64(n[i]), float64(r.NS[i])/1e9))
		}
	}
	return out
}

func rankFigure(f *Fingerprint) picture.Figure {
	fig := picture.Figure{ID: picture.Anchor("by-rank", f.Function, fmt.Sprint(f.Msize), f.Shape),
		Title: fmt.Sprintf("%s at %s, %s: run-time by rank", phrase.Plain(f.Function), phrase.Size(f.Msize), f.Shape),
		X:     picture.Axis{Title: "rank", Scale: picture.Named},
		Y:     picture.Axis{Title: "by its own clock", Scale: picture.Log, Unit: picture.Seconds},
		Text:  "The median of each rank, from its lower to its upper quartile."}
	s := picture.Series{Name: "median, quartiles", Form: picture.Dots}
	for i, r := range f.ByRank {
		fig.X.Names = append(fig.X.Names, fmt.Sprint(r.Rank))
		s.Points = append(s.Points, picture.Point{X: float64(i), Y: r.MedianS, Lo: r.Q1S, Hi: r.Q3S})
	}
	fig.Series = []picture.Series{s}
	return fig
}
