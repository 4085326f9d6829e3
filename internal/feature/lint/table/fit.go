package table

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"pgmpi/analyze"
	"pgmpi/analyze/medians"
	"pgmpi/guidelines"
	"pgmpi/internal/stats"
	"pgmpi/mockups"
)

// Fitted has a model of each function's times: fit.json.
type Fitted struct {
	Schema string    `json:"schema"` // FittedSchema
	Folder string    `json:"folder"`
	Lines  []Fitting `json:"lines"`
	Few    []string  `json:"too_few_sizes"`
}

const (
	FittedSchema = "pgmpi-fit/1"
	fewest       = 4    // sizes for a line
	tolerated    = 0.25 // how far a measured time may be from a model that holds, relative
	sure         = 0.8  // the share of mpiruns that must be on the same side of the line
	fewestRuns   = 6    // that give their median an interval of 95 %
	clearly      = 4.0  // how many times less two lines must leave than one
)

// Fitting is Hockney's model t(n) = alpha + beta·n, by least squares of relative errors.
type Fitting struct {
	Function  string           `json:"function"`
	Shape     guidelines.Shape `json:"shape"`
	Mpiruns   int              `json:"mpiruns"` // that have all sizes
	Alpha     Estimate         `json:"alpha_s"`
	Beta      Estimate         `json:"beta_s_per_byte"` // bytes of a block
	Sizes     []int64          `json:"msizes"`
	Residuals []float64        `json:"residuals"`       // measured over modelled, less 1
	Typical   float64          `json:"median_residual"` // of their absolute values
	Off       []int64          `json:"off"`             // sizes where the model does not hold
	Break     int64            `json:"break"`           // where another line begins that fits clearly better; 0: none
}

// Estimate has an interval of 95 % over mpiruns, or nulls where these are too few.
type Estimate struct {
	Value float64  `json:"value"`
	Lo    *float64 `json:"lo95"`
	Hi    *float64 `json:"hi95"`
}

func (e *Estimate) over(mpiruns []float64) {
	if len(mpiruns) >= fewestRuns {
		lo, hi := stats.MedianInterval(mpiruns, 0.95)
		e.Lo, e.Hi = analyze.Number(min(lo, e.Value)), analyze.Number(max(hi, e.Value))
	}
}

// FitLines fits a line to every function and shape of a folder; sums of other times are left out.
func FitLines(side *analyze.Side) *Fitted {
	out := &Fitted{FittedSchema, side.Name, []Fitting{}, []string{}}
	cases := side.Manifest.Plan.Cases
	for i := 0; i < len(cases); {
		first, f := cases[i], Fitting{Function: cases[i].Function, Shape: cases[i].Shape}
		var ns [][]float64 // by size, then by mpirun
		for ; i < len(cases) && cases[i].Function == first.Function && cases[i].Shape == first.Shape; i++ {
			if k := &side.Set.Cases[i]; k.Median() > 0 && cases[i].Msize > 0 && side.Manifest.Sums[i] == nil {
				f.Sizes, ns = append(f.Sizes, cases[i].Msize), append(ns, k.Medians)
			}
		}
		switch {
		case len(ns) >= fewest:
			f.fit(ns)
			out.Lines = append(out.Lines, f)
		case len(ns) > 0:
			out.Few = append(out.Few, first.Function+" on "+first.Shape.String())
		}
	}
	return out
}

func (f *Fitting) fit(ns [][]float64) {
	y := make([]float64, len(ns))
	for i := range ns {
		y[i] = stats.MedianFinite(medians.Valid(ns[i])) / 1e9
	}
	x, left := hockney(f.Sizes, y)
	f.Alpha.Value, f.Beta.Value, f.Residuals = x[0], x[1], f.residuals(x, y)
	var alphas, betas, sizes []float64
	above := make([]float64, len(ns))
	for run := range ns[0] {
		y := []float64{}
		for i := range ns {
			if run < len(ns[i]) && !math.IsNaN(ns[i][run]) {
				y = append(y, ns[i][run]/1e9)
			}
		}
		if len(y) < len(ns) {
			continue
		}
		own, _ := hockney(f.Sizes, y)
		alphas, betas = append(alphas, own[0]), append(betas, own[1])
		for i, r := range f.residuals(x, y) {
			if r > 0 {
				above[i]++
			}
		}
	}
	f.Mpiruns = len(alphas)
	f.Alpha.over(alphas)
	f.Beta.over(betas)
	f.Off = []int64{}
	for i, r := range f.Residuals {
		sizes = append(sizes, math.Abs(r))
		share := above[i] / float64(max(1, f.Mpiruns))
		if math.Abs(r) > tolerated && max(share, 1-share) >= sure {
			f.Off = append(f.Off, f.Sizes[i])
		}
	}
	f.Typical = stats.MedianFinite(sizes)
	if len(f.Off) > 0 {
		f.Break = broken(f.Sizes, y, left/clearly)
	}
}

func (f *Fitting) residuals(x, y []float64) (out []float64) {
	for i := range y {
		out = append(out, y[i]/(x[0]+x[1]*float64(f.Sizes[i]))-1)
	}
	return out
}

// hockney returns alpha and beta, and the sum of squares that they leave.
func hockney(sizes []int64, y []float64) (x []float64, left float64) {
	var rows [][]float64
	for i := range y {
		rows = append(rows, []float64{1 / y[i], float64(sizes[i]) / y[i]})
	}
	return nonNegative(rows)
}

// broken is where the second of two lines begins, of two sizes or more each, that leave less than a limit.
func broken(sizes []int64, y []float64, limit float64) (at int64) {
	for k := 2; k <= len(y)-2; k++ {
		_, a := hockney(sizes[:k], y[:k])
		_, b := hockney(sizes[k:], y[k:])
		if a+b < limit {
			at, limit = sizes[k], a+b
		}
	}
	return at
}

// nonNegative solves rows·x = 1 by least squares with x ≥ 0, and returns the sum of squares: of all sets of values that
// may be above 0, which are few, it takes the best.
func nonNegative(rows [][]float64) (best []float64, left float64) {
	width := len(rows[0])
	best, left = make([]float64, width), float64(len(rows))
	for set := 1; set < 1<<width; set++ {
		var columns []int
		for j := range width {
			if set>>j&1 == 1 {
				columns = append(columns, j)
			}
		}
		if x, sum := solved(rows, columns); sum < left && slices.Min(x) >= 0 {
			best, left = x, sum
		}
	}
	return best, left
}

// solved is least squares with some columns, all others being 0.
func solved(rows [][]float64, columns []int) (x []float64, left float64) {
	a, ones := mat.NewDense(len(rows), len(columns), nil), mat.NewVecDense(len(rows), nil)
	for i, r := range rows {
		ones.SetVec(i, 1)
		for k, j := range columns {
			a.Set(i, k, r[j])
		}
	}
	var solution, off mat.VecDense
	if len(rows) < len(columns) || solution.SolveVec(a, ones) != nil {
		return []float64{0}, math.Inf(1)
	}
	off.MulVec(a, &solution)
	off.SubVec(ones, &off)
	x = make([]float64, len(rows[0]))
	for k, j := range columns {
		x[j] = solution.AtVec(k)
	}
	return x, mat.Dot(&off, &off)
}

// FitModel fits prices to the calls of folders whose work is known by a table each, or nil.
func FitModel(sides []*analyze.Side, table func(*analyze.Side) *Table) (m Model, calls int) {
	var all [][]float64
	for _, side := range sides {
		t, c := table(side), costs{plan: &side.Manifest.Plan}
		for i, k := range c.plan.Cases {
			f, _ := mockups.Get(k.Function)
			y := side.Set.Cases[i].Median() / 1e9
			if t == nil || !(y > 0) || f.IsMockup() && f.Algorithm == "" {
				continue
			}
			if w, err := t.work(c.call(f, k.Msize, k.Shape.NP), f.Algorithm); err == nil {
				all = append(all, []float64{w[0] / y, w[1] / y, w[2] / y, w[3] / y, w[4] / y})
			}
		}
	}
	if len(all) == 0 {
		return m, 0
	}
	x, _ := nonNegative(all)
	return Model{x[0], x[1], x[2], x[3], x[4]}, len(all)
}
