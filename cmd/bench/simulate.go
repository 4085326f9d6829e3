package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"sync"

	"pgmpi/analyze/judge"
)

// simulation is a library with known slowdowns: run medians are log-normal
// around their true value. The flags say what its fields mean.
type simulation struct {
	tests, slow       int
	sd, rho, glitches float64
}

// slowdowns are planted; 1 is none: a check of a library with itself.
var slowdowns = []float64{1, 1.05, 1.10, 1.25, 1.50}

// tally counts over checks.
type tally struct {
	checks, anyFalse, falseFound int
	planted, found, marginal     int // marginal: found, but below the minimum slowdown
	runs                         int // mpiruns that verdicts took
	refused                      bool
}

// count takes one test of a check.
func (t *tally) count(planted bool, verdict judge.Verdict) {
	violated := verdict == judge.Violated
	switch {
	case planted:
		t.planted++
		if violated {
			t.found++
		} else if verdict == judge.Marginal {
			t.marginal++
		}
	case violated:
		t.falseFound++
	}
}

// add takes a whole check.
func (t *tally) add(one tally) {
	t.checks++
	if one.falseFound > 0 {
		t.anyFalse++
	}
	t.falseFound, t.planted, t.found, t.marginal = t.falseFound+one.falseFound, t.planted+one.planted, t.found+one.found, t.marginal+one.marginal
	t.runs, t.refused = t.runs+one.runs, t.refused || one.refused
}

// design is one line of the table.
type design struct {
	name     string
	method   judge.Method
	schedule judge.Schedule
}

func designs() (out []design) {
	for _, method := range proofMethods {
		for _, r := range []int{3, 5, 8, 10, 15, 20, 30} {
			out = append(out, design{fmt.Sprintf("R = %d", r), method, judge.Once(r)})
		}
	}
	looks := judge.Schedule{Looks: []int{10, 20, 30}, Weights: []float64{.2, .3, .5}}
	return append(out, design{"looks 10, 20, 30", judge.MethodDefault, looks})
}

// simulateBench is proofBench with simulated run medians, R = 3…30.
func simulateBench(ctx context.Context, e *env) error {
	e.title("simulated: %d checks per number, m = %d tests, %d of them slowed down, sd between mpiruns %g, shared %g, glitches %g",
		e.times, e.tests, e.slow, e.sd, e.rho, e.glitches)
	table := newTable("method", "design", "A/A: false per check", "checks with any", "recall 5 %", "or marginal", "10 %", "25 %", "50 %", "share of mpiruns")
	for _, d := range designs() {
		row := []any{d.method, d.name}
		checks, runs := 0, 0
		for i, slowdown := range slowdowns {
			t, err := e.checksOf(ctx, d, slowdown)
			if err != nil {
				return err
			}
			if t.refused {
				row = append(row, "refused")
				break
			}
			if i == 0 {
				row = append(row, per(t.falseFound, t.checks), per(t.anyFalse, t.checks))
			} else {
				row = append(row, per(t.found, t.planted))
			}
			if i == 1 {
				row = append(row, per(t.found+t.marginal, t.planted))
			}
			checks, runs = checks+t.checks, runs+t.runs
		}
		if checks > 0 {
			row = append(row, per(runs, checks*e.tests*d.schedule.R()))
		}
		table.row(row...)
	}
	return table.Flush()
}

// checksOf makes the checks of one design and one slowdown, on all cores.
func (e *env) checksOf(ctx context.Context, d design, slowdown float64) (tally, error) {
	tallies, errs := make([]tally, e.times), make([]error, e.times)
	var wg sync.WaitGroup
	for i := range e.times {
		wg.Go(func() {
			if errs[i] = ctx.Err(); errs[i] == nil {
				tallies[i], errs[i] = e.check(d, slowdown, rand.New(rand.NewPCG(e.seed, uint64(i))))
			}
		})
	}
	wg.Wait()
	var total tally
	for _, t := range tallies {
		total.add(t)
	}
	return total, errors.Join(errs...)
}

// check simulates one check; the first tests are the slowed ones.
func (s simulation) check(d design, slowdown float64, random *rand.Rand) (t tally, err error) {
	cfg := judge.Default()
	cfg.Method = d.method
	plan, err := judge.NewDesign(cfg, d.schedule, s.tests)
	if err != nil || plan.Refused != nil {
		return tally{refused: err == nil}, err
	}
	q := plan.Family(0)
	slowed := func(test int) bool { return slowdown > 1 && test < s.slow }
	family := make([]judge.Pair, s.tests)
	for i := range family {
		family[i] = s.pair(d.schedule.R(), random)
		for k := range family[i].Orig {
			if slowed(i) {
				family[i].Orig[k] *= slowdown
			}
		}
	}
	for _, at := range d.schedule.Looks {
		now := make([]judge.Pair, len(family))
		for i, p := range family {
			now[i] = judge.Pair{Orig: p.Orig[:at], Other: p.Other[:at]}
		}
		if err := q.Look(now); err != nil {
			return t, err
		}
	}
	for i, o := range q.Outcomes {
		t.runs += o.Runs
		t.count(slowed(i), o.Verdict)
	}
	return t, nil
}

// pair makes the run medians of a call and its equal, in µs.
func (s simulation) pair(r int, random *rand.Rand) judge.Pair {
	p := judge.Pair{Orig: make([]float64, r), Other: make([]float64, r)}
	shared, own := s.sd*math.Sqrt(s.rho), s.sd*math.Sqrt(1-s.rho)
	for i := range r {
		both := shared * random.NormFloat64()
		p.Orig[i] = math.Exp(both+own*random.NormFloat64()) * s.glitch(random)
		p.Other[i] = math.Exp(both+own*random.NormFloat64()) * s.glitch(random)
	}
	return p
}

// glitch is what another program does to a run median now and then: it makes it
// up to ten times as large.
func (s simulation) glitch(random *rand.Rand) float64 {
	if random.Float64() >= s.glitches {
		return 1
	}
	return math.Pow(10, random.Float64())
}
