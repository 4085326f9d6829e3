package analyze

import (
	"math"
	"math/rand/v2"
	"pgmpi/analyze/medians"
	"pgmpi/guidelines"
	"pgmpi/measure/protocol"
	"pgmpi/measure/results"
	"testing"
)

const testR = 12

var p2 = guidelines.Shape{NP: 2}

// fixture is a plan about MPI_Reduce at 8 and 64 B with two mock-ups: cases 0,
// 1 are Reduce, 2, 3 reduce_as_allreduce, 4, 5 the other. Test 0 is monotony
// at 8 B, 1 split at 64 B, 2 and 3 GL8, 4 and 5 GL14.
func fixture() *results.Manifest {
	m := &results.Manifest{R: testR}
	plan := &m.Plan
	plan.Shapes = []guidelines.Shape{p2}
	names := []string{"MPI_Reduce", "reduce_as_allreduce", "reduce_as_reduce_scatter_block+gather"}
	for _, f := range names {
		for _, size := range []int64{8, 64} {
			plan.Cases = append(plan.Cases, guidelines.Case{Function: f, Msize: size, Shape: p2})
		}
	}
	add := func(id string, typ guidelines.Type, mockup string, size int64, c int, others ...int) {
		plan.Tests = append(plan.Tests, guidelines.Test{Guideline: id, Type: typ, Function: "MPI_Reduce", Mockup: mockup,
			Msize: size, Shape: p2, Case: c, Others: others})
	}
	add("GL1", guidelines.Monotony, "", 8, 0, 1)
	add("GL2", guidelines.Split, "", 64, 1, 0)
	add("GL8", guidelines.Pattern, names[1], 8, 0, 2)
	add("GL8", guidelines.Pattern, names[1], 64, 1, 3)
	add("GL14", guidelines.Pattern, names[2], 8, 0, 4)
	add("GL14", guidelines.Pattern, names[2], 64, 1, 5)
	return m
}

// measured gives runs in which case i takes about ns[i].
func measured(m *results.Manifest, ns ...int64) []results.Run {
	var runs []results.Run
	for n := 1; n <= m.R; n++ {
		run := results.Run{Header: results.Header{Mode: protocol.ModeMeasure, Shape: p2, Run: n}}
		for i, c := range m.Plan.Cases {
			run.Cases = append(run.Cases, results.CaseInfo{Plan: i, Function: c.Function, Msize: c.Msize,
				CaseResult: protocol.CaseResult{Status: protocol.StatusOK}})
			run.Samples = append(run.Samples, []protocol.Sample{{NS: ns[i] + int64(n)}, {NS: ns[i] + int64(n)}, {NS: ns[i] + int64(n) + 2}, {NS: ns[i] + int64(n) - 2}})
		}
		runs = append(runs, run)
	}
	return runs
}

// collected reduces the runs.
func collected(t *testing.T, m *results.Manifest, runs []results.Run) *medians.Set {
	t.Helper()
	set := medians.New(m)
	for i := range runs {
		if err := set.Add(&runs[i]); err != nil {
			t.Fatal(err)
		}
	}
	return set
}

// inMpiruns measures wide: what case i takes in an mpirun, with noise of 1 %.
func inMpiruns(m *results.Manifest, ns func(i, run int) float64) []results.Run {
	rng := rand.New(rand.NewPCG(3, 4))
	all := make([]int64, len(m.Plan.Cases))
	runs := measured(m, all...)
	for n := range runs {
		for i := range all {
			x := int64(ns(i, n+1) * math.Exp(0.01*rng.NormFloat64()))
			runs[n].Samples[i] = []protocol.Sample{{NS: x}, {NS: x}, {NS: x}}
		}
	}
	return runs
}

// withLooks is the fixture over 30 mpiruns with looks.
func withLooks() *results.Manifest {
	m := fixture()
	m.R, m.Looks, m.LookWeights = 30, []int{10, 20, 30}, []float64{0.2, 0.3, 0.5}
	return m
}

// quiet is a library that keeps every guideline of fixture.
var quiet = []int64{10000, 15000, 20000, 30000, 20000, 25000}

// wide is fixture with 20 cases, and r mpiruns.
func wide(r int) *results.Manifest {
	m := fixture()
	m.R = r
	m.Plan.Datatype, m.Plan.Op = "byte", "bor"
	for len(m.Plan.Cases) < 20 {
		m.Plan.Cases = append(m.Plan.Cases, guidelines.Case{Function: "MPI_Bcast", Msize: int64(len(m.Plan.Cases)), Shape: p2})
	}
	return m
}

// slowIn tells whether the machine is slow in an mpirun of the tests below: in 8 of 20.
func slowIn(run int) bool { return run%5 == 2 || run%5 == 4 }

// stately is a machine that is 1.9 times as slow in some mpiruns. There the call of test 3, case
// 1, takes `there` times as long as its mock-up, case 3; else it takes `here` times as long.
func stately(here, there float64) func(i, run int) float64 {
	return func(i, run int) float64 {
		ns, ratio := 100000.0*float64(1+i%2), here
		if slowIn(run) {
			ns, ratio = 1.9*ns, there
		}
		if i == 1 {
			ns *= ratio
		}
		return ns
	}
}
