package table

import (
	"cmp"
	"fmt"
	"slices"

	"pgmpi/guidelines"
	"pgmpi/internal/lists"
	"pgmpi/internal/tuning"
	"pgmpi/mockups"
)

// Lint holds guidelines against the times of a table, as in lint.json.
type Lint struct {
	Schema string  `json:"schema"` // Schema
	Note   string  `json:"note"`   // Note
	Table  string  `json:"table"`
	Model  Model   `json:"model"`
	Least  float64 `json:"least"` // ratio from which on a test is suspected
	Rows   []Row   `json:"tests"`
	// Unfit lists guidelines that tables predict badly. They are among the tests only where all were asked for.
	Unfit []string `json:"unfit"`
	Left  []string `json:"left_out,omitempty"` // guidelines without a time, and why
	// Of a table in a file that a library reads: what it chooses, and what is wrong with it; where the own table holds.
	Chosen []Chosen `json:"chosen,omitempty"`
	Notes  []string `json:"notes,omitempty"`
}

// Chosen is what a file chooses for the calls of a collective on a number of processes.
type Chosen struct {
	Function   string   `json:"function"`
	NP         int      `json:"np"`
	Msizes     []int64  `json:"msizes"`     // bytes of a block; ascending
	Algorithms []string `json:"algorithms"` // for each of them; "" where it is not known
}

const (
	Schema = "pgmpi-lint/1"
	Note   = "suspected by table: nothing was measured"
	// Least is also the slowdown by which predictions were held against measurements.
	Least = 1.2
	// Own marks a test where an algorithm of the library's own may be cheaper.
	Own = "own"
	// most limits the buffers of a call on one process, in bytes.
	most = 1 << 33
)

// foreseen lists the guidelines that reached precision .6 and recall .6. The machine was one that nothing was
// fitted to (docs/at-scale.md).
var foreseen = []string{"GL8", "GL14", Own}

// Row holds a test by the times of a table.
type Row struct {
	Guideline string          `json:"guideline"`
	Type      guidelines.Type `json:"type"`
	Function  string          `json:"function"`
	Mockup    string          `json:"mockup,omitempty"` // or the cheapest of the library's own algorithms
	NP        int             `json:"np"`
	Msize     int64           `json:"msize"`       // bytes of a block
	Other     int64           `json:"msize_other"` // of the other side
	K         int             `json:"k"`           // calls of the other side
	Algorithm string          `json:"algorithm"`   // the call's, by the table
	Seconds   float64         `json:"seconds"`
	OtherS    float64         `json:"other_seconds"` // of all calls of the other side
	Ratio     float64         `json:"ratio"`
	Suspected bool            `json:"suspected"`
}

// costs computes times from a table and a model.
type costs struct {
	*Table
	Model
	plan *guidelines.Plan
}

func (c costs) call(f mockups.Function, msize int64, np int) tuning.Call {
	d, _ := f.Elements(c.plan.Datatype, c.plan.Op)
	return tuning.Call{Function: cmp.Or(f.Of, f.ID), NP: np, Block: msize, Elements: msize / cmp.Or(d.Bytes, 4)} // imported types have no size
}

// seconds returns the time of a collective, with one of its algorithms, or of a mock-up.
func (c costs) seconds(function string, msize int64, np int) (sum float64, err error) {
	f, _ := mockups.Get(function)
	if f.Memory(msize, 1, np).Sum() > most {
		return 0, fmt.Errorf("sizes at which buffers take more than %d GiB on a process", most>>30)
	}
	if f.Algorithm != "" || !f.IsMockup() {
		w, err := c.work(c.call(f, msize, np), f.Algorithm)
		return c.Model.seconds(w), err
	}
	parts := f.Parts(msize, np)
	if parts == nil {
		return 0, fmt.Errorf("sizes at which %s is no sum of calls with equal blocks", function)
	}
	for _, p := range parts {
		s, err := c.seconds(p.Collective, p.Msize, np)
		if err != nil {
			return 0, err
		}
		sum += s
	}
	return sum, nil
}

func (c costs) others(t guidelines.Test) []guidelines.Case {
	return lists.Map(t.Others, func(i int) guidelines.Case { return c.plan.Cases[i] })
}

// worst compares a test with the cases that it may not be slower than. It returns the row with the largest ratio,
// or nil if no time is known.
func (c costs) worst(t guidelines.Test, others []guidelines.Case) (worst *Row, err error) {
	f, _ := mockups.Get(t.Function)
	s, err := c.seconds(t.Function, t.Msize, t.Shape.NP)
	if err != nil {
		return nil, err
	}
	name, _ := c.algorithm(c.call(f, t.Msize, t.Shape.NP))
	for _, o := range others {
		one, failed := c.seconds(o.Function, o.Msize, o.Shape.NP)
		if failed != nil || one <= 0 { // 0 where prices are 0
			err = failed
			continue
		}
		r := &Row{t.Guideline, t.Type, t.Function, t.Mockup, t.Shape.NP, t.Msize, o.Msize, 1, name, s, one, 0, false}
		if t.Type == guidelines.Split {
			r.K = int(guidelines.SplitFactor(t.Msize, o.Msize))
		}
		if r.Guideline == Own {
			r.Mockup = o.Function
		}
		r.OtherS *= float64(r.K)
		r.Ratio = s / r.OtherS
		if r.Suspected = r.Ratio >= Least; worst == nil || r.Ratio >= worst.Ratio {
			worst = r
		}
	}
	return worst, err
}

// New judges the tests of a plan by a table. It also judges whether the library has a cheaper algorithm of its own.
func New(t *Table, m Model, plan *guidelines.Plan, all bool) *Lint {
	l := &Lint{Schema: Schema, Note: Note, Table: t.Name, Model: m, Least: Least, Rows: []Row{}, Unfit: []string{}}
	c := costs{t, m, plan}
	if l.Notes = t.Notes; t.given {
		l.choose(c)
	}
	for _, test := range plan.Tests {
		l.add(c, test, c.others(test), all)
	}
	for _, k := range plan.Cases {
		f, _ := mockups.Get(k.Function)
		name, err := c.algorithm(c.call(f, k.Msize, k.Shape.NP))
		if f.IsMockup() || err != nil {
			continue
		}
		own := lists.Keep(t.own(k.Function), func(other string) bool { return other != name && hasCost(k.Function, other) })
		others := lists.Map(own, func(other string) guidelines.Case {
			return guidelines.Case{Function: mockups.AlgorithmID(k.Function, other), Msize: k.Msize, Shape: k.Shape}
		})
		l.add(c, guidelines.Test{Guideline: Own, Type: guidelines.Pattern, Function: k.Function, Msize: k.Msize, Shape: k.Shape}, others, all)
	}
	return l
}

// choose lists what a file chooses for the calls of the plan.
func (l *Lint) choose(c costs) {
	for _, k := range c.plan.Cases {
		f, _ := mockups.Get(k.Function)
		if f.IsMockup() || f.Algorithm != "" {
			continue
		}
		name, err := c.algorithm(c.call(f, k.Msize, k.Shape.NP))
		if err != nil {
			l.Left = lists.With(l.Left, err.Error())
		}
		of := lists.FirstOrNew(&l.Chosen, func(o Chosen) bool { return o.Function == k.Function && o.NP == k.Shape.NP },
			Chosen{Function: k.Function, NP: k.Shape.NP})
		at, there := slices.BinarySearch(of.Msizes, k.Msize)
		if !there {
			of.Msizes, of.Algorithms = slices.Insert(of.Msizes, at, k.Msize), slices.Insert(of.Algorithms, at, name)
		}
	}
}

func (l *Lint) add(c costs, t guidelines.Test, others []guidelines.Case, all bool) {
	if !slices.Contains(foreseen, t.Guideline) {
		if l.Unfit = lists.With(l.Unfit, t.Guideline); !all {
			return
		}
	}
	if r, err := c.worst(t, others); r != nil {
		l.Rows = append(l.Rows, *r)
	} else if err != nil {
		l.Left = lists.With(l.Left, t.Guideline+": "+err.Error())
	}
}

// Suspected returns the suspected rows, the worst first.
func (l *Lint) Suspected() []Row {
	out := lists.Keep(l.Rows, func(r Row) bool { return r.Suspected })
	slices.SortStableFunc(out, func(a, b Row) int { return cmp.Compare(b.Ratio, a.Ratio) })
	return out
}
