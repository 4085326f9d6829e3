package main

import (
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"runtime"
	"sync"
	"text/tabwriter"

	"pgmpi/analyze/judge"
)

// simulation is a library with known slowdowns: run medians are log-normal
// around their true value.
type simulation struct {
	checks, tests, slow int
	sd, rho, glitches   float64
	seed                uint64
}

// slowdowns are planted; 1 is none: a check of a library with itself.
var slowdowns = []float64{1, 1.05, 1.10, 1.25, 1.50}

// tally counts over checks.
type tally struct {
	checks, anyFalse, falseFound int
	planted, found, marginal     int // marginal: found, but below the minimum slowdown
	runs, tests                  int // mpiruns that verdicts took
	refused                      bool
}

func (t *tally) add(u tally) {
	t.checks, t.anyFalse, t.falseFound = t.checks+u.checks, t.anyFalse+u.anyFalse, t.falseFound+u.falseFound
	t.planted, t.found, t.marginal = t.planted+u.planted, t.found+u.found, t.marginal+u.marginal
	t.runs, t.tests = t.runs+u.runs, t.tests+u.tests
	t.refused = t.refused || u.refused
}

// design is one line of the table.
type design struct {
	name     string
	method   judge.Method
	schedule judge.Schedule
}

func designs() []design {
	var out []design
	for _, method := range []judge.Method{judge.MethodDefault, judge.MethodPaper} {
		for _, r := range []int{3, 5, 8, 10, 15, 20, 30} {
			out = append(out, design{fmt.Sprintf("R = %d", r), method, judge.Once(r)})
		}
	}
	looks := judge.Schedule{Looks: []int{10, 20, 30}, Weights: []float64{.2, .3, .5}}
	return append(out, design{"looks 10, 20, 30", judge.MethodDefault, looks})
}

func (s simulation) run(out io.Writer) error {
	fmt.Fprintf(out, "Simulated: %d checks per number, m = %d tests, %d of them slowed down, sd between mpiruns %g, shared %g, glitches %g\n\n",
		s.checks, s.tests, s.slow, s.sd, s.rho, s.glitches)
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "method\tdesign\tA/A: false per check\tchecks with any\trecall 5 %\tor marginal\t10 %\t25 %\t50 %\tshare of mpiruns\t")
	for _, d := range designs() {
		fmt.Fprintf(w, "%s\t%s\t", d.method, d.name)
		var total tally
		for i, slowdown := range slowdowns {
			t, err := s.checksOf(d, slowdown)
			switch {
			case err != nil:
				return err
			case t.refused:
				fmt.Fprint(w, "refused\t")
			case i == 0:
				fmt.Fprintf(w, "%.2f\t%.2f\t", float64(t.falseFound)/float64(t.checks), float64(t.anyFalse)/float64(t.checks))
			default:
				fmt.Fprintf(w, "%.2f\t", float64(t.found)/float64(t.planted))
				if i == 1 {
					fmt.Fprintf(w, "%.2f\t", float64(t.found+t.marginal)/float64(t.planted))
				}
			}
			total.add(t)
			if t.refused {
				break
			}
		}
		if !total.refused {
			last := d.schedule.R()
			fmt.Fprintf(w, "%.2f\t", float64(total.runs)/float64(total.tests*last))
		}
		fmt.Fprintln(w)
	}
	return w.Flush()
}

// checksOf makes the checks of one design and one slowdown, on all cores.
func (s simulation) checksOf(d design, slowdown float64) (tally, error) {
	var (
		total tally
		first error
		mu    sync.Mutex
		wg    sync.WaitGroup
		next  = make(chan int)
	)
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for i := range next {
				t, err := s.check(d, slowdown, rand.New(rand.NewPCG(s.seed, uint64(i))))
				mu.Lock()
				total.add(t)
				if err != nil {
					first = err
				}
				mu.Unlock()
			}
		})
	}
	for i := range s.checks {
		next <- i
	}
	close(next)
	wg.Wait()
	return total, first
}

// check simulates one check; the first tests are the slowed ones.
func (s simulation) check(d design, slowdown float64, random *rand.Rand) (tally, error) {
	cfg := judge.Default()
	cfg.Method = d.method
	t := tally{checks: 1, tests: s.tests}
	plan, err := judge.NewDesign(cfg, d.schedule, s.tests)
	if err != nil || plan.Refused != nil {
		t.refused = err == nil
		return t, err
	}
	slow := s.slow
	if slowdown == 1 {
		slow = 0
	}
	last := d.schedule.R()
	q := plan.Family(0)
	family := make([]judge.Pair, s.tests)
	for i := range family {
		family[i] = s.pair(last, slowdown, i < slow, random)
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
	t.planted = slow
	for i, o := range q.Outcomes {
		t.runs += o.Runs
		switch violated := o.Verdict == judge.Violated; {
		case violated && i < slow:
			t.found++
		case o.Verdict == judge.Marginal && i < slow:
			t.marginal++
		case violated:
			t.falseFound++
		}
	}
	if t.falseFound > 0 {
		t.anyFalse = 1
	}
	return t, nil
}

// pair makes the run medians of a call and its equal, in µs.
func (s simulation) pair(r int, slowdown float64, slowed bool, random *rand.Rand) judge.Pair {
	p := judge.Pair{Orig: make([]float64, r), Other: make([]float64, r)}
	shared, own := s.sd*math.Sqrt(s.rho), s.sd*math.Sqrt(1-s.rho)
	for i := range r {
		both := shared * random.NormFloat64()
		p.Orig[i] = math.Exp(both+own*random.NormFloat64()) * s.glitch(random)
		p.Other[i] = math.Exp(both+own*random.NormFloat64()) * s.glitch(random)
		if slowed {
			p.Orig[i] *= slowdown
		}
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
