package analyze

import (
	"cmp"
	"fmt"
	"slices"

	"pgmpi/measure/protocol"
)

// timing adds to the Report what is known of run-times without a common clock,
// and what sync = "auto" chose.
func (c *Collector) timing(r *Report) {
	for i, k := range c.manifest.Plan.Cases {
		if got := &c.cases[i]; len(got.bounds) > 0 {
			r.Bounds = append(r.Bounds, bound(CaseBound{Function: k.Function, Msize: k.Msize, Shape: k.Shape.String(), SamplesS: seconds(got.median())}, got.bounds))
		}
	}
	for _, s := range r.Shapes {
		if t := c.manifest.Timing[s.Name]; t.Why != "" {
			r.Notes = append(r.Notes, fmt.Sprintf("%s: sync = \"auto\" has chosen %s (sample = %q): %s", s.Name, t.Sync, t.Sample, t.Why))
		}
	}
}

// bound sums up the bounds of a case over mpiruns.
func bound(b CaseBound, of []protocol.Bound) CaseBound {
	var medians []float64
	least := slices.MinFunc(of, func(x, y protocol.Bound) int { return cmp.Compare(x.MinNS, y.MinNS) })
	for _, o := range of {
		medians = append(medians, float64(o.MedianNS))
	}
	b.MedianS, b.MinS = median(medians)/1e9, float64(least.MinNS)/1e9
	return b
}
