package check

import (
	"math"
	"slices"

	"pgmpi/analyze"
	"pgmpi/internal/document"
	"pgmpi/internal/picture"
)

// pictures has the run medians and the samples of both sides. For split the other side is all k calls together.
func pictures(e *analyze.Explanation) []document.Section {
	if e.Other == nil {
		return nil
	}
	axis := picture.Axis{Title: "run-time", Scale: picture.Log, Unit: picture.Seconds}
	middle := picture.Figure{ID: "run-medians", Title: "Run medians, one per mpirun", X: axis, Y: picture.Axis{Title: "side", Scale: picture.Named, Names: []string{"instead", "call"}},
		Text: "The test compares these."}
	all := picture.Figure{ID: "samples", Title: "All samples", X: axis, Y: picture.Axis{Title: "share that takes no longer"},
		Text: "The samples of all mpiruns after the outlier filter."}
	for i, s := range []*analyze.SideSamples{&e.Call, e.Other} {
		role := []picture.Role{picture.Call, picture.Instead}[i]
		medians, samples := picture.Series{Name: sideName(s), Role: role, Form: picture.Dots}, picture.Series{Name: sideName(s), Role: role}
		var kept []float64
		for _, r := range s.Runs {
			kept = append(kept, r.Kept...)
			if !math.IsNaN(r.RunMedian) {
				medians.Points = append(medians.Points, picture.Bare(r.RunMedian*float64(s.Calls)/1e9, float64(1-i)))
			}
		}
		if len(medians.Points) == 0 {
			return nil
		}
		slices.Sort(kept)
		const most = 100 // points
		for k := range min(len(kept), most) {
			rank := k * (len(kept) - 1) / max(1, min(len(kept), most)-1)
			samples.Points = append(samples.Points, picture.Bare(kept[rank]*float64(s.Calls)/1e9, float64(rank+1)/float64(len(kept))))
		}
		middle.Series, all.Series = append(middle.Series, medians), append(all.Series, samples)
	}
	out := document.Titled("Run medians, which the test compares, and all samples after the outlier filter")
	out.Draw(middle, all)
	return []document.Section{out}
}
