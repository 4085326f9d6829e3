package analyze

import (
	"fmt"
	"reflect"

	"pgmpi/analyze/judge"
	"pgmpi/analyze/medians"
	"pgmpi/guidelines"
	"pgmpi/internal/conf"
	"pgmpi/internal/phrase"
)

// Verdict is what was found for one planned test. Times are seconds, sizes
// bytes as the legend says.
type Verdict struct {
	Guideline string          `json:"guideline"`
	Type      guidelines.Type `json:"type"` // monotony, split, pattern
	Function  string          `json:"function"`
	Mockup    string          `json:"mockup"` // pattern only
	// Tolerant: other_median_s is what the call may take, with analyze.nb_tolerance.
	Tolerant bool  `json:"tolerant,omitempty"`
	Msize    int64 `json:"msize"` // where the call is too slow
	// MsizeOther is the size of the other side: the larger for monotony, m_i
	// for split, msize for a pattern.
	MsizeOther int64  `json:"msize_other"`
	K          int    `json:"k,omitempty"` // split: k calls at msize_other
	Shape      string `json:"shape"`
	NP         int    `json:"np"`
	// MedianS and OtherMedianS are medians of run medians; for split
	// OtherMedianS is for ONE of the k calls.
	MedianS      *float64 `json:"median_s"`
	OtherMedianS *float64 `json:"other_median_s"`
	Runs         int      `json:"runs"` // mpiruns that the verdict rests on; 0: there is none
	// Ratio is how many times slower the call is: Hodges-Lehmann (docs/
	// statistics.md); for method paper and split it is the ratio of the medians.
	Ratio *float64 `json:"ratio"`
	// RatioLo95 and RatioHi95 are its two-sided 95 % interval (docs/dev/statistics.md);
	// for method paper it belongs to the rank-sum's estimate. Null for split from medians.
	RatioLo95 *float64      `json:"ratio_lo95"`
	RatioHi95 *float64      `json:"ratio_hi95"`
	PValue    *float64      `json:"p_value"`    // one-sided; null for split
	PAdjusted *float64      `json:"p_adjusted"` // over the family
	PKept     *float64      `json:"p_kept"`     // that the call is less than min_slowdown times slower
	Stars     string        `json:"stars"`      // by p_adjusted: * ≤ .05, ** ≤ .01, *** ≤ .001
	Verdict   judge.Verdict `json:"verdict"`
	// Replication is the probability that a new check of the same design calls it
	// violated again; null where it is not violated, or not known. Firm: at least .9.
	Replication *float64          `json:"replication"`
	Firm        bool              `json:"firm"`
	*Gated                        // nil: no baseline, or nothing to say
	Reason      string            `json:"reason,omitempty"` // why there is none
	Alternative *Alternative      `json:"alternative"`      // violated and suspected: the fastest that was measured
	RunsNeeded  *judge.RunsNeeded `json:"runs_needed"`      // undecided by the data: how many mpiruns would decide it
	Payoff      *Payoff           `json:"payoff,omitempty"` // NB4
	Counted
	// ByState is there where the answer depends on the state of the machine.
	ByState []StateVerdict `json:"by_state,omitempty"`
}

// cell is where the call is too slow.
func (v *Verdict) Cell() medians.Cell {
	return medians.Cell{Function: v.Function, Msize: v.Msize, Shape: v.Shape}
}

// Alternative is what to call instead.
type Alternative struct {
	Function string  `json:"function"` // a mock-up, or the collective at another size
	Msize    int64   `json:"msize"`    // bytes
	Calls    int     `json:"calls"`    // 1, or k calls in place of one
	MedianS  float64 `json:"median_s"` // seconds, of all calls together
}

// AllCallsS is what the other side takes, in seconds: for split all k calls. nil:
// it was not measured.
func (v *Verdict) AllCallsS() *float64 {
	if v.OtherMedianS == nil {
		return nil
	}
	all := *v.OtherMedianS * float64(max(v.K, 1))
	return &all
}

// Column is a column of tables of verdicts.
type Column struct {
	Name     string
	Type     reflect.Type // of its values
	Optional bool         // its value is nil where it is undefined
	Value    func(*Verdict) any
	OmitZero bool // csv leaves 0 empty
}

// Columns are the columns of report.csv; `pgmpi export` has them as well. A new one goes to the
// end.
var Columns = []Column{
	column("guideline", func(v *Verdict) string { return v.Guideline }),
	column("type", func(v *Verdict) guidelines.Type { return v.Type }),
	column("function", func(v *Verdict) string { return v.Function }),
	column("mockup", func(v *Verdict) string { return v.Mockup }),
	column("msize", func(v *Verdict) int64 { return v.Msize }),
	column("msize_other", func(v *Verdict) int64 { return v.MsizeOther }),
	omitZero(column("k", func(v *Verdict) int { return v.K })),
	column("shape", func(v *Verdict) string { return v.Shape }),
	column("np", func(v *Verdict) int { return v.NP }),
	optional("median_s", func(v *Verdict) *float64 { return v.MedianS }),
	optional("other_median_s", func(v *Verdict) *float64 { return v.OtherMedianS }),
	optional("ratio", func(v *Verdict) *float64 { return v.Ratio }),
	optional("p_value", func(v *Verdict) *float64 { return v.PValue }),
	optional("p_adjusted", func(v *Verdict) *float64 { return v.PAdjusted }),
	optional("p_kept", func(v *Verdict) *float64 { return v.PKept }),
	column("stars", func(v *Verdict) string { return v.Stars }),
	column("verdict", func(v *Verdict) judge.Verdict { return v.Verdict }),
	column("reason", func(v *Verdict) string { return v.Reason }),
	optional("alternative", within(alternative, func(a *Alternative) *string { return &a.Function })),
	optional("alternative_msize", within(alternative, func(a *Alternative) *int64 { return &a.Msize })),
	optional("alternative_calls", within(alternative, func(a *Alternative) *int { return &a.Calls })),
	optional("alternative_median_s", within(alternative, func(a *Alternative) *float64 { return &a.MedianS })),
	optional("ratio_lo95", func(v *Verdict) *float64 { return v.RatioLo95 }),
	optional("ratio_hi95", func(v *Verdict) *float64 { return v.RatioHi95 }),
	optional("runs_needed", within(runsNeeded, func(n *judge.RunsNeeded) *int { return &n.R })),
	optional("runs_needed_towards", within(runsNeeded, func(n *judge.RunsNeeded) *judge.Verdict { return &n.Towards })),
	column("runs", func(v *Verdict) int { return v.Runs }),
	optional("replication", func(v *Verdict) *float64 { return v.Replication }),
	column("firm", func(v *Verdict) bool { return v.Firm }),
	column("by_state", (*Verdict).InEachState),
	optional("state", within(gated, func(g *Gated) *GateState { return &g.State })),
	optional("alarm", within(gated, func(g *Gated) *bool { return &g.Alarm })),
	optional("state_reason", within(gated, func(g *Gated) *string { return &g.StateReason })),
	optional("page_faults", func(v *Verdict) *float64 { return v.PageFaults }),
	optional("other_page_faults", func(v *Verdict) *float64 { return v.OtherPageFaults }),
	optional("switches", func(v *Verdict) *float64 { return v.Switches }),
	optional("other_switches", func(v *Verdict) *float64 { return v.OtherSwitches }),
	optional("messages", within(sent, func(s *medians.Sent) *float64 { return &s.Messages })),
	optional("message_bytes", within(sent, func(s *medians.Sent) *float64 { return &s.Bytes })),
	optional("other_messages", within(otherSent, func(s *medians.Sent) *float64 { return &s.Messages })),
	optional("other_message_bytes", within(otherSent, func(s *medians.Sent) *float64 { return &s.Bytes })),
}

func column[T any](name string, value func(*Verdict) T) Column {
	return Column{Name: name, Type: reflect.TypeFor[T](), Value: func(v *Verdict) any { return value(v) }}
}

func omitZero(c Column) Column {
	c.OmitZero = true
	return c
}

func optional[T any](name string, value func(*Verdict) *T) Column {
	return Column{Name: name, Type: reflect.TypeFor[T](), Optional: true, Value: func(v *Verdict) any {
		if x := value(v); x != nil {
			return *x
		}
		return nil
	}}
}

// within is a value of a part of the verdict that may be missing.
func within[P, T any](of func(*Verdict) *P, value func(*P) *T) func(*Verdict) *T {
	return func(v *Verdict) *T {
		if p := of(v); p != nil {
			return value(p)
		}
		return nil
	}
}

func alternative(v *Verdict) *Alternative { return v.Alternative }
func gated(v *Verdict) *Gated             { return v.Gated }
func sent(v *Verdict) *medians.Sent       { return v.Sent }
func otherSent(v *Verdict) *medians.Sent  { return v.OtherSent }

func runsNeeded(v *Verdict) *judge.RunsNeeded {
	if n := v.RunsNeeded; n != nil && n.R > 0 {
		return n
	}
	return nil
}

// InEachState is "violated in state A (6 mpiruns), kept in state B (4)"; "": the answer does not
// depend on the state.
func (v *Verdict) InEachState() (out string) {
	for i, in := range v.ByState {
		n := fmt.Sprint(in.Mpiruns)
		if i == 0 {
			n = conf.Plural(in.Mpiruns, "mpirun")
		}
		out += fmt.Sprintf("%s%s in state %s (%s)", phrase.When(i > 0, ", "), phrase.Words(in.Verdict), in.State, n)
	}
	return out
}
