package main

import (
	"math"
	"math/rand/v2"
	"testing"

	"pgmpi/analyze/judge"
	"pgmpi/bench/world"
	"pgmpi/testkit/should"
)

// Wilson's limits of 5 of 100: R, prop.test(5, 100, correct = FALSE) gives .0215 and .1118.
func TestLimitsOfIndependentCasesAreWilsons(t *testing.T) {
	counts := make([]count, 100)
	for i := range counts {
		counts[i].add(i < 5)
	}
	lo, hi := limits(counts, count{5, 100}, false)
	should.Hold(t, math.Abs(lo-0.0215) <= 2e-4 && math.Abs(hi-0.1118) <= 5e-4, "[%g, %g]", lo, hi)
}

// Ten series that say the same 100 times are worth ten cases.
func TestWhatBelongsTogetherCountsOnce(t *testing.T) {
	var alone, together []count
	for i := range 10 {
		n := float64(i % 2)
		alone, together = append(alone, count{n, 1}), append(together, count{100 * n, 100})
	}
	lo, _ := limits(alone, count{5, 10}, false)
	got, _ := limits(together, count{500, 1000}, false)
	should.Hold(t, math.Abs(got-lo) <= 0.02, "lower limit %g, of single cases %g", got, lo)
}

// Two checks of four cells: always violated; violated and kept; firm and undecided; never violated.
func TestFlipsKeptAndFirmAreCountedByCell(t *testing.T) {
	cell := func(v judge.Verdict, q float64) judge.Outcome { return judge.Outcome{Verdict: v, Replication: q} }
	checks := [][]judge.Outcome{
		{cell(judge.Violated, .95), cell(judge.Violated, .5), cell(judge.Violated, .95), cell(judge.Kept, 0)},
		{cell(judge.Violated, .95), cell(judge.Kept, 0), cell(judge.Undecided, 0), cell(judge.Undecided, 0)},
	}
	for i, want := range []count{{2, 3}, {1, 3}, {1, 3}} {
		f := flips(0, 0, 0)[i]
		should.Hold(t, f.count(&series{checks: checks}) == want, "%s: %v, want %v", f.what, f.count(&series{checks: checks}), want)
	}
	again := replications()
	for i, want := range map[int]count{3: {0, 1}, 7: {2, 3}} {
		got := again[i].count(&series{checks: checks})
		should.Hold(t, got == want, "%s: %v, want %v", again[i].what, got, want)
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
		w          world.World
		side, diff float64 // of ln orig, and of ln orig − ln other
	}{
		{"own", world.World{Own: .04}, .04, .04 * math.Sqrt2},
		{"shared", world.World{Own: .02, Cases: .0346}, .04, .02 * math.Sqrt2},
		{"spreads 1:1 or not have the same sum", world.World{Own: .04, Spreads: [][2]float64{{1, 1}}}, .04, .04 * math.Sqrt2},
		{"half of the mpiruns twice as slow", world.World{Own: .001, States: [2]float64{.5, .5}}, math.Ln2 / 2, .001 * math.Sqrt2},
		{"jumps", world.World{Own: .002, Jumps: 1.2}, math.Log(1.2), math.Log(1.2)},
	} {
		p := c.w.Pairs([]float64{1}, r, 0, random)[0]
		orig, diff := make([]float64, r), make([]float64, r)
		for i := range r {
			orig[i] = math.Log(p.Orig[i])
			diff[i] = orig[i] - math.Log(p.Other[i])
		}
		got := sd(orig)
		should.Hold(t, math.Abs(got/c.side-1) <= .03, "%s: a side spreads by %g, want %g", c.name, got, c.side)
		got = sd(diff)
		should.Hold(t, math.Abs(got/c.diff-1) <= .03, "%s: the difference spreads by %g, want %g", c.name, got, c.diff)
	}
}

func TestDesignsAreNamedAsThePageDoes(t *testing.T) {
	for name, looks := range map[string]int{"usual": 3, "10": 1, "10+20+30": 3, "paper": 1} {
		should.Equal(t, len(newDesign(name, 300).Looks), looks, "%s: looks", name)
	}
	for _, name := range []string{"", "x", "0", "20+10", "1+2+3+4", "3"} {
		should.Hold(t, try(func() { newDesign(name, 300) }) != nil, "%q is no design of 300 tests", name)
	}
}

// Three series of two checks, in the first of which a call that is not slower is red.
func TestASurveyCountsEverySeriesAndMissesItsAims(t *testing.T) {
	q := question{"made up", 3, []figure{
		{what: "red", most: never, count: red(0)},
		{what: "found", least: .5, count: found},
		{what: "counted", mean: true},
	}, func(_ *design, n int, _ *rand.Rand) *series {
		v := judge.Kept
		if n == 0 {
			v = judge.Violated
		}
		return &series{checks: [][]judge.Outcome{{{Verdict: v}, {Verdict: judge.Violated}}}, truth: [][]float64{{1, 1.1}}, counted: []count{2: {float64(n), 1}}}
	}}
	counts := measured.count(t.Context(), &q, &design{}, 1)
	for f, want := range [][]count{{{1, 1}, {0, 1}, {0, 1}}, {{1, 1}, {1, 1}, {1, 1}}, {{0, 1}, {1, 1}, {2, 1}}} {
		should.Equal(t, counts[f], want, "%s", q.figures[f].what)
	}
	var e env
	if e.ask(t.Context(), measured, []question{q}); !e.missed {
		t.Error("a red check is no missed aim")
	}
	e = env{rows: "another"}
	if e.ask(t.Context(), measured, []question{q}); e.missed {
		t.Error("a question that was not asked has missed its aim")
	}
	e = env{}
	if e.ask(t.Context(), measured, []question{fixed("no series", q.figures)}); !e.missed {
		t.Error("a question without series keeps its aims")
	}
}

// What chooses the fastest of several equal mock-ups, as textbook algorithms, does not test it. Of 200 checks with 5 %
// there are more than 17 once in 80.
func TestChoosingTheFastestOfEqualOnesMakesNoFalseViolations(t *testing.T) {
	for name, w := range map[string]world.World{"iid": iid, "shared": shared, "quiet": quiet} {
		d, bad, tests := newDesign("8+16+24", 20), 0, 0
		for n := range 200 {
			tested := get(w.Fastest(d.Design, 20, n, rand.New(rand.NewPCG(7, uint64(n)))))
			if c := red(0)(&series{checks: [][]judge.Outcome{tested}}); c.n > 0 {
				bad++
			}
			tests += len(tested)
		}
		should.Hold(t, bad <= 17 && tests > 0, "%s: %d of 200 checks have a false violation, of %d tests", name, bad, tests)
	}
}

func TestAMethodWithoutExperimentsTestsNoneOfEqualOnes(t *testing.T) {
	d, w := newDesign("paper", 20), iid
	tested := get(w.Fastest(d.Design, 200, 0, rand.New(rand.NewPCG(1, 1))))
	should.Equal(t, len(tested), 0, "tests")
}
