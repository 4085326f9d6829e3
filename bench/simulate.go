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

const inSeries = 5 // checks of which verdicts are compared

var iid, shared, slow, quiet, changing = world.IID, world.Shared, world.Slow, world.Quiet, world.Changing

// simulations returns the questions to simulated checks. Where a check counts many tests, a part of
// the series suffices.
func simulations(times, tests int) []question {
	part := func(by int) int { return max(2, times/by) }
	return slices.Concat(nothingSlower(part(1), tests), someSlower(part(10), tests), repeats(part(inSeries), tests),
		runsNeeded(part(5), tests), fastestOfEqual(part(1), tests))
}

// nothingSlower asks for false violations where every ratio is 1.
func nothingSlower(times, tests int) (out []question) {
	for _, row := range world.Noises {
		holds := figure{what: "intervals that hold 1", least: .935, count: covered(false)}
		if row.Most == 0 {
			holds.least = 0
		}
		out = append(out, question{"equal, " + row.Name, times, []figure{{what: "checks with a false violation", most: row.Most, count: red(0)}, holds}, simulated(row.World, slices.Repeat([]float64{1}, tests), 1)})
	}
	return out
}

// fastestOfEqual asks for them where several mock-ups of a call, as its textbook algorithms, take as long as the call.
func fastestOfEqual(times, tests int) (out []question) {
	for _, row := range world.Noises {
		figures := []figure{{what: "checks with a false violation", most: row.Most, count: red(0)}, {what: "calls that are tested"}}
		out = append(out, question{"fastest of equal, " + row.Name, times, figures, func(d *design, n int, random *rand.Rand) *series {
			tested := get(row.World.Fastest(d.Design, tests/world.Equal, n, random))
			return &series{checks: [][]judge.Outcome{tested}, counted: []count{1: {float64(len(tested)), float64(tests / world.Equal)}}}
		}})
	}
	return out
}

// someSlower asks what is found of slowdowns, and what the check says of them, twice.
func someSlower(times, tests int) (out []question) {
	slowdowns := []float64{1.05, 1.10, 1.25}
	ratios := slices.Repeat([]float64{1}, tests)
	for i := range ratios {
		if i%10 < len(slowdowns) {
			ratios[i] = slowdowns[i%10]
		}
	}
	for _, row := range world.Noises {
		var figures []figure
		for i, by := range slowdowns {
			figures = append(figures, figure{what: fmt.Sprintf("found of ×%.2f", by), least: row.Least[i], count: are(by, judge.Violated)})
		}
		never, holds := figure{what: "kept of ×1.10", most: .001, count: are(1.10, judge.Kept)}, figure{what: "intervals that hold the ratio", least: .935, count: covered(false)}
		if row.Most == 0 {
			never.most, holds.least = 0, 0
		}
		figures = append(figures, figure{what: "kept of ×1.05", count: are(1.05, judge.Kept)}, never,
			figure{what: "kept of ×1", count: are(1, judge.Kept)}, figure{what: "undecided of ×1.05", count: are(1.05, judge.Undecided)}, holds,
			figure{what: "width of the intervals, ln", mean: true, count: width}, figure{what: "kept, and the interval reaches 1.05", count: contradicts(judge.Kept, 1.05)},
			figure{what: "violated, and the interval holds 1", count: contradicts(judge.Violated, 1)})
		figures = slices.Concat(figures, replications()[6:])
		out = append(out, question{"5, 10 and 25 % slower, " + row.Name, times, figures, simulated(row.World, ratios, 2)})
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
