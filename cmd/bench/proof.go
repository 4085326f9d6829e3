package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"

	"pgmpi/analyze/judge"
	"pgmpi/mockups"
)

const (
	// Calls of at least 1 µs, or the plant is no longer exact.
	proofSizes  = `"1Ki", "16Ki", "128Ki"`
	proofPlants = 5 // checks of each planted slowdown
	proofAll    = 1.10
)

// proofBench measures how often pgmpi is wrong: false violations where a
// collective is compared with itself, and the share of planted slowdowns that it
// finds. docs/statistics.md has what it printed once.
func proofBench(ctx context.Context, e *env) {
	var questions []question
	for _, row := range []struct {
		percent, times int
		mayBeFalse     float64 // share of the checks; 0: no aim
		found          float64
	}{{0, e.times, .05, 0}, {5, proofPlants, 0, 0}, {10, proofPlants, 0, .95}, {25, proofPlants, 0, 0}} {
		questions = append(questions, question{fmt.Sprintf("%d %% planted into every second collective", row.percent), min(e.times, row.times), []figure{
			{what: "checks with a false violation", most: row.mayBeFalse, count: red(0)},
			{what: "found of planted", least: row.found, count: found},
		}, func(_ *design, n int, _ *rand.Rand) *series { return e.prove(ctx, row.percent, n) }})
	}
	besideLoad(ctx, e.load, func(ctx context.Context) { e.ask(ctx, measured, questions) })
}

// prove makes one check in which every second collective is delayed, and prints what it
// says that is not so.
func (e *env) prove(ctx context.Context, percent, n int) *series {
	text := "[check]\nguidelines = []\n" + e.job(proofSizes)
	slower := map[string]float64{}
	var plants []string
	for i, c := range mockups.Identities() {
		text += fmt.Sprintf("[[guideline]]\nid = %q\npattern = { function = %q, mockup = %q }\n", "self-"+strings.TrimPrefix(c, "MPI_"), c, mockups.IdentityOf(c))
		if slower[c] = 1; percent > 0 && i%2 == 0 {
			slower[c] += float64(percent) / 100
			plants = append(plants, fmt.Sprintf("%s:0..1024Mi:%d%%", c, percent))
		}
	}
	if len(plants) > 0 {
		text += e.delay(plants...)
	}
	r := e.check(ctx, fmt.Sprintf("%d %% planted, check %d", percent, n+1), text, 1000*percent+n+1)
	truth := make([]float64, len(r.Verdicts))
	for i := range r.Verdicts {
		v := &r.Verdicts[i]
		truth[i] = slower[v.Function]
		if violated := v.Verdict == judge.Violated; violated && truth[i] == 1 || !violated && truth[i] >= proofAll {
			fmt.Println("      " + cell(v))
		}
	}
	return &series{checks: [][]judge.Outcome{outcomes(r.Verdicts)}, truth: [][]float64{truth}}
}
