package main

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"pgmpi/analyze"
	"pgmpi/analyze/judge"
	"pgmpi/internal/lists"
	"pgmpi/mockups"
)

const (
	// MPICH's Scan takes 1.3 to 1.9 times its mock-up's time from scanLeast to scanMost, in every
	// mpirun.
	scanGuideline = "GL16"
	scanLeast     = 8
	scanMost      = 1 << 10
)

// stabilityBench asks whether a check says the same when it is repeated: over all checks, and over
// checks in the same state of the machine.
func stabilityBench(ctx context.Context, e *env) {
	var checks []checked
	besideLoad(ctx, e.load, func(ctx context.Context) {
		for i := 1; i <= e.times; i++ {
			checks = append(checks, e.check(ctx, fmt.Sprint("check ", i), "[check]\nguidelines = [\"GL3..GL17\"]\n"+e.job(`"1..1Mi"`), i))
		}
	})
	e.ask(ctx, measured, e.stabilities(checks))
}

// stabilities returns the questions to checks in a row, and prints the cells that flipped.
func (e *env) stabilities(checks []checked) []question {
	all := seriesOf(checks)
	var scans []int
	for i, v := range checks[0].Verdicts {
		if v.Guideline == scanGuideline && v.Msize >= scanLeast && v.Msize <= scanMost {
			scans = append(scans, i)
		}
		if c := flipped(all.only([]int{i})); c.n > 0 {
			fmt.Printf("   %s %s at %d B:", v.Guideline, v.Function, v.Msize)
			for _, check := range all.checks {
				fmt.Printf("  %.2f %s", check[i].Ratio, check[i].Verdict)
			}
			fmt.Println()
		}
	}
	figures := flips(.20, 0, .03)
	if e.library == "mpich" {
		figures = append(figures, figure{what: fmt.Sprintf("Scan of %d to %d B, violated in every check", scanLeast, scanMost), least: 1, count: func(s *series) count {
			f := flipped(s.only(scans))
			return count{f.of - f.n, float64(len(scans))}
		}})
	}
	figures = append(figures,
		figure{what: "kept in one, violated in another, of all tests", most: .01, count: func(s *series) count {
			return count{keptOnce(s).n, float64(len(s.checks[0]))}
		}},
		figure{what: "the interval for another check holds its ratio", least: .93, count: func(*series) count {
			return held(checks, func(v *analyze.Verdict) (lo, hi *float64) { return v.AnotherLo95, v.AnotherHi95 })
		}},
		figure{what: "a check's own interval holds it", count: func(*series) count {
			return held(checks, func(v *analyze.Verdict) (lo, hi *float64) { return v.RatioLo95, v.RatioHi95 })
		}})
	out := []question{fixed("all checks", append(figures, replications()...), all)}
	if e.load {
		return out
	}
	var groups []*series
	for _, in := range byState(checks) {
		fmt.Printf("   %d of %d checks with a cache line at %.0f to %.0f ns\n", len(in), len(checks), in[0].line(), in[len(in)-1].line())
		if len(in) > 1 {
			groups = append(groups, seriesOf(in))
		}
	}
	return append(out, fixed("checks in the same state of the machine", append(flips(.10, .02, .03), replications()...), groups...))
}

// held counts over pairs of checks: does the interval of a test hold the ratio that the other has?
func held(checks []checked, interval func(*analyze.Verdict) (lo, hi *float64)) (c count) {
	for i, one := range checks {
		for k, other := range checks {
			if i == k {
				continue
			}
			for n := range one.Verdicts {
				lo, hi := interval(&one.Verdicts[n])
				if ratio := other.Verdicts[n].Ratio; lo != nil && hi != nil && ratio != nil {
					c.add(*lo <= *ratio && *ratio <= *hi)
				}
			}
		}
	}
	return c
}

func fixed(name string, figures []figure, all ...*series) question {
	return question{name, len(all), figures, func(_ *design, n int, _ *rand.Rand) *series { return all[n] }}
}

func seriesOf(checks []checked) *series {
	s := &series{}
	for _, c := range checks {
		s.checks = append(s.checks, outcomes(c.Verdicts))
	}
	return s
}

func (s *series) only(tests []int) *series {
	out := &series{}
	for _, check := range s.checks {
		out.checks = append(out.checks, lists.Map(tests, func(i int) judge.Outcome { return check[i] }))
	}
	return out
}

// sameState is the largest factor between two readings of the yardstick in one state. On the
// machine of docs/dev/benchmarks.md one state read 66 to 119 ns, the other 367 to 453.
const sameState = 2

func byState(checks []checked) (in [][]checked) {
	steady := slices.DeleteFunc(slices.Clone(checks), func(c checked) bool { return len(c.States) > 1 })
	slices.SortStableFunc(steady, func(a, b checked) int { return cmp.Compare(a.line(), b.line()) })
	for i, c := range steady {
		if i == 0 || c.line() > sameState*steady[i-1].line() {
			in = append(in, nil)
		}
		in[len(in)-1] = append(in[len(in)-1], c)
	}
	return in
}

const (
	// Calls must take at least 1 µs, or the plant is no longer exact.
	proofSizes  = `"1Ki", "16Ki", "128Ki"`
	proofPlants = 5 // checks of each planted slowdown
	proofAll    = 1.10
)

// proofBench measures how often pgmpi is wrong: false violations where a collective or a message is compared
// with itself, and the share of planted slowdowns that it finds. docs/statistics.md has what it
// printed once.
func proofBench(ctx context.Context, e *env) {
	var questions []question
	for _, row := range []struct {
		percent, times int
		mayBeFalse     float64 // share of the checks; 0 sets no aim
		found          float64
	}{{0, e.times, .05, 0}, {5, proofPlants, 0, 0}, {10, proofPlants, 0, .95}, {25, proofPlants, 0, 0}} {
		questions = append(questions, question{fmt.Sprintf("%d %% planted into every second collective", row.percent), min(e.times, row.times), []figure{
			{what: "checks with a false violation", most: row.mayBeFalse, count: red(0)},
			{what: "found of planted", least: row.found, count: found},
		}, func(_ *design, n int, _ *rand.Rand) *series { return e.prove(ctx, row.percent, n) }})
	}
	besideLoad(ctx, e.load, func(ctx context.Context) { e.ask(ctx, measured, questions) })
}

// prove makes one check with every second collective and no message delayed, and prints its wrong findings.
func (e *env) prove(ctx context.Context, percent, n int) *series {
	text := "[check]\nguidelines = []\n" + e.job(proofSizes)
	slower := map[string]float64{}
	var plants []string
	for i, c := range slices.Concat(mockups.Identities(), mockups.Messages()) {
		text += fmt.Sprintf("[[guideline]]\nid = %q\npattern = { function = %q, mockup = %q }\n", "self-"+strings.TrimPrefix(c, "MPI_"), c, mockups.IdentityOf(c))
		if slower[c] = 1; percent > 0 && i%2 == 0 && slices.Contains(mockups.Identities(), c) {
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
