package medians

import (
	"cmp"
	"math"
	"slices"

	"pgmpi/internal/stats"
	"pgmpi/measure/protocol"
	"pgmpi/measure/results"
)

// Usage is what the kernel counted for a case in one mpirun, a call, at the rank that
// has most of it. NaN: not counted, as by older versions.
type Usage struct {
	Faults       float64 // page faults a call
	FaultsRank   int
	Switches     float64 // involuntary context switches a call
	SwitchesRank int
}

var uncounted = Usage{Faults: math.NaN(), Switches: math.NaN()}

// UsageOf is that of a case of an mpirun.
func UsageOf(info *results.CaseInfo) Usage {
	u, calls := info.Usage, float64(info.NRep)*float64(max(1, info.Calls))
	if u == nil || calls == 0 || info.Status != protocol.StatusOK {
		return uncounted
	}
	return Usage{float64(u.Faults) / calls, u.FaultsRank, float64(u.Switches) / calls, u.SwitchesRank}
}

// addUsage keeps what was counted in an mpirun. Folders of older versions have
// nothing to keep.
func (c *Case) addUsage(run int, u Usage) {
	if math.IsNaN(u.Faults) {
		return
	}
	if c.usage == nil {
		c.usage = slices.Repeat([]Usage{uncounted}, len(c.Medians))
	}
	c.usage[run-1] = u
}

// UsageIn is that of an mpirun, from 1.
func (c *Case) UsageIn(run int) Usage {
	if run > len(c.usage) {
		return uncounted
	}
	return c.usage[run-1]
}

// Usage is that of the median mpirun, each count for itself, with the rank that has
// most of it in most mpiruns.
func (c *Case) Usage() Usage {
	var faults, switches []float64
	var faultsAt, switchesAt []int
	for _, u := range c.usage {
		if !math.IsNaN(u.Faults) {
			faults, faultsAt = append(faults, u.Faults), append(faultsAt, u.FaultsRank)
			switches, switchesAt = append(switches, u.Switches), append(switchesAt, u.SwitchesRank)
		}
	}
	if len(faults) == 0 {
		return uncounted
	}
	return Usage{stats.MedianFinite(faults), mostFrequent(faultsAt), stats.MedianFinite(switches), mostFrequent(switchesAt)}
}

// mostFrequent is the lowest of the values that are there most often.
func mostFrequent(values []int) (found int) {
	count, most := map[int]int{}, 0
	for _, v := range values {
		count[v]++
		if n := count[v]; n > most || n == most && v < found {
			found, most = v, n
		}
	}
	return found
}

// ManyFaults are the page faults a call from which a case is reported: every call
// meets one.
const ManyFaults = 1

// FaultingCase is a case whose calls meet page faults.
type FaultingCase struct {
	Cell
	PerCall float64 `json:"per_call"` // in the median mpirun, at the rank with most of them
	Rank    int     `json:"rank"`
}

// Faulting lists the cases whose calls meet page faults, most of them first.
func (s *Set) Faulting() []FaultingCase {
	var out []FaultingCase
	for i, k := range s.manifest.Plan.Cases {
		if u := s.Cases[i].Usage(); u.Faults >= ManyFaults {
			out = append(out, FaultingCase{CellOf(k), u.Faults, u.FaultsRank})
		}
	}
	slices.SortStableFunc(out, func(a, b FaultingCase) int { return cmp.Compare(b.PerCall, a.PerCall) })
	return out
}
