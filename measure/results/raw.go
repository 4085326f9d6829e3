package results

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"pgmpi/guidelines"
	"pgmpi/measure/protocol"
)

const RawSchema = "pgmpi-raw/1"

type Header struct {
	Schema string            `json:"schema"`
	Mode   protocol.Mode     `json:"mode"`
	Shape  guidelines.Shape  `json:"shape"`
	Run    int               `json:"run"`   // 1-based
	Seed   uint64            `json:"seed"`  // of the order in this mpirun
	Order  []int             `json:"order"` // indices into Cases, as measured
	Cases  []CaseInfo        `json:"cases"` // in Plan order
	Rank   protocol.RankInfo `json:"rank"`  // as the rank program reports itself
	// Clock timed the run; nil in files of older versions, which knew only monotonic.
	// Clocks lists all of them, in the first mpirun of a shape.
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
	// Predictions counts the predictions of stage 1 that one mpirun has made, where starting
	// takes long; absent means one.
	Predictions int `json:"predictions,omitempty"`
	// Probes has the speed of the machine, in the order of time; absent in stage 1 and in
	// files of older versions.
	Probes   []protocol.Probes  `json:"yardstick,omitempty"`
	Counters []protocol.Counter `json:"counters,omitempty"` // that were asked for
	// Parts are mpiruns that were cut off and have made the first samples of the file,
	// in the order of time; absent if one mpirun has made them all, and in stage 1.
	Parts []Part `json:"parts,omitempty"`
}

// Part describes the whole rounds of visits of an mpirun that was cut off.
type Part struct {
	Rounds     int    `json:"rounds"` // that it has finished
	Of         int    `json:"of"`     // that there were to do
	WallNS     int64  `json:"wall_ns"`
	FinishedAt string `json:"finished_at"` // RFC 3339, UTC
	Host       string `json:"host"`        // of rank 0
}

func (h *Header) Predicted() int { return h.Run - 1 + max(1, h.Predictions) }

func (h *Header) RoundsLeft() int {
	if len(h.Parts) == 0 {
		return 0
	}
	last := h.Parts[len(h.Parts)-1]
	return max(0, last.Of-last.Rounds)
}

type CaseInfo struct {
	Plan     int    `json:"plan"` // index into Plan.Cases
	Function string `json:"function"`
	Msize    int64  `json:"msize"`           // bytes
	Calls    int    `json:"calls,omitempty"` // calls in a row that one sample times; absent means one
	protocol.CaseResult
}

// Run is a whole raw file. Samples[i] are the repetitions of Header.Cases[i], in order.
type Run struct {
	Header
	Samples [][]protocol.Sample
}

// Join takes in the part that an earlier attempt at the mpirun has left, if any: cases of
// their own, or the first samples of cases.
func (r *Run) Join(part *Run) {
	if part == nil {
		return
	}
	type entry struct {
		CaseInfo
		samples []protocol.Sample
	}
	key := func(c CaseInfo) [2]int { return [2]int{c.Plan, c.Calls} }
	var all []entry
	where := map[[2]int]int{}
	for _, x := range []*Run{part, r} {
		for i, c := range x.Cases {
			if at, both := where[key(c)]; both {
				all[at] = entry{all[at].and(c), slices.Concat(all[at].samples, x.Samples[i])}
				continue
			}
			where[key(c)] = len(all)
			all = append(all, entry{c, x.Samples[i]})
		}
	}
	slices.SortStableFunc(all, func(a, b entry) int { return cmp.Compare(a.Plan, b.Plan) })
	joined := Run{Header: r.Header}
	joined.Cases, joined.Order = nil, nil
	for i, e := range all {
		if e.Status != protocol.StatusOK {
			e.samples = nil
		}
		e.Case, e.NRep = i, len(e.samples)
		e.Count(e.samples)
		where[key(e.CaseInfo)] = i
		joined.Cases, joined.Samples = append(joined.Cases, e.CaseInfo), append(joined.Samples, e.samples)
	}
	for _, x := range []*Run{part, r} {
		for _, i := range x.Order {
			joined.Order = append(joined.Order, where[key(x.Cases[i])])
		}
	}
	joined.Parts = slices.Concat(part.Parts, r.Parts)
	joined.Predictions = min(part.Predictions, r.Predictions)
	joined.WallNS += part.WallNS
	joined.LaunchNS += part.LaunchNS
	*r = joined
}

// and returns the result of a case in this part and a later one; a failure in either counts.
func (c CaseInfo) and(later CaseInfo) CaseInfo {
	if c.Status != protocol.StatusOK {
		return c
	}
	if c.Usage == nil { // the kernel's counts come with the last round only
		later.Usage = nil
	}
	return later
}

// Possible returns an error for a run-time that is longer than its mpirun.
func (r *Run) Possible(s protocol.Sample) error {
	if r.WallNS > 0 && s.NS > r.WallNS {
		return fmt.Errorf("a call that took %v, in an mpirun of %v", time.Duration(s.NS), time.Duration(r.WallNS))
	}
	return nil
}
