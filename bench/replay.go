package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strconv"

	"pgmpi/analyze/judge"
	"pgmpi/analyze/medians"
	"pgmpi/bench/steady"
	"pgmpi/guidelines"
	"pgmpi/measure/protocol"
	"pgmpi/measure/results"
)

const (
	replayDraws  = 100 // of each kind
	replayScreen = 10  // mpiruns of the checks that estimate R needed
)

// replayBench asks of real mpiruns what simulateBench asks of simulated ones. It draws some of a
// folder that has many, judges them as a check, and compares what this promises of new checks with
// checks that it makes of the others.
func replayBench(ctx context.Context, e *env) {
	dir := e.folder
	if dir == "" {
		text := fmt.Sprintf("%smpiruns = %d\n[measure]\nsplit_experiment = false\n", checkTOML, e.times)
		dir = e.check(ctx, "the folder", text, int(e.seed)).out
	}
	m := openMpiruns(dir)
	fmt.Printf("   %d mpiruns, %d tests\n", m.n, len(m.tests))
	e.ask(ctx, survey{make([]design, 1), runtime.GOMAXPROCS(0)}, m.questions(replayDraws))
}

// mpiruns holds the mpiruns of a results folder, numbered from 0.
type mpiruns struct {
	n     int
	tick  float64
	tests []judge.Pair // by mpirun, for tests whose cases have a run median in every mpirun
}

func opened(dir string) (*results.Manifest, *medians.Set) {
	m, set, err := steady.Collect(dir)
	must(err)
	return m, set
}

func openMpiruns(dir string) *mpiruns {
	out := newMpiruns(opened(dir))
	if out.n <= replayScreen || len(out.tests) == 0 {
		must(fmt.Errorf("%s has %d mpiruns and %d tests whose cases have a run median in each: %d are drawn, and some must be left: `pgmpi check --mpiruns 100` makes a folder that has enough",
			dir, out.n, len(out.tests), replayScreen))
	}
	return out
}

// newMpiruns leaves out the tests that lack some or all run medians.
func newMpiruns(m *results.Manifest, set *medians.Set) *mpiruns {
	out := &mpiruns{n: m.Runs(protocol.ModeMeasure), tick: float64(set.TickNS)}
	usable := func(i int) bool { return set.Cases[i].Status == protocol.StatusOK && set.Cases[i].Problem(out.n) == "" }
	for _, t := range m.Plan.Tests {
		if t.Type != guidelines.Split && usable(t.Case) && usable(t.Others[0]) {
			out.tests = append(out.tests, judge.Pair{Orig: set.Cases[t.Case].Medians, Other: set.Cases[t.Others[0]].Medians})
		}
	}
	return out
}

func (m *mpiruns) pairs(runs []int) []judge.Pair {
	out := make([]judge.Pair, len(m.tests))
	for i, all := range m.tests {
		for _, run := range runs {
			out[i].Orig, out[i].Other = append(out[i].Orig, all.Orig[run]), append(out[i].Other, all.Other[run])
		}
	}
	return out
}

// drawing orders the mpiruns: the first ones are drawn, and the others follow.
type drawing struct {
	name  string
	order func(random *rand.Rand, n, drawn int) []int
}

var drawings = []drawing{
	{"random mpiruns", func(random *rand.Rand, n, _ int) []int { return random.Perm(n) }},
	{"consecutive mpiruns", func(random *rand.Rand, n, drawn int) []int {
		var out []int
		for run := range n {
			out = append(out, run)
		}
		first := random.IntN(n - drawn + 1)
		return slices.Concat(out[first:first+drawn], out[:first], out[first+drawn:])
	}},
}

// questions returns questions to parts of the folder. Do as many of the other mpiruns as ten say are needed decide
// what these leave undecided? Do two usual checks that share no mpirun agree?
func (m *mpiruns) questions(draws int) (out []question) {
	usual, ten := newDesign("usual", len(m.tests)), newDesign(strconv.Itoa(replayScreen), len(m.tests))
	for _, how := range drawings {
		out = append(out, question{fmt.Sprintf("%d %s, then as many of the others as they need", replayScreen, how.name), draws, needs(.85),
			func(_ *design, _ int, random *rand.Rand) *series {
				order := how.order(random, m.n, replayScreen)
				others := order[replayScreen:]
				return ten.followed(m.pairs(order[:replayScreen]), func(r int) []judge.Pair {
					random.Shuffle(len(others), func(i, k int) { others[i], others[k] = others[k], others[i] })
					return m.pairs(others[:r])
				}, len(others), m.tick)
			}})
		if 2*usual.R() > m.n {
			fmt.Printf("   no two checks of %d %s: there are %d\n", usual.R(), how.name, m.n)
			continue
		}
		out = append(out, question{fmt.Sprintf("twice %d %s", usual.R(), how.name), draws, append(flips(0, 0, .03), replications()...),
			func(_ *design, _ int, random *rand.Rand) *series {
				order := how.order(random, m.n, 2*usual.R())
				return &series{checks: [][]judge.Outcome{usual.check(m.pairs(order[:usual.R()]), m.tick).Outcomes,
					usual.check(m.pairs(order[usual.R():2*usual.R()]), m.tick).Outcomes}}
			}})
	}
	return out
}
