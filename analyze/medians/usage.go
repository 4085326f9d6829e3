package medians

import (
	"cmp"
	"math"
	"slices"

	"pgmpi/internal/stats"
	"pgmpi/measure/protocol"
	"pgmpi/measure/results"
)

// Usage holds the kernel's counts for a case in one mpirun, per call. The rank has the highest
// count. NaN means not counted, as by older versions.
type Usage struct {
	Faults       float64 // page faults a call
	FaultsRank   int
	Switches     float64 // involuntary context switches a call
	SwitchesRank int
}

var uncounted = Usage{Faults: math.NaN(), Switches: math.NaN()}

func UsageOf(info *results.CaseInfo) Usage {
	u, calls := info.Usage, float64(info.NRep)*float64(max(1, info.Calls))
	if u == nil || calls == 0 || info.Status != protocol.StatusOK {
		return uncounted
	}
	return Usage{float64(u.Faults) / calls, u.FaultsRank, float64(u.Switches) / calls, u.SwitchesRank}
}

func (c *Case) addUsage(run int, u Usage) {
	if math.IsNaN(u.Faults) {
		return
	}
	if c.usage == nil {
		c.usage = slices.Repeat([]Usage{uncounted}, len(c.Medians))
	}
	c.usage[run-1] = u
}

func (c *Case) UsageIn(run int) Usage {
	if run > len(c.usage) {
		return uncounted
	}
	return c.usage[run-1]
}

// Usage returns the counts in the median mpirun, each by itself. Its ranks have the highest count
// in most mpiruns.
func (c *Case) Usage() Usage {
	var faults, switches []float64
	var faultsAt, switchesAt []int
	for _, u := range c.usage {
		if !math.IsNaN(u.Faults) {
			faults, faultsAt = append(faults, u.Faults), append(faultsAt, u.FaultsRank)
			switches, switchesAt = append(switches, u.Switches), append(switchesAt, u.SwitchesRank)
		}
	}
	return Usage{stats.MedianFinite(faults), mostFrequent(faultsAt), stats.MedianFinite(switches), mostFrequent(switchesAt)}
}

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

// ManyFaults page faults a call, or more, put a case into the report.
const ManyFaults = 1

type FaultingCase struct {
	Cell
	PerCall float64 `json:"per_call"` // in the median mpirun, at the rank with most of them
	Rank    int     `json:"rank"`
}

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

// Sent holds what all ranks together send in a call, inside the library.
type Sent struct {
	Messages float64 `json:"messages" column:"messages"`
	Bytes    float64 `json:"bytes" column:"message_bytes"`
}

func (s *Set) addMessages(run *results.Run) {
	for _, info := range run.Cases {
		if info.Plan >= 0 && info.Plan < len(s.Cases) {
			s.Cases[info.Plan].sent = info.Messages
		}
	}
}

func (c *Case) Sent() *Sent {
	if c.sent == nil {
		return nil
	}
	calls := float64(c.sent.Calls)
	return &Sent{float64(c.sent.Count) / calls, float64(c.sent.Bytes) / calls}
}

func (s *Set) HasMessages() bool {
	return slices.ContainsFunc(s.Cases, func(c Case) bool { return c.sent != nil })
}
