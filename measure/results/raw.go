package results

import (
	"cmp"
	"slices"

	"pgmpi/guidelines"
	"pgmpi/measure/protocol"
)

// RawSchema names the format of a raw file.
const RawSchema = "pgmpi-raw/1"

// Header is the first line of a raw file.
type Header struct {
	Schema string            `json:"schema"`
	Mode   protocol.Mode     `json:"mode"`
	Shape  guidelines.Shape  `json:"shape"`
	Run    int               `json:"run"`   // 1-based
	Seed   uint64            `json:"seed"`  // of the order in this mpirun
	Order  []int             `json:"order"` // indices into Cases, as measured
	Cases  []CaseInfo        `json:"cases"` // in Plan order
	Rank   protocol.RankInfo `json:"rank"`  // what the rank program said of itself
	// Clock is the one that timed; nil in files of older versions, which knew
	// only monotonic. Clocks are all there are, in the first mpirun of a shape.
	Clock      *protocol.ClockInfo  `json:"clock,omitempty"`
	Clocks     []protocol.ClockInfo `json:"clocks,omitempty"`
	MemoryCap  int64                `json:"memory_cap"` // bytes
	WallNS     int64                `json:"wall_ns"`    // from exec of mpirun to its end record
	LaunchNS   int64                `json:"launch_ns"`  // of that, before rank 0 got the job
	MeasureNS  int64                `json:"measure_ns"` // inside rank 0, from the first case to the last, with the readings of the yardstick
	TimedNS    int64                `json:"timed_ns"`   // of that, in untimed calls and in the timing loop
	FinishedAt string               `json:"finished_at"`
	Load       protocol.Load        `json:"load"`
	Timing     protocol.Timing      `json:"timing"`
	// Yardstick is how fast the machine was, in the order of time; absent in stage
	// 1 and in files of older versions.
	Yardstick []protocol.Yardstick `json:"yardstick,omitempty"`
}

// CaseInfo is a case of a raw file with what became of it.
type CaseInfo struct {
	Plan     int    `json:"plan"` // index into Plan.Cases
	Function string `json:"function"`
	Msize    int64  `json:"msize"`           // bytes
	Calls    int    `json:"calls,omitempty"` // calls in a row that one sample is; absent: one
	protocol.CaseResult
}

// Run is a whole raw file. Samples[i] belong to Header.Cases[i], in the order of
// the repetitions.
type Run struct {
	Header
	Samples [][]protocol.Sample
}

// Join takes in the cases of an earlier attempt at the mpirun, which came before the
// others; nil has none.
func (r *Run) Join(part *Run) {
	if part == nil {
		return
	}
	type entry struct {
		CaseInfo
		samples []protocol.Sample
		of      *Run
		at      int // its index there
	}
	var all []entry
	for _, x := range []*Run{part, r} {
		for i, c := range x.Cases {
			all = append(all, entry{c, x.Samples[i], x, i})
		}
	}
	slices.SortStableFunc(all, func(a, b entry) int { return cmp.Compare(a.Plan, b.Plan) })
	now := map[*Run]map[int]int{part: {}, r: {}} // the new index of a case
	var cases []CaseInfo
	var samples [][]protocol.Sample
	for i, e := range all {
		now[e.of][e.at] = i
		e.Case = i
		cases, samples = append(cases, e.CaseInfo), append(samples, e.samples)
	}
	var order []int
	for _, x := range []*Run{part, r} {
		for _, i := range x.Order {
			order = append(order, now[x][i])
		}
	}
	r.Cases, r.Samples, r.Order = cases, samples, order
	r.WallNS += part.WallNS
	r.LaunchNS += part.LaunchNS
}
