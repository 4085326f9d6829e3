package table

import (
	"slices"
	"strings"

	"pgmpi/analyze"
	"pgmpi/guidelines"
	"pgmpi/internal/lists"
)

// Against has what a table foresaw of measurements: lint-against.json.
type Against struct {
	Schema  string     `json:"schema"` // AgainstSchema
	Model   Model      `json:"model"`
	Least   float64    `json:"least"`
	Folders []string   `json:"folders"`
	Unknown []string   `json:"unknown"` // folders of libraries without a known table
	Counts  []Counted  `json:"guidelines"`
	Tests   []Compared `json:"tests"` // slow by the table or by the measurement
}

const AgainstSchema = "pgmpi-lint-against/1"

// Counted counts the tests of a guideline: suspected and slow, slow alone, suspected alone, neither.
type Counted struct {
	Guideline string `json:"guideline"`
	Hits      int    `json:"hits"`
	Misses    int    `json:"misses"`
	False     int    `json:"false"`
	Kept      int    `json:"kept"`
}

// Precision is the share of suspected tests that were slow, and Recall the share of slow tests that were suspected; NaN: of none.
func (n Counted) Precision() float64 { return float64(n.Hits) / float64(n.Hits+n.False) }
func (n Counted) Recall() float64    { return float64(n.Hits) / float64(n.Hits+n.Misses) }

type Compared struct {
	Folder   string  `json:"folder"`
	Row              // by the table
	Measured float64 `json:"measured"` // ratio
}

func NewAgainst(m Model) *Against {
	return &Against{AgainstSchema, m, Least, []string{}, []string{}, []Counted{}, []Compared{}}
}

// Add holds a table against a folder's tests. A measured ratio of Least makes one slow, whatever its verdict: one mpirun
// decides nothing. Of the library's own algorithms the one that is cheapest by the table counts.
func (a *Against) Add(t *Table, side *analyze.Side) {
	if t == nil {
		a.Unknown = append(a.Unknown, side.Name)
		return
	}
	a.Folders = append(a.Folders, side.Name)
	plan, best := &side.Manifest.Plan, map[int]*Compared{}
	c, slow := costs{t, a.Model, plan}, map[int]bool{}
	for i, test := range plan.Tests {
		r, _ := c.worst(test, c.others(test))
		v := &side.Report.Verdicts[i]
		if r == nil || v.Ratio == nil {
			continue
		}
		x := &Compared{side.Name, *r, *v.Ratio}
		if !strings.HasPrefix(r.Guideline, Own+"-") {
			a.count(x, x.Measured >= Least)
			continue
		}
		x.Guideline = Own
		slow[test.Case] = slow[test.Case] || x.Measured >= Least
		if b := best[test.Case]; b == nil || x.Ratio > b.Ratio {
			best[test.Case] = x
		}
	}
	for i := range plan.Cases {
		if x := best[i]; x != nil {
			a.count(x, x.Measured >= Least || !x.Suspected && slow[i])
		}
	}
}

func (a *Against) count(c *Compared, slow bool) {
	n := lists.FirstOrNew(&a.Counts, func(n Counted) bool { return n.Guideline == c.Guideline }, Counted{Guideline: c.Guideline})
	switch {
	case slow && c.Suspected:
		n.Hits++
	case slow:
		n.Misses++
	case c.Suspected:
		n.False++
	default:
		n.Kept++
		return
	}
	a.Tests = append(a.Tests, *c)
}

// Sum adds up the counts of guidelines: those that are shown unasked, or the patterns of GL3 to GL17.
func (a *Against) Sum(shown bool) (sum Counted) {
	for _, n := range a.Counts {
		in := slices.Contains(fit, n.Guideline)
		if !shown {
			in = slices.ContainsFunc(guidelines.Catalogue(), func(e guidelines.Entry) bool {
				return e.ID == n.Guideline && e.Type == guidelines.Pattern && !e.Extended
			})
		}
		if in {
			sum.Hits, sum.Misses, sum.False, sum.Kept = sum.Hits+n.Hits, sum.Misses+n.Misses, sum.False+n.False, sum.Kept+n.Kept
		}
	}
	return sum
}
