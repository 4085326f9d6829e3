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

// simulateBench is proofBench with simulated run medians, R = 3…30.
func simulateBench(ctx context.Context, e *env) error {
	e.title("simulated: %d checks per number, m = %d tests, %d of them slowed down, sd between mpiruns %g, shared %g, glitches %g",
		e.times, e.tests, e.slow, e.sd, e.rho, e.glitches)
	t := newTable("method", "design", "A/A: false per check", "checks with any", "recall 5 %", "or marginal", "10 %", "25 %", "50 %", "share of mpiruns")
	for _, method := range proofMethods {
		for _, r := range []int{3, 5, 8, 10, 15, 20, 30} {
			if err := e.simulate(ctx, t, method, fmt.Sprintf("R = %d", r), judge.Once(r)); err != nil {
				return err
			}
		}
	}
	looks := judge.Schedule{Looks: []int{10, 20, 30}, Weights: []float64{.2, .3, .5}}
	return errors.Join(e.simulate(ctx, t, judge.MethodDefault, "looks 10, 20, 30", looks), t.Flush())
}

// simulate adds the line of one design to the table.
func (e *env) simulate(ctx context.Context, t table, method judge.Method, name string, schedule judge.Schedule) error {
	cfg := judge.Default()
	cfg.Method = method
	d, err := judge.NewDesign(cfg, schedule, e.tests)
	if err != nil {
		return err
	}
	row := []any{method, name}
	if d.Refused != nil {
		t.row(append(row, "refused")...)
		return nil
	}
	checks, runs := 0, 0
	for i, slowdown := range slowdowns {
		all, err := e.checksOf(ctx, d, slowdown)
		if err != nil {
			return err
		}
		switch i {
		case 0:
			row = append(row, per(all.falseFound, all.checks), per(all.anyFalse, all.checks))
		case 1:
			row = append(row, per(all.found, all.planted), per(all.found+all.marginal, all.planted))
		default:
			row = append(row, per(all.found, all.planted))
		}
		checks, runs = checks+all.checks, runs+all.runs
	}
	t.row(append(row, per(runs, checks*e.tests*d.R()))...)
	return nil
}

// checksOf makes the checks of one design and one slowdown, on all cores.
func (e *env) checksOf(ctx context.Context, d *judge.Design, slowdown float64) (total tally, err error) {
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
	for _, t := range tallies {
		total.add(t)
	}
	return total, errors.Join(errs...)
}

// check simulates one check; the first tests are the slowed ones.
func (s simulation) check(d *judge.Design, slowdown float64, random *rand.Rand) (t tally, err error) {
	family := make([]judge.Pair, s.tests)
	for i := range family {
		family[i] = s.pair(d.R(), random)
		if i < s.slow {
			for k := range family[i].Orig {
				family[i].Orig[k] *= slowdown
			}
		}
	}
	q := d.Family(0)
	for _, at := range d.Looks {
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
		t.count(slowdown > 1 && i < s.slow, o.Verdict)
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
