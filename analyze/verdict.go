package analyze

import (
	"cmp"
	"reflect"
	"slices"
	"strings"

	"pgmpi/analyze/judge"
	"pgmpi/analyze/medians"
	"pgmpi/guidelines"
	"pgmpi/internal/lists"
	"pgmpi/internal/phrase"
)

// Verdict holds what was found for one planned test. Times are seconds, sizes bytes as the legend
// says. Each field is a column of tables, see Columns.
type Verdict struct {
	Guideline string          `json:"guideline"`
	Type      guidelines.Type `json:"type"` // monotony, split, pattern
	Function  string          `json:"function"`
	Mockup    string          `json:"mockup"`                        // pattern only
	Tolerant  bool            `json:"tolerant,omitempty" column:"-"` // other_median_s includes analyze.nb_tolerance
	Msize     int64           `json:"msize"`                         // where the call is too slow
	// MsizeOther is the size of the other side: the larger for monotony, m_i for split, msize for a pattern.
	MsizeOther int64  `json:"msize_other"`
	K          int    `json:"k,omitempty"` // split: k calls at msize_other
	Shape      string `json:"shape"`
	NP         int    `json:"np"`
	// MedianS and OtherMedianS are medians of run medians; for split
	// OtherMedianS is for ONE of the k calls.
	MedianS      *float64 `json:"median_s"`
	OtherMedianS *float64 `json:"other_median_s"`
	Runs         int      `json:"runs" column:"mpiruns"` // mpiruns that the verdict rests on; 0 without a verdict
	Tested
	PKept   *float64      `json:"p_kept"` // that the call is less than min_slowdown times slower
	Stars   string        `json:"stars"`  // by p_adjusted: * ≤ .05, ** ≤ .01, *** ≤ .001
	Verdict judge.Verdict `json:"verdict"`
	// Replication is the probability that a new check of this design finds the violation again;
	// null where it is not violated, or not known. A violation is firm from .9 on, unless it is not
	// shown under another condition.
	Replication *float64          `json:"replication"`
	Firm        bool              `json:"firm"`
	*Gated                        // nil without a baseline, or with nothing to say
	Reason      string            `json:"reason,omitempty"`            // why there is no verdict
	Alternative *Alternative      `json:"alternative"`                 // the fastest to a violated or suspected call
	RunsNeeded  *judge.RunsNeeded `json:"runs_needed"`                 // mpiruns that would decide what is undecided
	Payoff      *Payoff           `json:"payoff,omitempty" column:"-"` // NB3, NB4
	Counted
	ByState InStates `json:"by_state,omitempty"` // where the answer depends on the state of the machine
	// Datatype and Op are of both sides; Op is "" where nothing is reduced.
	Datatype string `json:"datatype"`
	Op       string `json:"op,omitempty"`
	Elements string `json:"elements,omitempty" column:"-"` // as in guidelines.Case
	// Alternating is the violation measured again, call and other side alternating call by call.
	Alternating *Elsewhere `json:"alternating,omitempty" column:"alternating_"`
	// OtherMalloc is the violation measured again in the other state of malloc.
	OtherMalloc *Elsewhere `json:"other_malloc,omitempty" column:"other_malloc_"`
	// Averaged tells that a side is an average over the ranks, which bears no verdict here.
	Averaged bool `json:"averaged,omitempty" column:"-"`
	// Standing is "" where the guideline is not violated.
	Standing Standing `json:"standing,omitempty"`
	// AnotherLo95 and AnotherHi95 hold the ratio of another check with a chance of 95 %.
	AnotherLo95 *float64 `json:"another_lo95,omitempty"`
	AnotherHi95 *float64 `json:"another_hi95,omitempty"`
	// ByStateTold tells that two states have enough mpiruns to show that it does.
	ByStateTold bool `json:"by_state_told,omitempty" column:"-"`
}

// Effect says how many times slower a call is than the other side. Undefined numbers are null.
type Effect struct {
	// Ratio is by Hodges-Lehmann (docs/dev/statistics.md); for method paper and for split from
	// medians it is the ratio of the medians.
	Ratio *float64 `json:"ratio" column:"ratio"`
	// RatioLo95 and RatioHi95 are its two-sided 95 % interval; for method paper it belongs to the
	// rank-sum's estimate. Null for split from medians.
	RatioLo95 *float64 `json:"ratio_lo95"`
	RatioHi95 *float64 `json:"ratio_hi95"`
}

// Tested holds an effect and its p-values.
type Tested struct {
	Effect
	PValue    *float64 `json:"p_value"`    // one-sided; null for split from medians
	PAdjusted *float64 `json:"p_adjusted"` // over the family
}

func TestedBy(o judge.Outcome) Tested {
	return Tested{Effect{Number(o.Ratio), Number(o.Lo95), Number(o.Hi95)}, Number(o.P), Number(o.PAdjusted)}
}

// Cell returns where the call is too slow.
func (v *Verdict) Cell() medians.Cell {
	return medians.Cell{Function: v.Function, Msize: v.Msize, Shape: v.Shape, Elements: v.Elements}
}

type Alternative struct {
	Function string  `json:"function" column:"alternative"`          // a mock-up, or the collective at another size
	Msize    int64   `json:"msize" column:"alternative_msize"`       // bytes
	Calls    int     `json:"calls" column:"alternative_calls"`       // 1, or k calls instead of one
	MedianS  float64 `json:"median_s" column:"alternative_median_s"` // seconds, of all calls together
}

// AllCallsS returns the other side's time in seconds, for split of all k calls. It returns nil if
// that was not measured.
func (v *Verdict) AllCallsS() *float64 {
	if v.OtherMedianS == nil {
		return nil
	}
	return Number(*v.OtherMedianS * float64(max(v.K, 1)))
}

// PossibleS returns the call's possible time in seconds, as long as the other side's. It divides
// the median by the ratio, which compares both sides in the same mpiruns, and returns nil if that
// is not known.
func (v *Verdict) PossibleS() *float64 {
	if v.MedianS == nil || v.Ratio == nil || *v.Ratio <= 0 {
		return v.AllCallsS()
	}
	return Number(*v.MedianS / *v.Ratio)
}

// alternatives names the fastest alternative in every cell with a finding. It looks among the
// function's mock-ups at this size and what the verdict itself compared with.
func alternatives(verdicts []Verdict) {
	mockups := map[medians.Cell]*Alternative{}
	for i := range verdicts {
		v := &verdicts[i]
		if v.Type == guidelines.Pattern && v.OtherMedianS != nil && !v.Tolerant {
			a := &Alternative{Function: v.Mockup, Msize: v.Msize, Calls: 1, MedianS: *v.OtherMedianS}
			mockups[v.Cell()] = faster(mockups[v.Cell()], a)
		}
	}
	for i := range verdicts {
		v := &verdicts[i]
		if v.Verdict != judge.Violated && v.Verdict != judge.Suspected && v.Verdict != judge.SeenOnce {
			continue
		}
		v.Alternative = mockups[v.Cell()]
		if v.Type != guidelines.Pattern && v.OtherMedianS != nil {
			own := &Alternative{Function: v.Function, Msize: v.MsizeOther, Calls: max(v.K, 1), MedianS: *v.AllCallsS()}
			v.Alternative = faster(v.Alternative, own)
		}
	}
}

func faster(a, b *Alternative) *Alternative {
	if a == nil || b.MedianS < a.MedianS {
		return b
	}
	return a
}

type Column struct {
	Name     string
	Type     reflect.Type // of its values
	Optional bool         // there may be no value
	omitZero bool
	index    []int
}

// Columns lists the columns of report.csv; `pgmpi export` has them in another order. They are the
// fields of a Verdict, by their names in report.json or a tag `column`, and the fields of its parts
// with such a tag. A new field gets a column at the end.
var Columns = InOrder([]string{"guideline", "type", "function", "mockup", "msize", "msize_other", "k", "shape", "np",
	"median_s", "other_median_s", "ratio", "p_value", "p_adjusted", "p_kept", "stars", "verdict", "reason",
	"alternative", "alternative_msize", "alternative_calls", "alternative_median_s",
	"ratio_lo95", "ratio_hi95", "runs_needed", "runs_needed_towards", "mpiruns", "replication", "firm", "by_state", "state", "alarm", "state_reason",
	"page_faults", "other_page_faults", "switches", "other_switches"}, ColumnsOf[Verdict]())

// ColumnsOf lists the columns of a kind of rows in the order of its fields.
func ColumnsOf[T any]() []Column { return columnsOf(reflect.TypeFor[T](), Column{}, "", false) }

// Table returns rows for spreadsheets, the head first, with an empty cell for each null.
func Table[T any](columns []Column, rows []T) [][]string {
	out := [][]string{lists.Map(columns, func(c Column) string { return c.Name })}
	for i := range rows {
		out = append(out, phrase.Row(lists.Map(columns, func(c Column) any { return c.Value(&rows[i]) })...))
	}
	return out
}

// InOrder sorts columns by a list of names; columns that the list lacks come last.
func InOrder(names []string, columns []Column) []Column {
	at := func(c Column) int {
		if i := slices.Index(names, c.Name); i >= 0 {
			return i
		}
		return len(names)
	}
	columns = slices.Clone(columns)
	slices.SortStableFunc(columns, func(a, b Column) int { return at(a) - at(b) })
	return columns
}

// columnsOf lists the columns of a struct: all fields of a Verdict and of what it embeds, and the
// fields with a tag of its other parts.
func columnsOf(t reflect.Type, of Column, prefix string, part bool) (out []Column) {
	for i := range t.NumField() {
		f, c := t.Field(i), of
		c.Type, c.index = f.Type, append(slices.Clone(of.index), i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		tag, tagged := f.Tag.Lookup("column")
		c.Name, c.omitZero = cmp.Or(tag, name), options == "omitempty"
		if part {
			c.Name, c.omitZero = strings.CutSuffix(prefix+tag, ",omitzero")
		}
		if f.Type.Kind() == reflect.Pointer {
			c.Type, c.Optional, c.omitZero = f.Type.Elem(), true, false
		}
		switch {
		case tag == "-" || part && !tagged:
		case c.Type.Kind() == reflect.Struct:
			out = append(out, columnsOf(c.Type, c, prefix+tag, part || !f.Anonymous)...)
		default:
			out = append(out, c)
		}
	}
	return out
}

// Value returns the value in a row, to which it gets a pointer, or nil.
func (c Column) Value(row any) any {
	x, err := reflect.ValueOf(row).Elem().FieldByIndexErr(c.index)
	if err != nil || x.Kind() == reflect.Pointer && x.IsNil() || c.omitZero && x.IsZero() {
		return nil
	}
	return reflect.Indirect(x).Interface()
}

// Counted holds facts about both sides of a verdict, per call, without a clock: the kernel's counts
// in the median mpirun, at the rank with most of them, and what the library sends. Counts that
// older versions did not take are nil.
type Counted struct {
	PageFaults      *float64 `json:"page_faults,omitempty"`
	OtherPageFaults *float64 `json:"other_page_faults,omitempty"`
	Switches        *float64 `json:"switches,omitempty"` // involuntary ones
	OtherSwitches   *float64 `json:"other_switches,omitempty"`
	// Sent is the traffic of all ranks together in a call, if it was counted.
	Sent      *medians.Sent `json:"sent,omitempty"`
	OtherSent *medians.Sent `json:"other_sent,omitempty" column:"other_"`
}

func (a *Analysis) usage() {
	plan := &a.manifest.Plan
	for i := range a.verdicts {
		v, t := &a.verdicts[i], &plan.Tests[i]
		call := a.set.Cases[t.Case].Usage()
		v.PageFaults, v.Switches, v.Sent = Number(call.Faults), Number(call.Switches), a.set.Cases[t.Case].Sent()
		at := a.other(i)
		if at < 0 {
			continue
		}
		other := a.set.Cases[at].Usage()
		v.OtherPageFaults, v.OtherSwitches, v.OtherSent = Number(other.Faults), Number(other.Switches), a.set.Cases[at].Sent()
	}
}
