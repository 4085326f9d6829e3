package check

import (
	"math"
	"slices"

	"pgmpi/analyze"
	"pgmpi/internal/document"
	"pgmpi/internal/phrase"
	"pgmpi/internal/picture"
)

// pictures draws the run medians and the samples of both sides on one axis.
// For split the other side is all k calls together.
func pictures(e *analyze.Explanation) []document.Section {
	if e.Other == nil {
		return nil
	}
	medians, samples := [2][]float64{}, [2][]float64{}
	for i, s := range []*analyze.SideSamples{&e.Call, e.Other} {
		for _, r := range s.Runs {
			for _, t := range r.Kept {
				samples[i] = append(samples[i], t*float64(s.Calls))
			}
			if !math.IsNaN(r.RunMedian) {
				medians[i] = append(medians[i], r.RunMedian*float64(s.Calls))
			}
		}
	}
	if len(medians[0]) == 0 || len(medians[1]) == 0 {
		return nil
	}
	// Lines are indented by 3, and labels want room at the end.
	axisOf := func(width int) picture.TextAxis {
		return picture.NewTextAxis(slices.Concat(medians[0], medians[1], samples[0], samples[1]), width-8)
	}
	names := [2]string{sideName(&e.Call), sideName(e.Other)}
	of := document.Titled("Run medians, one per mpirun; the test compares these%s", phrase.When(axisOf(document.UsualWidth).Logarithmic, " (logarithmic axis)"))
	all := document.Titled("All samples after the outlier filter, %d and %d; the same axis, each side to its own height", len(samples[0]), len(samples[1]))
	draw(&of, axisOf, names, medians, 1)
	draw(&all, axisOf, names, samples, 3)
	return []document.Section{of, all}
}

func draw(s *document.Section, axisOf func(width int) picture.TextAxis, names [2]string, times [2][]float64, rows int) {
	s.Say("%s", names[0])
	s.Drawing(func(width int) []string { return axisOf(width).Histogram(times[0], rows) })
	s.Say("%s", names[1])
	s.Drawing(func(width int) []string {
		a := axisOf(width)
		rule, labels := a.Ruler()
		return append(a.Histogram(times[1], rows), rule, labels)
	})
}
