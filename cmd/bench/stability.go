package main

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"pgmpi/analyze/judge"
	"pgmpi/cmd/bench/meter"
	"pgmpi/internal/stats"
)

const (
	// From scanLeast to scanMost MPICH's Scan is 1.3 to 1.9 times slower than its mock-up
	// in every mpirun.
	scanGuideline = "GL16"
	scanLeast     = 8
	scanMost      = 1 << 10

	farRatio = 1.15 // from which no verdict should flip
)

// steady is false when the machine's state changed, as far as is known.
func (c checked) steady() bool { return meter.Steady(c.readings) && len(c.States) <= 1 }

// stabilityBench asks whether a check says the same when it is done again: over all
// checks, and over those that ran in the same state of the machine.
func stabilityBench(ctx context.Context, e *env) {
	var checks []checked
	besideLoad(ctx, e.load, func(ctx context.Context) {
		for i := 1; i <= e.times; i++ {
			checks = append(checks, e.check(ctx, fmt.Sprint("check ", i), "[check]\nguidelines = [\"GL3..GL17\"]\n"+e.job(`"1..1Mi"`), i))
		}
	})
	e.ask(ctx, measured, e.stabilities(checks))
}

// stabilities are the questions to checks in a row. It prints the cells that flipped.
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
	figures := append(flips(.20, 0, .03),
		figure{what: fmt.Sprintf("of a median ratio from %g on: not in another", farRatio), count: cells(farFlipped)})
	for _, p := range []float64{.5, .75, .9} {
		figures = append(figures, figure{what: fmt.Sprintf("%% from check to check beyond the intervals, at %g", p), mean: true, count: beyond(p)})
	}
	if e.library == "mpich" {
		figures = append(figures, figure{what: fmt.Sprintf("Scan of %d to %d B, violated in every check", scanLeast, scanMost), least: 1, count: func(s *series) count {
			f := flipped(s.only(scans))
			return count{f.of - f.n, float64(len(scans))}
		}})
	}
	out := []question{fixed("all checks", append(figures, replications()...), all)}
	if e.load {
		return out
	}
	states, within := byState(checks)
	var groups []*series
	for i, s := range states {
		fmt.Printf("   %d of %d checks with a cache line at %v\n", len(within[i]), len(checks), s)
		if len(within[i]) > 1 {
			groups = append(groups, seriesOf(within[i]))
		}
	}
	return append(out, fixed("checks in the same state of the machine", append(flips(.10, .02, .03), replications()...), groups...))
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

// only leaves some of the tests.
func (s *series) only(tests []int) *series {
	out := &series{}
	for _, check := range s.checks {
		var some []judge.Outcome
		for _, i := range tests {
			some = append(some, check[i])
		}
		out.checks = append(out.checks, some)
	}
	return out
}

// byState returns the states of the machine that checks ran in as a whole, and the
// checks of each.
func byState(checks []checked) (states []meter.State, in [][]checked) {
	checks = slices.DeleteFunc(slices.Clone(checks), func(c checked) bool { return !c.steady() })
	var readings []float64
	for _, c := range checks {
		readings = append(readings, c.readings...)
	}
	states = meter.States(readings)
	in = make([][]checked, len(states))
	for _, c := range checks {
		i := meter.In(states, c.readings[0])
		in[i] = append(in[i], c)
	}
	return states, in
}

// farFlipped counts flips of cells whose median ratio is farRatio or more.
func farFlipped(c *count, in []judge.Outcome, violated int) {
	var ratios []float64
	for _, o := range in {
		if !math.IsNaN(o.Ratio) {
			ratios = append(ratios, o.Ratio)
		}
	}
	if len(ratios) > 0 && stats.MedianFinite(ratios) >= farRatio {
		c.add(violated < len(in))
	}
}

// cellSpread is what a cell's logarithms of ratios do over several checks.
type cellSpread struct {
	mean, variance float64 // over the checks
	within         float64 // variance that the 95 % intervals stand for, mean of the checks
}

// spreads leaves out cells without an interval in some check.
func (s *series) spreads() (out []cellSpread) {
	for i := range s.checks[0] {
		var logs, within []float64
		for _, check := range s.checks {
			o := check[i]
			se := math.Log(o.Hi95/o.Lo95) / (2 * distuv.UnitNormal.Quantile(.975))
			logs, within = append(logs, math.Log(o.Ratio)), append(within, se*se)
		}
		c := cellSpread{stat.Mean(logs, nil), stat.Variance(logs, nil), stat.Mean(within, nil)}
		if !math.IsNaN(c.mean + c.within) {
			out = append(out, c)
		}
	}
	return out
}

// between is the standard deviation from check to check beyond the intervals, 0 if there
// is nothing left.
func (c cellSpread) between() float64 { return math.Sqrt(max(0, c.variance-c.within)) }

// beyond is a quantile of the spread from check to check beyond the intervals, in per
// cent: what all mpiruns of a check have in common no check can see.
func beyond(p float64) func(*series) count {
	return func(s *series) count {
		var sd []float64
		for _, cell := range s.spreads() {
			sd = append(sd, 100*cell.between())
		}
		if len(sd) == 0 {
			return count{}
		}
		slices.Sort(sd)
		return count{stat.Quantile(p, stat.Empirical, sd, nil), 1}
	}
}
