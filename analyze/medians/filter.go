package medians

import (
	"slices"

	"pgmpi/internal/stats"
	"pgmpi/measure/protocol"
)

// Filter is the outlier filter. It reuses its memory, so one Filter serves many cases, one
// after the other.
type Filter struct {
	ns, ascending []int64
	values        []float64
}

// Fences returns the fences of a case's valid samples in one mpirun, in ns, and the number of
// these samples. A valid sample beyond the fences is an outlier. Samples are sorted once, as
// integers: floats compare four times slower.
func (f *Filter) Fences(samples []protocol.Sample) (fences stats.Fences, valid int) {
	f.ns = f.ns[:0]
	for _, x := range samples {
		if x.Flags == 0 {
			f.ns = append(f.ns, x.NS)
		}
	}
	if len(f.ns) == 0 {
		return fences, 0
	}
	f.ascending = append(f.ascending[:0], f.ns...)
	slices.Sort(f.ascending)
	f.values = f.values[:0]
	for _, ns := range f.ascending {
		f.values = append(f.values, float64(ns))
	}
	return stats.FencesSorted(f.values, stats.TukeyFactor), len(f.ns)
}

// kept returns the run median of the samples that were last given to Fences, and the samples
// within the fences, in the order of measurement; the next call overwrites these.
func (f *Filter) kept(fences stats.Fences) (runMedian float64, series []float64) {
	runMedian = stats.MedianSorted(stats.TukeySorted(f.values, stats.TukeyFactor))
	f.values = f.values[:0]
	for _, ns := range f.ns {
		if v := float64(ns); fences.Lo <= v && v <= fences.Hi {
			f.values = append(f.values, v)
		}
	}
	return runMedian, f.values
}

// inOrder are the samples within the fences from the least on.
func (f *Filter) inOrder(fences stats.Fences) (ascending []float64) {
	for _, ns := range f.ascending {
		if v := float64(ns); fences.Lo <= v && v <= fences.Hi {
			ascending = append(ascending, v)
		}
	}
	return ascending
}
