package series

import (
	"fmt"
	"slices"

	"pgmpi/analyze"
	"pgmpi/analyze/judge"
	"pgmpi/guidelines"
	"pgmpi/internal/lists"
)

const MatrixSchema = "pgmpi-matrix/1"

// Matrix says which guideline is violated where, as matrix.json has it: guideline × library and
// shape (S-PGMPI, Table 3).
type Matrix struct {
	Schema      string         `json:"schema"` // MatrixSchema
	Version     string         `json:"pgmpi_version"`
	MsizeLegend string         `json:"msize_legend"` // Legend
	Columns     []MatrixColumn `json:"columns"`
	Rows        []MatrixRow    `json:"rows"` // by type: pattern, monotony, split; then as in the first Plan that has them
}

// MatrixColumn stands for one shape of one results folder.
type MatrixColumn struct {
	Folder  string          `json:"folder"`
	Library analyze.Library `json:"library"`
	Host    string          `json:"host"`
	Shape   string          `json:"shape"`
	Created string          `json:"created"`
	R       int             `json:"r"`
	// LeastMsize and LargestMsize are the limits of all its tests, in bytes.
	LeastMsize   int64        `json:"least_msize"`
	LargestMsize int64        `json:"largest_msize"`
	Method       judge.Method `json:"method"`
	Datatype     string       `json:"datatype"`
	Op           string       `json:"op"`
}

// MatrixRow stands for a guideline about one function.
type MatrixRow struct {
	Guideline string          `json:"guideline"`
	Type      guidelines.Type `json:"type"`
	Function  string          `json:"function"`
	Mockup    string          `json:"mockup,omitempty"`
	Cells     []*MatrixCell   `json:"cells"` // one for each column; null where not planned
}

type MatrixCell struct {
	Tests    map[judge.Verdict]int `json:"tests_by_verdict"`
	Violated []int64               `json:"violated_msizes"` // bytes, ascending
	Ratio    *float64              `json:"largest_ratio"`   // of the violated tests; null without any
}

func (c *MatrixCell) Planned() (n int) {
	for _, k := range c.Tests {
		n += k
	}
	return n
}

func NewMatrix(sides []*analyze.Side) *Matrix {
	m := &Matrix{Schema: MatrixSchema, MsizeLegend: analyze.Legend, Rows: []MatrixRow{}}
	at := map[string]int{} // of a column, by side and shape
	for i, s := range sides {
		m.Version = s.Report.Version
		for _, shape := range s.Report.Shapes {
			at[columnKey(i, shape.Name)] = len(m.Columns)
			m.Columns = append(m.Columns, matrixColumn(s, shape.Name))
		}
	}
	for i, s := range sides {
		for j := range s.Report.Verdicts {
			v := &s.Report.Verdicts[j]
			if column, ok := at[columnKey(i, v.Shape)]; ok {
				m.row(v).add(column, v)
			}
		}
	}
	types := []guidelines.Type{guidelines.Pattern, guidelines.Monotony, guidelines.Split}
	slices.SortStableFunc(m.Rows, func(a, b MatrixRow) int { return slices.Index(types, a.Type) - slices.Index(types, b.Type) })
	return m
}

func columnKey(side int, shape string) string { return fmt.Sprint(side, " ", shape) }

func matrixColumn(s *analyze.Side, shape string) MatrixColumn {
	r := s.Report
	c := MatrixColumn{Folder: s.Name, Library: r.Library, Host: r.Host, Shape: shape, Created: r.Created, R: r.R, Method: r.Method, Datatype: r.Datatype, Op: r.Op}
	var sizes []int64
	for _, v := range r.Verdicts {
		if v.Shape == shape {
			sizes = append(sizes, v.Msize)
			c.LargestMsize = max(c.LargestMsize, v.Msize, v.MsizeOther)
		}
	}
	if len(sizes) > 0 {
		c.LeastMsize = slices.Min(sizes)
	}
	return c
}

func (m *Matrix) row(v *analyze.Verdict) *MatrixRow {
	return lists.FirstOrNew(&m.Rows, func(r MatrixRow) bool {
		return r.Guideline == v.Guideline && r.Type == v.Type && r.Function == v.Function && r.Mockup == v.Mockup
	}, MatrixRow{v.Guideline, v.Type, v.Function, v.Mockup, make([]*MatrixCell, len(m.Columns))})
}

func (r *MatrixRow) add(column int, v *analyze.Verdict) {
	if r.Cells[column] == nil {
		r.Cells[column] = &MatrixCell{Tests: map[judge.Verdict]int{}, Violated: []int64{}}
	}
	c := r.Cells[column]
	c.Tests[v.Verdict]++
	if v.Verdict != judge.Violated && v.Verdict != judge.SeenOnce {
		return
	}
	if at, found := slices.BinarySearch(c.Violated, v.Msize); !found {
		c.Violated = slices.Insert(c.Violated, at, v.Msize)
	}
	if v.Ratio != nil && (c.Ratio == nil || *v.Ratio > *c.Ratio) {
		c.Ratio = v.Ratio
	}
}
