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
	"pgmpi/internal/fixture"
	"pgmpi/internal/fixture/must"
)

// madeUp are so many tests that ten mpiruns of them cannot be judged in pairs.
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
	return newMpiruns(m, set, judge.Default())
}

func span(from, to int) (out []int) {
	for i := from; i < to; i++ {
		out = append(out, i)
	}
	return out
}

func TestDrawnMpirunsAreDifferentAndInARowIfConsecutive(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	different := func(groups ...[]int) bool {
		all := slices.Sorted(slices.Values(slices.Concat(groups...)))
		return len(slices.Compact(slices.Clone(all))) == len(all) && all[0] >= 0 && all[len(all)-1] < 50
	}
	inARow := func(runs []int) bool { return slices.Equal(runs, span(runs[0], runs[0]+len(runs))) }
	for i, how := range drawings {
		begins := map[int]bool{}
		for range 500 {
			drawn, others := how.some(random, 50, 10)
			a, b := how.two(random, 50, 20)
			if len(drawn) != 10 || len(others) != 40 || len(a) != 20 || len(b) != 20 || !different(drawn, others) || !different(a, b) {
				t.Fatalf("%s: %v and %v, %v and %v", how.name, drawn, others, a, b)
			}
			if rows := inARow(drawn) && inARow(a) && inARow(b); rows != (i == 1) {
				t.Fatalf("%s: %v, %v, %v in a row: %v", how.name, drawn, a, b, rows)
			}
			begins[drawn[0]] = true
		}
		if !begins[0] || !begins[40] {
			t.Errorf("%s: the first or the last mpiruns were never drawn", how.name)
		}
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
	for first, want := range map[int]judge.Verdict{0: judge.Violated, 10: judge.Kept, 20: judge.Kept} {
		runs := span(first, first+10)
		slices.Reverse(runs)
		r := must.Get(m.check(runs, judge.Once(10)))(t)
		for i, o := range m.outcomes(r) {
			if i == 2 && o.Verdict != want || i != 2 && o.Verdict != judge.Kept {
				t.Errorf("mpiruns from %d, test %d: %s", first, i, o.Verdict)
			}
		}
	}
	r := must.Get(m.check(span(5, 29), judge.Usual(judge.Default(), madeUp)))(t)
	if r.R != 24 || r.Looks == nil || r.Verdicts[0].Runs != 8 {
		t.Errorf("R = %d, %d mpiruns of a kept test, want the usual 24 and 8", r.R, r.Verdicts[0].Runs)
	}
}

func TestTestsThatLackARunMedianAreLeftOut(t *testing.T) {
	m := folderOf(20, func(run, test, _ int) float64 {
		if run == 19 && test == 3 {
			return math.NaN()
		}
		return 1
	})
	if want := append(span(0, 3), span(4, madeUp)...); !slices.Equal(m.tests, want) {
		t.Fatalf("got tests %v, want %v", m.tests, want)
	}
	r, err := m.check(span(0, 10), judge.Once(10))
	if err != nil || r.M != madeUp-1 {
		t.Errorf("a family of %d, want %d; %v", r.M, madeUp-1, err)
	}
}

func TestTooFewMpirunsForAnyVerdictAreAnError(t *testing.T) {
	m := folderOf(20, func(int, int, int) float64 { return 1 })
	if _, err := m.check(span(0, 3), judge.Once(3)); err == nil {
		t.Error("3 mpiruns were judged")
	}
}

// Two tests need 12 mpiruns, one 20, one more than there are, one an R that nobody knows;
// the headline says 15, which decide the third only.
func TestEveryRNeededIsMadeOnceForAllItsTests(t *testing.T) {
	need := func(r int) *judge.RunsNeeded { return &judge.RunsNeeded{R: r, Chance: .8, Towards: judge.Kept} }
	said := judge.Outlook{Needed: []*judge.RunsNeeded{need(12), nil, need(20), need(12), need(41), need(0)}, Half: &judge.Half{R: 15, Decides: 2.5}}
	decide := map[int]map[int]judge.Verdict{12: {0: judge.Kept}, 20: {2: judge.Violated, 3: judge.Kept}, 15: {2: judge.Kept}}
	var made []int
	again := repeatedChecks{most: 40, by: map[int][]judge.Outcome{}, check: func(r int) ([]judge.Outcome, error) {
		made = append(made, r)
		out := make([]judge.Outcome, len(said.Needed))
		for i := range out {
			if out[i].Verdict = judge.Undecided; decide[r][i] != "" {
				out[i].Verdict = decide[r][i]
			}
		}
		return out, nil
	}}
	got := must.Get(again.count(said))(t)
	if slices.Sort(made); !slices.Equal(made, []int{12, 15, 20}) {
		t.Errorf("made checks with %v mpiruns, want 12, 15 and 20 once", made)
	}
	want := []count{{3, 5}, {2, 3}, {2 - 3*.8, 3}, {3, 3}, {1, 2}, {1, 5}, {1 - 5*.5, 5}}
	for i := range want {
		if math.Abs(got[i].n-want[i].n) > 1e-9 || got[i].of != want[i].of {
			t.Errorf("%d: got %v, want %v", i, got[i], want[i])
		}
	}
}

// Nothing changes here, so that the halves say the same.
func TestReplayOfAFolderGoesThroughAllQuestions(t *testing.T) {
	m := folderOf(60, func(_, test, side int) float64 { return 1 + .05*float64(test*(1-side)) })
	if err := m.replay(context.Background(), 4, 1); err != nil {
		t.Error(err)
	}
}

func TestAFolderIsForReplayAlone(t *testing.T) {
	for _, args := range [][]string{{"--folder", "x"}, {"size", "--folder", "x"}, {"replay", "proof", "--folder", "x"}} {
		if status := run(context.Background(), args); status != 2 {
			t.Errorf("%v: exit status %d, expected 2", args, status)
		}
	}
	var e env
	if _, libraries, err := parse(&e, []string{"replay", "--folder", "x"}); err != nil || !slices.Equal(libraries, []string{""}) {
		t.Errorf("libraries %q, %v; want no library, once", libraries, err)
	}
}
