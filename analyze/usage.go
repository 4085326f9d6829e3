package analyze

import (
	"fmt"
	"slices"
	"strings"

	"pgmpi/analyze/medians"
	"pgmpi/guidelines"
	"pgmpi/internal/conf"
	"pgmpi/internal/remark"
)

// Counted is what is known of both sides of a verdict without a clock, a call: what the
// kernel counted in the median mpirun, at the rank that has most of it, and what the
// library sends. nil: not counted, as by older versions.
type Counted struct {
	PageFaults      *float64 `json:"page_faults,omitempty"`
	OtherPageFaults *float64 `json:"other_page_faults,omitempty"`
	Switches        *float64 `json:"switches,omitempty"` // involuntary ones
	OtherSwitches   *float64 `json:"other_switches,omitempty"`
	// Sent is the traffic of all ranks together in a call, if it was counted.
	Sent      *medians.Sent `json:"sent,omitempty"`
	OtherSent *medians.Sent `json:"other_sent,omitempty" column:"other_"`
}

// usage fills in what was counted for the sides of every verdict.
func (a *Analysis) usage() {
	plan := &a.manifest.Plan
	for i := range a.verdicts {
		v, t := &a.verdicts[i], &plan.Tests[i]
		call := a.set.Cases[t.Case].Usage()
		v.PageFaults, v.Switches, v.Sent = Number(call.Faults), Number(call.Switches), a.set.Cases[t.Case].Sent()
		at := slices.IndexFunc(t.Others, func(o int) bool { return t.Type != guidelines.Split || plan.Cases[o].Msize == v.MsizeOther })
		if at < 0 || t.Type == guidelines.Split && v.K == 0 {
			continue
		}
		other := a.set.Cases[t.Others[at]].Usage()
		v.OtherPageFaults, v.OtherSwitches, v.OtherSent = Number(other.Faults), Number(other.Switches), a.set.Cases[t.Others[at]].Sent()
	}
}

// mostNamed is how many of the cases that meet page faults a remark names.
const mostNamed = 3

// ofFaults is about calls that meet page faults.
func (r *Remarks) ofFaults(of *Report) {
	if len(of.PageFaults) == 0 {
		return
	}
	var named []string
	for _, f := range of.PageFaults[:min(mostNamed, len(of.PageFaults))] {
		named = append(named, fmt.Sprintf("%s at %s on %s: %s (rank %d)", f.Function, conf.HumanSize(f.Msize), f.Shape,
			conf.Plural(int(f.PerCall+.5), "page fault"), f.Rank))
	}
	r.Add(remark.PageFaults, "%s in which every call meets memory that the kernel has to map first; most a call: %s",
		conf.Plural(len(of.PageFaults), "case"), strings.Join(named, "; "))
}
