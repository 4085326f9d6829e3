package table

import (
	_ "embed"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"math"
	"slices"
	"strconv"
	"strings"

	"pgmpi/internal/tuning"
	"pgmpi/mockups"
)

// work counts what a process waits for in a call: rounds, posts, bytes, reduced and copied bytes (costs.txt).
type work [5]float64

// Model holds the prices of work. It is Hockney's, with LogP's gap for messages that are not waited for, and with
// operators and copies.
type Model struct {
	Alpha float64 `json:"alpha_s"`
	Gap   float64 `json:"gap_s"`
	Beta  float64 `json:"beta_s_per_byte"`
	Gamma float64 `json:"gamma_s_per_byte"`
	Copy  float64 `json:"copy_s_per_byte"`
}

func (m Model) seconds(w work) float64 {
	return m.Alpha*w[0] + m.Gap*w[1] + m.Beta*w[2] + m.Gamma*w[3] + m.Copy*w[4]
}

//go:embed costs.txt
var costsText string

// row holds a row of costs.txt.
type row struct {
	collectives, names, calls []string
	when                      ast.Expr // nil if always
	work                      [5]ast.Expr
}

var rows = func() (out []row) {
	for line := range strings.Lines(costsText) {
		fields := strings.Split(line, ";")
		if len(fields) < 4 || line[0] == '#' {
			continue
		}
		r := row{collectives: strings.Fields(fields[0]), names: strings.Fields(fields[1])}
		if by, ok := strings.CutPrefix(strings.TrimSpace(fields[2]), "="); ok {
			r.calls = strings.Fields(by)
		} else {
			r.when, _ = parser.ParseExpr(fields[2]) // a test reads all rows
			for i := range r.work {
				r.work[i], _ = parser.ParseExpr(fields[3+i])
			}
		}
		out = append(out, r)
	}
	return out
}()

func (r row) is(collective, name string) bool {
	return slices.Contains(r.collectives, strings.TrimPrefix(collective, "MPI_")) && slices.Contains(r.names, name)
}

func hasCost(collective, name string) bool {
	return slices.ContainsFunc(rows, func(r row) bool { return r.is(collective, name) })
}

// value computes a formula, or returns NaN if it has anything foreign. It may have numbers, the given names, + - *
// / and parentheses.
func value(e ast.Expr, of map[string]float64) float64 {
	switch e := e.(type) {
	case *ast.ParenExpr:
		return value(e.X, of)
	case *ast.BasicLit:
		x, _ := strconv.ParseFloat(e.Value, 64)
		return x
	case *ast.Ident:
		if x, ok := of[e.Name]; ok {
			return x
		}
	case *ast.BinaryExpr:
		x, y := value(e.X, of), value(e.Y, of)
		switch e.Op {
		case token.ADD:
			return x + y
		case token.SUB:
			return x - y
		case token.MUL:
			return x * y
		case token.QUO:
			return x / y
		default:
			return math.NaN()
		}
	}
	return math.NaN()
}

func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// work returns the cost of a call with an algorithm, or with the table's for "".
func (t *Table) work(of tuning.Call, algorithm string) (sum work, err error) {
	if algorithm == "" {
		if algorithm, err = t.algorithm(of); err != nil {
			return sum, err
		}
	}
	name, segment, fanout := mockups.Parameters(algorithm)
	f, _ := mockups.Get(of.Function)
	n, p := float64(of.Block*f.InAll(of.NP)), float64(of.NP)
	size, radix := max(1, n), 4.0
	if segment > 0 {
		size = min(size, float64(segment))
	}
	if fanout > 1 {
		radix = float64(fanout)
	}
	chains := max(1, float64(fanout))
	v := map[string]float64{"p": p, "n": n, "m": n / p, "L": math.Ceil(math.Log2(p)), "d": math.Ceil(math.Log2(p+1)) - 1,
		"K": math.Ceil(math.Log(p)/math.Log(radix) - 1e-9), "r": radix, "c": chains, "s": math.Ceil((p - 1) / chains), "S": size, "k": math.Ceil(n / size),
		"few": truth(float64(of.Elements) < math.Exp2(math.Floor(math.Log2(p)))), "fold": truth(of.NP&(of.NP-1) != 0), "odd": float64(of.NP % 2), "big": truth(of.Block > 8192)}
	i := slices.IndexFunc(rows, func(r row) bool { return r.is(of.Function, name) && (r.when == nil || value(r.when, v) != 0) })
	if of.NP < 2 {
		return sum, errors.New("one process, which sends no messages")
	}
	if i < 0 {
		return sum, fmt.Errorf("no cost is known of %s by %s", of.Function, name)
	}
	for k, formula := range rows[i].work {
		if formula != nil {
			sum[k] = value(formula, v)
		}
	}
	for _, by := range rows[i].calls {
		f, _ := mockups.Get("MPI_" + by)
		block := int64(n) / f.InAll(of.NP)
		w, err := t.work(tuning.Call{Function: f.ID, NP: of.NP, Block: block, Elements: block * of.Elements / max(1, of.Block)}, "")
		if err != nil {
			return sum, err
		}
		for k := range sum {
			sum[k] += w[k]
		}
	}
	return sum, nil
}
