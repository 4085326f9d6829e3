package main

import (
	"math"
	"math/rand/v2"
	"testing"

	"pgmpi/analyze/judge"
)

// Wilson's limits of 5 of 100: R, prop.test(5, 100, correct = FALSE) gives .0215 and .1118.
func TestLimitsOfIndependentCasesAreWilsons(t *testing.T) {
	counts := make([]count, 100)
	for i := range counts {
		counts[i].add(i < 5)
	}
	share, lo, hi := limits(counts, false)
	if share != 0.05 || math.Abs(lo-0.0215) > 2e-4 || math.Abs(hi-0.1118) > 5e-4 {
		t.Errorf("%g [%g, %g]", share, lo, hi)
	}
}

// Ten series that say the same 100 times are worth ten cases.
func TestWhatBelongsTogetherCountsOnce(t *testing.T) {
	var alone, together []count
	for i := range 10 {
		n := float64(i % 2)
		alone, together = append(alone, count{n, 1}), append(together, count{100 * n, 100})
	}
	_, lo, _ := limits(alone, false)
	if _, got, _ := limits(together, false); math.Abs(got-lo) > 0.02 {
		t.Errorf("lower limit %g, of single cases %g", got, lo)
	}
}

// Two checks of four cells: always violated; violated and kept; firm and undecided; never violated.
func TestFlipsKeptAndFirmAreCountedByCell(t *testing.T) {
	cell := func(v judge.Verdict, q float64) judge.Outcome { return judge.Outcome{Verdict: v, Replication: q} }
	checks := [][]judge.Outcome{
		{cell(judge.Violated, .95), cell(judge.Violated, .5), cell(judge.Violated, .95), cell(judge.Kept, 0)},
		{cell(judge.Violated, .95), cell(judge.Kept, 0), cell(judge.Undecided, 0), cell(judge.Undecided, 0)},
	}
	got := flipCounts(checks)
	for i, want := range []count{{2, 3}, {1, 3}, {1, 3}} {
		if got[i] != want {
			t.Errorf("%d: %v, want %v", i, got[i], want)
		}
	}
	q := replicationCounts(checks)
	if q[3] != (count{0, 1}) || q[7] != (count{2, 3}) {
		t.Errorf("violated again: %v", q)
	}
}

// The spreads of logarithms must be those that a world says.
func TestAWorldHasTheSpreadsThatItSays(t *testing.T) {
	const r = 20000
	random := rand.New(rand.NewPCG(1, 2))
	sd := func(x []float64) float64 {
		var sum, squares float64
		for _, v := range x {
			sum, squares = sum+v, squares+v*v
		}
		return math.Sqrt(squares/float64(len(x)) - sum*sum/float64(len(x)*len(x)))
	}
	for _, c := range []struct {
		name       string
		w          world
		side, diff float64 // of ln orig, and of ln orig − ln other
	}{
		{"own", world{own: .04}, .04, .04 * math.Sqrt2},
		{"shared", world{own: .02, cases: .0346}, .04, .02 * math.Sqrt2},
		{"spreads 1:1 or not have the same sum", world{own: .04, spreads: []spread{{1, 1}}}, .04, .04 * math.Sqrt2},
		{"half of the mpiruns twice as slow", world{own: .001, states: [2]float64{.5, .5}}, math.Ln2 / 2, .001 * math.Sqrt2},
		{"jumps", world{own: .002, jumps: 1.2}, math.Log(1.2), math.Log(1.2)},
	} {
		p := c.w.pairs([]float64{1}, r, 0, random)[0]
		orig, diff := make([]float64, r), make([]float64, r)
		for i := range r {
			orig[i] = math.Log(p.Orig[i])
			diff[i] = orig[i] - math.Log(p.Other[i])
		}
		if got := sd(orig); math.Abs(got/c.side-1) > .03 {
			t.Errorf("%s: a side spreads by %g, want %g", c.name, got, c.side)
		}
		if got := sd(diff); math.Abs(got/c.diff-1) > .03 {
			t.Errorf("%s: the difference spreads by %g, want %g", c.name, got, c.diff)
		}
	}
}

func TestDesignsAreNamedAsThePageDoes(t *testing.T) {
	for name, looks := range map[string]int{"usual": 3, "10": 1, "10+20+30": 3, "paper": 1} {
		if d, err := newDesign(name, 300); err != nil || len(d.Looks) != looks {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, name := range []string{"", "x", "0", "20+10", "1+2+3+4", "3"} {
		if _, err := newDesign(name, 300); err == nil {
			t.Errorf("%q is no design of 300 tests", name)
		}
	}
}
