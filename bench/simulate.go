package main

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"pgmpi/analyze/judge"
	"pgmpi/bench/world"
	"pgmpi/internal/stats"
)

// simulateBench shows what the statistics promise (docs/statistics.md). It measures and judges
// known worlds as a check does.
func simulateBench(ctx context.Context, e *env) {
	s := survey{workers: runtime.GOMAXPROCS(0)}
	for _, name := range e.designs {
		s.designs = append(s.designs, newDesign(name, e.tests))
	}
	fmt.Printf("      %-50s %-16s", fmt.Sprintf("m = %d tests", e.tests), "aim")
	for _, d := range s.designs {
		fmt.Printf(" %-36s", d.name)
	}
	fmt.Println()
	e.ask(ctx, s, simulations(e.times, e.tests))
}

type design struct {
	name string
	*judge.Design
}

// newDesign reads "usual" (what check does by itself), "R", "R+R…" (with looks) or "paper".
func newDesign(name string, tests int) design {
	cfg, schedule := judge.Default(), judge.Usual(judge.Default(), tests)
	switch name {
	case "usual":
	case "paper":
		cfg.Method, schedule = judge.MethodPaper, judge.Once(10)
	default:
		schedule = judge.Schedule{}
		for part := range strings.SplitSeq(name, "+") {
			r, err := strconv.Atoi(part)
			if err != nil {
				must(fmt.Errorf("--designs: %s is none: usual, paper, or numbers of mpiruns as in 10 or 8+16+24", name))
			}
			schedule.Looks = append(schedule.Looks, r)
		}
		weights := map[int][]float64{1: {1}, 2: {.5, .5}, 3: {.2, .3, .5}}
		if schedule.Weights = weights[len(schedule.Looks)]; schedule.Weights == nil {
			must(fmt.Errorf("--designs: %s has more than three looks", name))
		}
		must(schedule.Check(schedule.R()))
	}
	d := get(judge.NewDesign(cfg, schedule, tests))
	if d.Refused != nil {
		must(fmt.Errorf("--designs %s: %s", name, d.Refused.Reason))
	}
	return design{name, d}
}

// check judges the run medians of a check by all looks; tick is the clock's.
func (d *design) check(all []judge.Pair, tick float64) *judge.Family {
	f := d.Family(tick)
	for k, at := range d.Looks {
		now := make([]judge.Pair, len(all))
		var cases [][]float64
		for i, p := range all {
			if !f.Outcomes[i].Done() {
				now[i] = judge.Pair{Orig: p.Orig[:at], Other: p.Other[:at]}
				cases = append(cases, now[i].Orig, now[i].Other)
			}
		}
		if len(cases) == 0 {
			break
		}
		if !d.Test(k).Paired {
			factor := stats.General(cases)
			for i := range now {
				now[i].Factor = factor
			}
		}
		must(f.Look(now))
	}
	f.Replicate()
	return f
}

const (
	inSeries  = 5  // checks of which verdicts are compared
	slowTests = 30 // of a check for power
)

var (
	iid    = world.World{Own: .04}
	shared = world.World{Cases: .0346, Own: .02}
	slow   = world.World{Own: .04, Slow: .1}
	quiet  = world.World{General: .03, Cases: .03, Own: .021, Slow: .05}
	// The second state holds in 30 or 70 % of the mpiruns.
	states   = world.World{General: .03, Cases: .03, Own: .03, States: [2]float64{.3, .7}}
	changing = world.World{General: .03, Cases: .03, Own: .03, States: [2]float64{.3, .7}, Changes: .1}
	mixing   = world.World{Own: .03, States: [2]float64{.3, .3}, Changes: .18}
	odd      = world.World{Own: .02, Odd: .2}
	// The sides' spreads really differ this much: docs/statistics.md.
	mixed = [][2]float64{{.07, 7}, {.14, 4}, {.14, 2.5}}
)

// simulations returns the questions to simulated checks. Where a check counts many tests, a part of
// the series suffices.
func simulations(times, tests int) []question {
	part := func(by int) int { return max(2, times/by) }
	return slices.Concat(nothingSlower(part(1), tests), someSlower(part(10), tests), statesAgain(part(4), tests), repeats(part(inSeries), tests), runsNeeded(part(5), tests))
}

// noises lists the worlds of which errors, power and intervals are asked. A world without aims has
// what all mpiruns of a check share, so that no test of them can know it, or what no test can see.
var noises = []struct {
	name  string
	w     world.World
	most  float64    // checks with a false violation where every ratio is 1
	least [3]float64 // found of slowdowns
}{
	{"iid 4 %", iid, .05, [3]float64{.45, .95, .995}}, {"shared, ρ .75", shared, .05, [3]float64{.45, .95, .995}},
	{"tails of t, 2 degrees of freedom", world.World{Own: .04, Tails: 2}, .05, [3]float64{}},
	{"Cauchy 3 %", world.World{Own: .03, Tails: 1}, .05, [3]float64{}},
	{"10 % glitches up to ×10", world.World{Own: .03, Glitches: [2]float64{.1, .1}}, .05, [3]float64{0, .85, .85}},
	{"the same of the call", world.World{Own: .03, Glitches: [2]float64{.1, 0}}, .05, [3]float64{}},
	{"the same of the other", world.World{Own: .03, Glitches: [2]float64{0, .1}}, .05, [3]float64{}},
	{"30 % glitches up to ×5", world.World{Own: .03, Glitches: [2]float64{.3, .3}, Larger: 5}, .05, [3]float64{}},
	{"skew of the call", world.World{Own: .02, Skew: [2]float64{.1, 0}}, .05, [3]float64{}},
	{"skew of the other", world.World{Own: .02, Skew: [2]float64{0, .1}}, .05, [3]float64{}},
	{"10 % of mpiruns ×1.35", slow, .05, [3]float64{.45, .95, .995}},
	{"clock of 10 ns at 450 ns", world.World{Own: .04, Step: 10}, .05, [3]float64{.40, .95, .995}},
	{"clock of 40 ns at 350 ns", world.World{Own: .04, Step: 40, Takes: 350}, .05, [3]float64{}},
	{"clock of 40 ns at 200 ns", world.World{Own: .04, Step: 40, Takes: 200}, .05, [3]float64{}},
	{"spreads as in reality", world.World{Own: .04, Spreads: mixed}, .05, [3]float64{}},
	{"all spreads 10:1", world.World{Own: .071, Spreads: [][2]float64{{1, 10}}}, .10, [3]float64{}},
	{"call jumps ×1.2, 1/1.2", world.World{Own: .002, Jumps: 1.2}, .10, [3]float64{}},
	{"two states, ×2", states, .05, [3]float64{}}, {"two states, 10 % of pairs in both", changing, .05, [3]float64{}},
	{"two states, 18 % of pairs in both", mixing, .05, [3]float64{0, .85, .85}},
	{"20 % of run medians ×1.3", odd, .05, [3]float64{}},
	{"the ratio drifts by 6 % in a check", world.World{Own: .04, Drift: .06}, .05, [3]float64{}},
	{"own effects last, AR(1) .5", world.World{Own: .04, Lasts: .5}, 0, [3]float64{}},
	{"each test 1 % elsewhere in a check", world.World{Own: .04, Offset: .01}, 0, [3]float64{}},
	{"each test 1.5 % elsewhere", world.World{Own: .04, Offset: .015}, 0, [3]float64{}},
	{"each test 3 % elsewhere", world.World{Own: .04, Offset: .03}, 0, [3]float64{}},
}

// nothingSlower asks for false violations where every ratio is 1.
func nothingSlower(times, tests int) (out []question) {
	for _, row := range noises {
		holds := figure{what: "intervals that hold 1", least: .935, count: covered(false)}
		if row.most == 0 {
			holds.least = 0
		}
		out = append(out, question{"equal, " + row.name, times, []figure{{what: "checks with a false violation", most: row.most, count: red(0)}, holds}, simulated(row.w, slices.Repeat([]float64{1}, tests), 1)})
	}
	return out
}

// someSlower asks what is found of slowdowns, and what is said of them, in two checks.
func someSlower(times, tests int) (out []question) {
	slowdowns := []float64{1.05, 1.10, 1.25}
	ratios := slices.Repeat([]float64{1}, tests)
	for i := range ratios {
		if i%10 < len(slowdowns) {
			ratios[i] = slowdowns[i%10]
		}
	}
	for _, row := range noises {
		var figures []figure
		for i, by := range slowdowns {
			figures = append(figures, figure{what: fmt.Sprintf("found of ×%.2f", by), least: row.least[i], count: are(by, judge.Violated)})
		}
		never, holds := figure{what: "kept of ×1.10", most: .001, count: are(1.10, judge.Kept)}, figure{what: "intervals that hold the ratio", least: .935, count: covered(false)}
		if row.most == 0 {
			never.most, holds.least = 0, 0
		}
		figures = append(figures, figure{what: "kept of ×1.05", count: are(1.05, judge.Kept)}, never,
			figure{what: "kept of ×1", count: are(1, judge.Kept)}, figure{what: "undecided of ×1.05", count: are(1.05, judge.Undecided)}, holds,
			figure{what: "width of the intervals, ln", mean: true, count: width}, figure{what: "kept, and the interval reaches 1.05", count: contradicts(judge.Kept, 1.05)},
			figure{what: "violated, and the interval holds 1", count: contradicts(judge.Violated, 1)},
			figure{what: "sure of what is violated", count: sureOf}, figure{what: "mpiruns", mean: true, count: mpirunsOf})
		figures = slices.Concat(figures, replications()[6:])
		out = append(out, question{"5, 10 and 25 % slower, " + row.name, times, figures, simulated(row.w, ratios, 2)})
	}
	return out
}

func statesAgain(times, tests int) (out []question) {
	ratios := slices.Repeat([]float64{1}, tests)
	copy(ratios, slices.Repeat([]float64{1.9}, slowTests))
	for _, row := range []struct {
		name string
		w    world.World
	}{{"two states, ×2", states}, {"two states, 10 % of pairs in both", changing}} {
		out = append(out, question{fmt.Sprintf("%d tests 90 %% slower, %s", slowTests, row.name), times, []figure{{what: "found", least: .995, count: found}}, simulated(row.w, ratios, 1)})
	}
	return out
}

func repeats(times, tests int) (out []question) {
	noisy, some, moved, elsewhere := quiet, changing, changing, quiet
	noisy.Own, noisy.Slow, some.Changes, elsewhere.Between = .05, .1, .05, judge.Between
	moved.Changes, moved.States, moved.Moved = .05, [2]float64{.5, .5}, 10
	for _, row := range []struct {
		name string
		w    world.World
		most float64
	}{{"quiet", quiet, .06}, {"noisy", noisy, .11}, {"states", some, .20}, {"states, 10 % with a ratio of their own", moved, .20},
		{"each check 3 % elsewhere", elsewhere, 0}} {
		figures := slices.Concat(flips(row.most, 0, .03), []figure{
			{what: "intervals that hold the ratio", least: .935, most: .965, count: covered(false)},
			{what: "the same of violations", count: covered(true)},
			{what: "samples, as a multiple of R = 10", most: 1.5, mean: true, count: samplesTaken},
		}, replications())
		out = append(out, question{fmt.Sprintf("%d checks, %s", inSeries, row.name), times, figures, simulated(row.w, libraryRatios(tests), inSeries)})
	}
	return out
}

// runsNeeded asks whether a new check with R needed decides an undecided test.
func runsNeeded(times, tests int) (out []question) {
	for _, row := range []struct {
		name string
		w    world.World
	}{{"iid 4 %", iid}, {"shared, ρ .75", shared}, {"10 % of mpiruns ×1.35", slow}} {
		out = append(out, question{"R needed, " + row.name, times, needs(0), followed(row.w, tests)})
	}
	return out
}

// libraryRatios returns ratios like a library's: 28 far above 1, 16 about the minimum slowdown, the
// rest below 1.
func libraryRatios(tests int) []float64 {
	out := make([]float64, tests)
	for i := range out {
		switch {
		case i < 28:
			out[i] = 1.2 + float64(i)/27
		case i < 44:
			out[i] = 1 + float64(i-28)/100
		default:
			out[i] = .7 + .28*float64(i-44)/float64(max(1, tests-45))
		}
	}
	return out
}

func simulated(w world.World, ratios []float64, checks int) func(*design, int, *rand.Rand) *series {
	return func(d *design, n int, random *rand.Rand) *series {
		s := &series{}
		for number := range checks {
			truth := w.InCheck(ratios, random)
			f := d.check(w.Pairs(truth, d.R(), n+number, random), w.Step)
			if w.Moved > 0 { // some have two ratios, and so none to hold
				truth = slices.Clone(truth)
				for i := range truth {
					if truth[i] > 1 {
						truth[i] = math.NaN()
					}
				}
			}
			s.checks, s.truth = append(s.checks, f.Outcomes), append(s.truth, truth)
		}
		return s
	}
}

// followed makes a check of a library whose calls differ by 6 % from the others. It then makes the
// checks that it says are needed.
func followed(w world.World, tests int) func(*design, int, *rand.Rand) *series {
	return func(d *design, n int, random *rand.Rand) *series {
		ratios := make([]float64, tests)
		for i := range ratios {
			ratios[i] = math.Exp(.06 * random.NormFloat64())
		}
		pairs := func(r int) []judge.Pair { return w.Pairs(ratios, r, n, random) }
		return d.followed(pairs(d.R()), pairs, math.MaxInt, w.Step)
	}
}

const usualR = 10

func samplesTaken(s *series) (c count) {
	for _, check := range s.checks {
		for _, o := range check {
			c = count{c.n + float64(o.Runs), c.of + usualR}
		}
	}
	return c
}
