package results

import (
	"path/filepath"

	"pgmpi/guidelines"
	"pgmpi/measure/protocol"
)

// CountsSchema names the format of a file of counters.
const CountsSchema = "pgmpi-counters/1"

// Counts holds what counters counted in an mpirun of stage 2, at the rank with the highest
// count: N[case][counter] has the repetitions.
type Counts struct {
	Schema   string             `json:"schema"` // CountsSchema
	Shape    guidelines.Shape   `json:"shape"`
	Run      int                `json:"run"`
	Counters []protocol.Counter `json:"counters"` // those that were read
	Plan     []int              `json:"plan"`     // indices into Plan.Cases, of the cases
	NRep     []int              `json:"nrep"`     // by case
	N        [][][]int64        `json:"-"`
}

// CountsOf takes the counts of a run from what its ranks sent by case and counter, if they
// sent any.
func CountsOf(r *Run, sent map[int][][]int64) *Counts {
	if len(sent) == 0 {
		return nil
	}
	out := &Counts{Schema: CountsSchema, Shape: r.Shape, Run: r.Run}
	var read []int
	for i, c := range r.Counters {
		if c.Why == "" {
			out.Counters, read = append(out.Counters, c), append(read, i)
		}
	}
	for i, c := range r.Cases {
		if c.Status != protocol.StatusOK || len(sent[i]) != len(r.Counters) {
			continue
		}
		var n [][]int64
		for _, k := range read {
			n = append(n, sent[i][k])
		}
		out.Plan, out.NRep, out.N = append(out.Plan, c.Plan), append(out.NRep, c.NRep), append(out.N, n)
	}
	return out
}

func countsName(shape guidelines.Shape, run int) string {
	return filepath.Join(rawName, "counters-"+RawName(protocol.ModeMeasure, shape, run))
}

func (f *Folder) WriteCounts(c *Counts) error {
	return f.writeSeries(countsName(c.Shape, c.Run), c, c.NRep, c.N)
}

// CountsOfCase returns the counters of an mpirun, and their counts for a case of the
// Plan in each repetition; nil if none were read.
func (f *Folder) CountsOfCase(shape guidelines.Shape, run, plan int) ([]protocol.Counter, [][]int64, error) {
	head, all, err := f.seriesOfCase(countsName(shape, run), CountsSchema, shape, run, plan)
	if head == nil || all == nil {
		return nil, nil, err
	}
	return head.Counters[:len(all)], all, nil
}
