package medians

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strconv"

	"pgmpi/guidelines"
	"pgmpi/internal/lists"
	"pgmpi/internal/stats"
	"pgmpi/measure/protocol"
	"pgmpi/measure/results"
)

// Quantity names a reading that tells states of the machine apart.
type Quantity string

const (
	ByLine        Quantity = "cache-line round trip"
	ByCases       Quantity = "all cases" // how slow an mpirun was in general
	ByPingPong8   Quantity = "ping-pong of 8 B"
	ByPingPong64K Quantity = "ping-pong of 64 KiB"
	ByMemcpy      Quantity = "memcpy"
	ByReduceLocal Quantity = "MPI_Reduce_local"
)

// State describes a state of the machine: the mpiruns of a shape that were about equally fast, and
// apart from the others (docs/dev/statistics.md).
type State struct {
	Shape   string   `json:"shape"`
	Name    string   `json:"name"`    // 1, 2, …, from the fastest
	Mpiruns []int    `json:"mpiruns"` // from 1
	Ratio   *float64 `json:"ratio"`   // steady mpiruns: how many times slower than the first state's; null if unknown
	By      Quantity `json:"by"`      // told it from the others
	Speed            // in its median mpirun
	Changed []int    `json:"changed,omitempty"` // its mpiruns with readings that belong to another state
}

// Fastest names the first state of a shape.
const Fastest = "1"

// Steady returns the mpiruns that stayed in the state from first to last reading.
func (s *State) Steady() []int {
	return slices.DeleteFunc(slices.Clone(s.Mpiruns), func(run int) bool { return slices.Contains(s.Changed, run) })
}

// Speed holds a reading of the yardstick, in nanoseconds; 0 where it was not read.
type Speed struct {
	LineNS        float64 `json:"line_ns,omitempty"`
	MemcpyNS      float64 `json:"memcpy_ns,omitempty"`
	ReduceLocalNS float64 `json:"reduce_local_ns,omitempty"`
	PingPong8NS   float64 `json:"pingpong_8_ns,omitempty"`
	PingPong64KNS float64 `json:"pingpong_64k_ns,omitempty"`
}

var ProbeQuantities = []Quantity{ByLine, ByPingPong8, ByPingPong64K, ByMemcpy, ByReduceLocal}

// At returns the field of a quantity, or nil for ByCases.
func (s *Speed) At(q Quantity) *float64 {
	return map[Quantity]*float64{ByLine: &s.LineNS, ByPingPong8: &s.PingPong8NS, ByPingPong64K: &s.PingPong64KNS,
		ByMemcpy: &s.MemcpyNS, ByReduceLocal: &s.ReduceLocalNS}[q]
}

// middle returns the median reading of each quantity: for an even number the lower one of
// the middle two, since the mean of two states is in neither.
func middle(of []Speed) (out Speed) {
	for _, q := range ProbeQuantities {
		var values []float64
		for _, s := range of {
			if v := *s.At(q); v > 0 {
				values = append(values, v)
			}
		}
		if len(values) > 0 {
			slices.Sort(values)
			*out.At(q) = values[(len(values)-1)/2]
		}
	}
	return out
}

func (s *Set) Speed(shape guidelines.Shape) Speed { return median(s.readings[shape.String()]) }

// SpeedAgain returns Speed in the confirmation.
func (s *Set) SpeedAgain(shape guidelines.Shape) Speed { return median(s.again[shape.String()]) }

func median(byRun map[int][]Speed) Speed {
	return middle(lists.Map(slices.Collect(maps.Values(byRun)), middle))
}

func put(readings map[string]map[int][]Speed, run *results.Run) {
	shape := run.Shape.String()
	if readings[shape] == nil {
		readings[shape] = map[int][]Speed{}
	}
	for _, y := range run.Probes {
		readings[shape][run.Run] = append(readings[shape][run.Run], Speed{y.LineNS, y.MemcpyNS, y.ReduceLocalNS, y.PingPong8NS, y.PingPong64KNS})
	}
}

// rule says when two groups of mpiruns are two states: their medians differ by the factor apart,
// and the gap between them is at least the factor gap, and `spreads` times as wide as the values of
// either spread. Both rules were chosen by simulation (docs/dev/statistics.md).
type rule struct{ apart, gap, spreads float64 }

var (
	casesRule = rule{apart: 1.2, gap: 1.1, spreads: 3.5}
	probeRule = rule{apart: 1.5, gap: 1.5, spreads: 2}
)

const (
	mostStates = 3
	// One mpirun in lonely may belong to no state: a slow mpirun alone makes no state.
	lonely = 10
)

// States returns the states of a shape, the fastest first, or nil for one.
func (s *Set) States(shape guidelines.Shape) []State {
	general := s.LastGeneral(shape)
	speeds := make([]Speed, min(max(s.manifest.Runs(protocol.ModeMeasure), 0), results.MaxMPIRuns))
	for i := range speeds {
		speeds[i] = middle(s.readings[shape.String()][i+1])
	}
	for _, q := range slices.Insert(slices.Clone(ProbeQuantities), 1, ByCases) {
		values, by := general, casesRule
		if q != ByCases {
			values, by = nil, probeRule
			for i := range speeds {
				values = append(values, *speeds[i].At(q))
			}
		}
		groups := by.groups(values)
		var out []State
		for i, g := range groups {
			state := State{Shape: shape.String(), Name: strconv.Itoa(i + 1), By: q}
			var of []Speed
			for _, run := range g {
				state.Mpiruns, of = append(state.Mpiruns, run+1), append(of, speeds[run])
			}
			state.Speed = middle(of)
			out = append(out, state)
		}
		if len(out) > 0 {
			s.changed(out, values)
			for i := range out {
				out[i].Ratio = slower(general, out[i].Steady(), out[0].Steady())
			}
			return out
		}
	}
	return nil
}

// slower returns how many times slower these mpiruns were in general than others. It returns nil if
// that is unknown of either.
func slower(general []float64, these, others []int) *float64 {
	usual := func(of []int) float64 {
		var known []float64
		for _, run := range of {
			if run <= len(general) {
				known = append(known, general[run-1])
			}
		}
		return stats.MedianFinite(known)
	}
	if ratio := usual(these) / usual(others); !math.IsNaN(ratio) && !math.IsInf(ratio, 0) {
		return &ratio
	}
	return nil
}

// changed finds the mpiruns of each state with readings of another state. Such readings lie beyond
// the middle of the gap.
func (s *Set) changed(states []State, values []float64) {
	if states[0].By == ByCases {
		return
	}
	var between []float64
	for i := range states[1:] {
		below, above := 0.0, math.Inf(1)
		for _, run := range states[i].Mpiruns {
			below = max(below, values[run-1])
		}
		for _, run := range states[i+1].Mpiruns {
			above = min(above, values[run-1])
		}
		between = append(between, math.Sqrt(below)*math.Sqrt(above))
	}
	for i := range states {
		for _, run := range states[i].Mpiruns {
			if slices.ContainsFunc(s.readings[states[i].Shape][run], func(speed Speed) bool {
				v := *speed.At(states[i].By)
				return v > 0 && (i > 0 && v < between[i-1] || i < len(between) && v > between[i])
			}) {
				states[i].Changed = append(states[i].Changed, run)
			}
		}
	}
}

// groups returns the states of mpiruns with these values, by index, the fastest first. A value that
// is not positive is unknown.
func (r rule) groups(values []float64) (best [][]int) {
	var order []int
	for i, v := range values {
		if v > 0 {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(values[i], values[j]) })
	logs := lists.Map(order, func(i int) float64 { return math.Log(values[i]) })
	widest := make([]int, max(0, len(order)-1)) // gaps, by the index after them
	for i := range widest {
		widest[i] = i + 1
	}
	slices.SortStableFunc(widest, func(i, j int) int { return cmp.Compare(logs[j]-logs[j-1], logs[i]-logs[i-1]) })
	alone := len(order) / lonely
	for cuts := 1; cuts <= min(len(widest), mostStates-1+alone); cuts++ {
		at := slices.Sorted(slices.Values(widest[:cuts]))
		at = append(append([]int{0}, at...), len(order))
		if states, ok := r.states(logs, at, alone); ok && len(states) > max(1, len(best)) && len(states) <= mostStates {
			best = lists.Map(states, func(s [2]int) []int { return slices.Sorted(slices.Values(order[s[0]:s[1]])) })
		}
	}
	return best
}

// states returns the parts between the cuts with at least two values. ok tells that the rule holds
// at every cut.
func (r rule) states(logs []float64, at []int, alone int) (out [][2]int, ok bool) {
	last := math.Inf(-1)
	for i := range len(at) - 1 {
		part := logs[at[i]:at[i+1]]
		if i > 0 {
			before := logs[at[i-1]:at[i]]
			if gap := part[0] - before[len(before)-1]; gap < math.Log(r.gap) || gap < r.spreads*max(spread(before), spread(part)) {
				return nil, false
			}
		}
		if len(part) < 2 {
			alone--
			continue
		}
		usual := stats.MedianSorted(part)
		if usual-last < math.Log(r.apart) {
			return nil, false
		}
		last = usual
		out = append(out, [2]int{at[i], at[i+1]})
	}
	return out, alone >= 0
}

// spread estimates a standard deviation from the range of ascending values. It uses the range of
// the same number of normal values (Blom's approximation).
func spread(ascending []float64) float64 {
	n := float64(len(ascending))
	if n < 2 {
		return 0
	}
	usual := 2 * math.Sqrt2 * math.Erfinv(2*(n-0.375)/(n+0.25)-1)
	return (ascending[len(ascending)-1] - ascending[0]) / usual
}
