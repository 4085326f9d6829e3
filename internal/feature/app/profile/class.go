package profile

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
)

// Function counts the calls of one function of MPI, and their time, summed over ranks. What has rows in Calls is not
// among them.
type Function struct {
	Name  string `json:"name"`
	Calls int64  `json:"calls"`
	SumNS int64  `json:"sum_ns"`
}

// Share is the part of a run-time that calls of one class take.
type Share struct {
	Class   string
	Calls   float64 // of a mean rank
	Seconds float64
	Most    string  // the function with the longest part
	MostS   float64 // of it
}

const (
	blocking    = "blocking collectives"
	nonblocking = "nonblocking collectives"
)

// classes name the functions that measure/preload counts; a test compares them. The first that fits counts.
var classes = []struct {
	name string
	of   *regexp.Regexp
}{
	{"MPI_Init", regexp.MustCompile(`^(Init|Init_thread|Session_init|Session_finalize)$`)},
	{"persistent requests", regexp.MustCompile(`^([A-Z][a-z_]+_init|Start|Startall|Pready|Pready_range|Pready_list|Parrived)$`)},
	{"messages", regexp.MustCompile(`^([BSR]?send|Send|M?recv|Recv|Sendrecv|Sendrecv_replace|Buffer_detach)$`)},
	{"nonblocking messages", regexp.MustCompile(`^I([bsr]?send|m?recv|sendrecv|sendrecv_replace)$`)},
	{"MPI_Wait", regexp.MustCompile(`^Wait(all|any|some)?$`)},
	{"MPI_Test", regexp.MustCompile(`^(Test(all|any|some)?|Request_get_status)$`)},
	{"probes", regexp.MustCompile(`^(Probe|Iprobe|Mprobe|Improbe)$`)},
	{"requests", regexp.MustCompile(`^(Request_free|Cancel)$`)},
	{"neighborhood collectives", regexp.MustCompile(`^(N|In)eighbor_(allgatherv?|alltoall[vw]?)$`)},
	{"RMA", regexp.MustCompile(`^(Win_[a-z_]+|Put|Get|Accumulate|Get_accumulate|Fetch_and_op|Compare_and_swap|R(put|get|accumulate|get_accumulate))$`)},
	{"files", regexp.MustCompile(`^File_[a-z_]+$`)},
	{"processes", regexp.MustCompile(`^Comm_(spawn|spawn_multiple|accept|connect|disconnect|join)$`)},
	{"communicators", regexp.MustCompile(`^(Comm|Intercomm|Cart|Graph|Dist_graph)_[a-z_]+$`)},
	{"packing", regexp.MustCompile(`^(Pack|Unpack)(_external)?$`)},
}

// classOf returns the class of a function, or "" if none is counted by that name.
func classOf(function string) string {
	name, is := strings.CutPrefix(function, "MPI_")
	if !is || len(name) > mostName {
		return ""
	}
	for _, c := range classes {
		if c.of.MatchString(strings.TrimSuffix(name, "_c")) {
			return c.name
		}
	}
	return ""
}

const mostName = 40

// Nonblocking tells whether a call only starts the collective.
func (c Call) Nonblocking() bool { return strings.HasPrefix(c.Function, "MPI_I") }

// Shares returns the time in all calls of MPI that are counted, by class, the longest first. It is nil for a profile
// that has only collectives.
func (p *Profile) Shares() (all []Share) {
	if len(p.Functions) == 0 {
		return nil
	}
	lost := Call{Function: "MPI_", SumNS: p.LostNS, Calls: p.LostCalls}
	by := map[string]map[string]Function{}
	add := func(class, function string, calls, ns int64) {
		if by[class] == nil {
			by[class] = map[string]Function{}
		}
		f := by[class][function]
		by[class][function] = Function{function, f.Calls + calls, f.SumNS + ns}
	}
	for _, c := range append(slices.Clone(p.Calls), lost) {
		class := blocking
		if c.Nonblocking() {
			class = nonblocking
		}
		add(class, c.Function, c.Calls, c.SumNS+c.WaitingNS)
	}
	for _, f := range p.Functions {
		add(classOf(f.Name), f.Name, f.Calls, f.SumNS)
	}
	for class, functions := range by {
		s, calls, ns := Share{Class: class}, int64(0), int64(0)
		for _, f := range functions {
			calls, ns = calls+f.Calls, ns+f.SumNS
			if t := p.seconds(f.SumNS); t > s.MostS || t == s.MostS && f.Name < s.Most {
				s.Most, s.MostS = f.Name, t
			}
		}
		if s.Calls, s.Seconds = float64(calls)/float64(p.Ranks), p.seconds(ns); calls > 0 {
			all = append(all, s)
		}
	}
	slices.SortFunc(all, func(a, b Share) int { return cmp.Or(cmp.Compare(b.Seconds, a.Seconds), cmp.Compare(a.Class, b.Class)) })
	return all
}
