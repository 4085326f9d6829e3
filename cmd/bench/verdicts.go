package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync"

	"pgmpi/analyze"
	"pgmpi/analyze/judge"
	"pgmpi/mockups"
)

// proofMethods are compared in simulated and in real checks.
var proofMethods = []judge.Method{judge.MethodDefault, judge.MethodPaper}

// tally counts over checks.
type tally struct {
	checks, anyFalse, falseFound int
	planted, found, marginal     int // marginal: found, but below the minimum slowdown
	runs                         int // mpiruns that verdicts took
}

// count takes one test of a check.
func (t *tally) count(planted bool, verdict judge.Verdict) {
	switch {
	case !planted && verdict == judge.Violated:
		t.falseFound++
	case planted:
		t.planted++
		if verdict == judge.Violated {
			t.found++
		} else if verdict == judge.Marginal {
			t.marginal++
		}
	}
}

// add takes a whole check.
func (t *tally) add(one tally) {
	t.checks++
	if one.falseFound > 0 {
		t.anyFalse++
	}
	t.falseFound += one.falseFound
	t.planted, t.found, t.marginal = t.planted+one.planted, t.found+one.found, t.marginal+one.marginal
	t.runs += one.runs
}

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

// proofSizes make calls of at least 1 µs, or the plant is no longer exact.
const proofSizes = `"1Ki", "16Ki", "128Ki"`

const proofPlants = 3 // checks of each planted slowdown

// proofBench measures how often pgmpi is wrong: false violations where a
// collective is compared with itself, and the share of planted slowdowns that it
// finds. docs/statistics.md has what it and simulateBench printed once.
func proofBench(ctx context.Context, e *env) error {
	e.title("every collective against itself: p = %d, R = %d, sizes %s", np, e.mpiruns, proofSizes)
	t := newTable("planted", "method", "checks", "false per check", "checks with any", "found of planted", "recall")
	for _, percent := range []int{0, 5, 10, 25, 50} {
		times := e.times
		if percent > 0 {
			times = min(times, proofPlants)
		}
		by := make([]tally, len(proofMethods))
		for i := range times {
			if err := e.prove(ctx, percent, 1000*percent+i+1, by); err != nil {
				return err
			}
		}
		for i, b := range by {
			t.row(fmt.Sprint(percent, " %"), proofMethods[i], b.checks, per(b.falseFound, b.checks), per(b.anyFalse, b.checks),
				fmt.Sprintf("%d/%d", b.found, b.planted), per(b.found, b.planted))
		}
	}
	return t.Flush()
}

// prove makes one check in which every second collective is delayed, and judges
// it by each method.
func (e *env) prove(ctx context.Context, percent, seed int, by []tally) error {
	var guidelines strings.Builder
	var slow, plants []string
	for i, c := range mockups.Identities() {
		fmt.Fprintf(&guidelines, "[[guideline]]\nid = %q\npattern = { function = %q, mockup = %q }\n",
			"self-"+strings.TrimPrefix(c, "MPI_"), c, mockups.IdentityOf(c))
		if percent > 0 && i%2 == 0 {
			slow, plants = append(slow, c), append(plants, fmt.Sprintf("%s:0..1024Mi:%d%%", c, percent))
		}
	}
	text := fmt.Sprintf("[check]\nguidelines = []\n[job]\nnp = [%d]\nmpiruns = %d\nmsizes = [%s]\n[nrep]\nfixed = 100\n", np, e.mpiruns, proofSizes)
	if len(plants) > 0 {
		text += fmt.Sprintf("[mpi]\nenv = { LD_PRELOAD = %q, PGMPI_DELAY = %q }\n", e.program("pgmpi-rank")+"-delay.so", strings.Join(plants, ","))
	}
	out, _, err := e.measure(ctx, "check", text+guidelines.String(), seed)
	if err != nil {
		return err
	}
	defer os.RemoveAll(out)
	for i, method := range proofMethods {
		if _, err := e.pgmpi(ctx, "analyze", out, "--method", string(method)); err != nil {
			return err
		}
		report, err := reportOf(out)
		if err != nil {
			return err
		}
		var one tally
		for _, v := range report.Verdicts {
			one.count(slices.Contains(slow, v.Function), v.Verdict)
		}
		by[i].add(one)
	}
	return nil
}

const (
	keptAim  = 0.01
	otherAim = 0.10
)

// stabilityBench asks whether a check says the same when it is done again: of
// the cells (a guideline at a size) that any of several checks in a row calls
// violated, how many does another call kept, and how many anything but violated?
func stabilityBench(ctx context.Context, e *env) error {
	const msizes = "1..1Mi"
	e.title("%d checks in a row of the same library: GL3-GL17 at %s B, p = %d, R = %d", e.times, msizes, np, e.mpiruns)
	text := fmt.Sprintf("[check]\nguidelines = [\"GL3..GL17\"]\n[job]\nnp = [%d]\nmpiruns = %d\nmsizes = [%q]\n", np, e.mpiruns, msizes)
	var reports []*analyze.Report
	for i := range e.times {
		out, took, err := e.measure(ctx, "check", text, i+1)
		if err != nil {
			return err
		}
		r, err := reportOf(out)
		if err != nil {
			return err
		}
		counts := map[judge.Verdict]int{}
		for _, v := range r.Verdicts {
			counts[v.Verdict]++
		}
		fmt.Printf("   check %d, %.0f s: %v\n", i+1, took, counts)
		reports = append(reports, r)
	}
	f := flipsOf(reports)
	for _, line := range f.lines {
		fmt.Println("   " + line)
	}
	fmt.Printf("   %d of %d cells were ever violated, %d of them in every check\n", f.violated, len(reports[0].Verdicts), f.violated-f.other)
	share := func(what string, n int, aim float64) error {
		got := fmt.Sprintf("%d of %d, %s", n, f.violated, percent(n, f.violated))
		return outcome("violated once, "+what+" in another check", got, fmt.Sprintf("under %.0f %%", 100*aim), n == 0 || float64(n) < aim*float64(f.violated))
	}
	return errors.Join(share("kept", f.kept, keptAim), share("not violated", f.other, otherAim))
}

// flips counts cells over several checks.
type flips struct {
	violated int      // in at least one check
	kept     int      // of these, kept in another
	other    int      // of these, anything but violated in another
	lines    []string // for every cell that flipped: ratio and verdict in each check
}

// flipsOf compares reports cell by cell; all have the same plan.
func flipsOf(reports []*analyze.Report) (f flips) {
	for i, c := range reports[0].Verdicts {
		line := fmt.Sprintf("%s %s at %d B:", c.Guideline, c.Function, c.Msize)
		in := map[judge.Verdict]int{}
		for _, r := range reports {
			v, ratio := r.Verdicts[i], 0.0
			if v.Ratio != nil {
				ratio = *v.Ratio
			}
			line += fmt.Sprintf("  %.2f %s", ratio, v.Verdict)
			in[v.Verdict]++
		}
		if in[judge.Violated] == 0 {
			continue
		}
		f.violated++
		if in[judge.Kept] > 0 {
			f.kept++
		}
		if in[judge.Violated] < len(reports) {
			f.other++
			f.lines = append(f.lines, line)
		}
	}
	return f
}
