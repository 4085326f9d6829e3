package run

import (
	"slices"

	"pgmpi/internal/conf"
	"pgmpi/internal/stats"
	"pgmpi/measure/results"
)

// sayCounters tells, once for each shape, which counters could not be read, and what reading
// the others costs.
func (c *Campaign) sayCounters(r *results.Run) {
	if len(r.Counters) == 0 || slices.Contains(c.counted, r.Shape) {
		return
	}
	c.counted = append(c.counted, r.Shape)
	for _, k := range r.Counters {
		if k.Why != "" {
			c.Say("note: measure.counters: %s is not read on %s: %s", k.Name, r.Shape, k.Why)
		}
	}
	var ratios []float64
	for _, k := range r.Cases {
		if k.Counting != nil {
			ratios = append(ratios, k.Counting.WithNS/k.Counting.WithoutNS)
		}
	}
	if len(ratios) > 0 {
		c.Say("note: measure.counters: on %s a call takes %.3f times as long with them as without (median of %s, in repetitions that alternate)",
			r.Shape, stats.MedianFinite(ratios), conf.Plural(len(ratios), "case"))
	}
}
