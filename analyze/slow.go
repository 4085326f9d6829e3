package analyze

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"pgmpi/measure/protocol"
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
		ratios := map[int][]float64{} // by run, to the median mpiruns of the cases
		most := 0
		for _, i := range c.manifest.Plan.CasesOf(s.Shape) {
			k := &c.cases[i]
			if k.status != protocol.StatusOK || k.runs < slowRuns {
				continue
			}
			usual := k.median()
			most = max(most, len(k.medians))
			for run, m := range k.medians {
				if !math.IsNaN(m) {
					ratios[run] = append(ratios[run], m/usual)
				}
			}
		}
		for run := range most {
			slower := slices.DeleteFunc(slices.Clone(ratios[run]), func(x float64) bool { return x <= slowFactor })
			share := float64(len(slower)) / float64(len(ratios[run]))
			if len(ratios[run]) >= slowCases && share > slowShare {
				r.SlowMpiruns = append(r.SlowMpiruns, SlowMpirun{Shape: s.Name, Run: run + 1, Share: share, Ratio: median(slower)})
			}
		}
	}
}

// slowText names the slow mpiruns of a report; "" when there are none.
func slowText(slow []SlowMpirun) string {
	var names []string
	for _, s := range slow {
		names = append(names, fmt.Sprintf("mpirun %d of %s (%.0f %% of its cases, %.2f× in their median)", s.Run, s.Shape, 100*s.Share, s.Ratio))
	}
	return strings.Join(names, ", ")
}
