package main

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgmpi/analyze/judge"
	"pgmpi/analyze/medians"
	"pgmpi/guidelines"
	"pgmpi/testkit/fixture"
	"pgmpi/testkit/should"
)

// madeUp is a number of tests too large to judge ten mpiruns of them in pairs.
const madeUp = 60

// folderOf is made up: n mpiruns of tests whose two sides take 1 µs and some ns; by
// changes a run median of a test's call (side 0) or of the other.
func folderOf(n int, by func(run, test, side int) float64) *mpiruns {
	random := rand.New(rand.NewPCG(1, 2))
	m := fixture.Empty(n)
	shape := guidelines.Shape{NP: np}
	m.Plan.Shapes = []guidelines.Shape{shape}
	for size := range int64(madeUp) {
		fixture.Case(m, fixture.GL8.Function, shape, size)
		fixture.Test(m, fixture.GL8.Guideline(), shape, size, fixture.Case(m, fixture.GL8.Mockup, shape, size))
	}
	set := medians.New(m)
	for i := range set.Cases {
		k := &set.Cases[i]
		k.Runs = n
		for run := range n {
			k.Medians[run] = 1000 * (1 + .002*random.NormFloat64()) * by(run, i/2, i%2)
		}
	}
	return newMpiruns(m, set)
}

func span(from, to int) (out []int) {
	for i := from; i < to; i++ {
		out = append(out, i)
	}
	return out
}

func TestDrawnMpirunsAreDifferentAndInARowIfConsecutive(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for i, how := range drawings {
		begins := map[int]bool{}
		for range 500 {
			order := how.order(random, 50, 10)
			drawn := order[:10]
			if !slices.Equal(slices.Sorted(slices.Values(order)), span(0, 50)) {
				t.Fatalf("%s: %v are not the 50 mpiruns", how.name, order)
			}
			if row := slices.Equal(drawn, span(drawn[0], drawn[0]+10)); row != (i == 1) {
				t.Fatalf("%s: %v in a row: %v", how.name, drawn, row)
			}
			begins[drawn[0]] = true
		}
		should.Hold(t, begins[0] && begins[40], "%s: the first or the last mpiruns were never drawn", how.name)
	}
}

// The third call is slower in the first ten mpiruns only, and five of each ten are twice
// as slow in general.
func TestPartsAreJudgedByTheirOwnMpiruns(t *testing.T) {
	m := folderOf(30, func(run, test, side int) float64 {
		by := float64(1 + run%2)
		if test == 2 && side == 0 && run < 10 {
			by *= 1.3
		}
		return by
	})
	ten, usual := newDesign("10", madeUp), newDesign("usual", madeUp)
	for first, want := range map[int]judge.Verdict{0: judge.Violated, 10: judge.Kept, 20: judge.Kept} {
		runs := span(first, first+10)
		slices.Reverse(runs)
		for i, o := range ten.check(m.pairs(runs), m.tick).Outcomes {
			should.Hold(t, (i != 2 || o.Verdict == want) && (i == 2 || o.Verdict == judge.Kept), "mpiruns from %d, test %d: %s", first, i, o.Verdict)
		}
	}
	f := usual.check(m.pairs(span(5, 29)), m.tick)
	should.Hold(t, usual.R() == 24 && f.Outcomes[0].Runs == 10, "R = %d, %d mpiruns of a kept test, want the usual 24 and 10", usual.R(), f.Outcomes[0].Runs)
}

func TestTestsThatLackARunMedianAreLeftOut(t *testing.T) {
	m := folderOf(20, func(run, test, _ int) float64 {
		if run == 19 && test == 3 {
			return math.NaN()
		}
		return float64(1 + test)
	})
	should.Hold(t, len(m.tests) == madeUp-1 && m.tests[3].Orig[0] >= 4900, "%d tests, the fourth takes %v", len(m.tests), m.tests[3].Orig[0])
}

// Two tests need 12 mpiruns, one 20, one more than there are, one an R that nobody knows;
// the headline says 15, which decide the third only.
func TestEveryRNeededIsMadeOnceForAllItsTests(t *testing.T) {
	need := func(r int) *judge.RunsNeeded { return &judge.RunsNeeded{R: r, Chance: .8, Towards: judge.Kept} }
	said := judge.Outlook{Needed: []*judge.RunsNeeded{need(12), nil, need(20), need(12), need(41), need(0)}, Half: &judge.Half{R: 15, Decides: 2.5}}
	decide := map[int]map[int]judge.Verdict{12: {0: judge.Kept}, 20: {2: judge.Violated, 3: judge.Kept}, 15: {2: judge.Kept}}
	var made []int
	s := &series{answers: follow(said, 40, func(r int) []judge.Outcome {
		made = append(made, r)
		out := make([]judge.Outcome, len(said.Needed))
		for i := range out {
			if out[i].Verdict = judge.Undecided; decide[r][i] != "" {
				out[i].Verdict = decide[r][i]
			}
		}
		return out
	})}
	if slices.Sort(made); !slices.Equal(made, []int{12, 15, 20}) {
		t.Errorf("made checks with %v mpiruns, want 12, 15 and 20 once", made)
	}
	for i, want := range []count{{2, 3}, {2 - 3*.8, 3}, {1, 5}, {1 - 5*.5, 5}} {
		f := needs(0)[i]
		should.Hold(t, math.Abs(f.count(s).n-want.n) <= 1e-9 && f.count(s).of == want.of, "%s: got %v, want %v", f.what, f.count(s), want)
	}
}

// Nothing changes here, so that the halves say the same.
func TestReplayOfAFolderGoesThroughAllQuestions(t *testing.T) {
	m := folderOf(60, func(_, test, side int) float64 { return 1 + .05*float64(test*(1-side)) })
	questions := m.questions(4)
	should.Equal(t, len(questions), 4, "questions")
	var e env
	if e.ask(t.Context(), survey{make([]design, 1), 2}, questions); e.missed {
		t.Error("missed")
	}
}

func TestAFolderIsForReplayAlone(t *testing.T) {
	for _, args := range [][]string{{"--folder", "x"}, {"size", "--folder", "x"}, {"replay", "proof", "--folder", "x"}} {
		should.Equal(t, run(context.Background(), args), 2, "%v: exit status", args)
	}
	var e env
	_, libraries, err := parse(&e, []string{"replay", "--folder", "x"})
	should.Hold(t, err == nil && slices.Equal(libraries, []string{""}), "libraries %q, %v; want no library, once", libraries, err)
	_, libraries, err = parse(&e, []string{"applications", "--folder", "x"})
	should.Hold(t, err == nil && len(libraries) == 2, "libraries %q, %v; want both", libraries, err)
}
