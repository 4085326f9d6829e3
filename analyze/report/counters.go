package report

import (
	"fmt"
	"slices"

	"pgmpi/analyze"
)

// fingerprintCounters are what was counted in each repetition, beside the run-time.
func fingerprintCounters(f *analyze.Fingerprint) []Section {
	t := &Table{Head: []string{"counter", "mean", "most", "in none", "r", "read by"}, Align: "lrrrrl", Flex: 5}
	for _, c := range f.Counters {
		if c.Mean == nil {
			t.Add(c.Name, "-", "-", "-", "-", "not read: "+c.Why)
			continue
		}
		r := "-"
		if c.R != nil {
			r = correlation(*c.R)
		}
		t.Add(c.Name, digits(*c.Mean), fmt.Sprintf("%.0f", *c.Max), percent(*c.None), r, c.From)
	}
	note := "Of a repetition with what synchronises it, at the rank that has most; in none: the share of the repetitions without any; r: the correlation with the " +
		"run-time within an mpirun, - where one of the two does not change."
	if x := f.Reading; x != nil {
		note += fmt.Sprintf(" Reading them costs: a call takes %s with them and %s without, in repetitions that alternate in parts of 25, %s as long.",
			Duration(&x.WithS), Duration(&x.WithoutS), Ratio(&x.Ratio))
	}
	return tabled(t, note, "Counters of each repetition")
}

// counterFigures hold the run-time of each sample against its count, for the counters that change.
func counterFigures(f *analyze.Fingerprint) (out []Figure) {
	for _, c := range f.Counters {
		if c.R == nil {
			continue
		}
		fig := Figure{ID: anchor("counter", c.Name), Title: fmt.Sprintf("Run-time by %s", c.Name), X: Axis{Title: c.Name + " in a repetition", Holds: []float64{0}},
			Y: Axis{Title: "run-time", Scale: Log, Unit: Seconds}, Text: fmt.Sprintf("Each sample by what %s has counted in it; correlation %s.", c.Name, correlation(*c.R))}
		s := Series{Name: "samples", Form: Dots}
		for _, counted := range c.Runs {
			if at := slices.IndexFunc(f.Runs, func(r analyze.FingerprintRun) bool { return r.Run == counted.Run }); at >= 0 && len(counted.N) == len(f.Runs[at].NS) {
				s.Points = append(s.Points, countedPoints(&f.Runs[at], counted.N)...)
			}
		}
		if step := 1 + (len(s.Points)-1)/mostPoints; step > 1 {
			var some []Point
			for i := 0; i < len(s.Points); i += step {
				some = append(some, s.Points[i])
			}
			s.Points = some
			fig.Text += fmt.Sprintf(" One of %d is shown.", step)
		}
		fig.Series = []Series{s}
		out = append(out, fig)
	}
	return out
}

// countedPoints are the valid samples of an mpirun over their counts.
func countedPoints(r *analyze.FingerprintRun, n []int64) (out []Point) {
	for i, of := range r.Of {
		if of != "" {
			out = append(out, bare(float64(n[i]), float64(r.NS[i])/1e9))
		}
	}
	return out
}

// rankFigure has the quartiles of what each rank took.
func rankFigure(f *analyze.Fingerprint) Figure {
	fig := Figure{ID: anchor("by-rank", f.Function, fmt.Sprint(f.Msize), f.Shape), Title: fmt.Sprintf("%s at %s, %s: run-time by rank", plain(f.Function), size(f.Msize), f.Shape),
		X: Axis{Title: "rank", Scale: Named}, Y: Axis{Title: "by its own clock", Scale: Log, Unit: Seconds}, Text: "The median of each rank, from its lower to its upper quartile."}
	s := Series{Name: "median, quartiles", Form: Dots}
	for i, r := range f.ByRank {
		fig.X.Names = append(fig.X.Names, fmt.Sprint(r.Rank))
		s.Points = append(s.Points, Point{X: float64(i), Y: r.MedianS, Lo: r.Q1S, Hi: r.Q3S})
	}
	fig.Series = []Series{s}
	return fig
}
