package analyze

import (
	"fmt"
	"math"
	"strings"

	"pgmpi/measure/results"
)

// An mpirun is slow when more than slowShare of the cases of its shape take
// slowFactor times as long as in the median mpirun. With few cases or mpiruns
// that is chance.
const (
	slowFactor = 1.2
	slowShare  = 0.3
	slowCases  = 10
	slowRuns   = 5
)

// slow fills SlowMpiruns. They stay in the data: that a library has such mpiruns is
// part of what it is, and who drops the slow ones chooses the result.
func (c *Collector) slow(r *Report) {
	for _, s := range r.Shapes {
		cases := c.manifest.Plan.CasesOf(s.Shape)
		for run := range c.manifest.Runs(results.ModeMeasure) {
			var slower []float64
			seen := 0
			for _, i := range cases {
				k := &c.cases[i]
				usual := k.median()
				if k.status != results.StatusOK || k.runs < slowRuns || run >= len(k.medians) || math.IsNaN(k.medians[run]) {
					continue
				}
				seen++
				if ratio := k.medians[run] / usual; ratio > slowFactor {
					slower = append(slower, ratio)
				}
			}
			if share := float64(len(slower)) / float64(seen); seen >= slowCases && share > slowShare {
				r.SlowMpiruns = append(r.SlowMpiruns, SlowMpirun{Shape: s.Name, Run: run + 1, Share: share, Ratio: median(slower)})
			}
		}
	}
}

// slowText names the slow mpiruns of a report; "" when there are none.
func slowText(slow []SlowMpirun) string {
	var names []string
	for _, s := range slow {
		names = append(names, fmt.Sprintf("%d of %s (%.0f %% of its cases, %.2f× in their median)", s.Run, s.Shape, 100*s.Share, s.Ratio))
	}
	return strings.Join(names, ", ")
}
