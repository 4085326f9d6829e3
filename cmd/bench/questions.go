package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"pgmpi/analyze/judge"
)

// question is what is counted in the same checks.
type question struct {
	name    string
	figures []figure
	share   int // of --times this part is the number of series
	inOne   int // checks of a series
	ask     func(d *design, series int, random *rand.Rand) ([]count, error)
}

const (
	inSeries  = 5  // checks of which verdicts are compared
	slowTests = 30 // of a check for power
	// Where a check counts many tests, a part of the checks will do.
	powerShare  = 4
	neededShare = 5
)

// mixed is how far the sides' spreads differ in reality; docs/dev/statistics.md says where.
var mixed = []spread{{.07, 7}, {.14, 4}, {.14, 2.5}}

// states are a machine that is in its second state in 30 or 70 % of the mpiruns.
var states = world{general: .03, cases: .03, own: .03, states: [2]float64{.3, .7}}

func changing(w world, share float64) world {
	w.changes = share
	return w
}

func questions(tests int) []question {
	iid, shared, slow := world{own: .04}, world{cases: .0346, own: .02}, world{own: .04, slow: .1}
	moved := changing(states, .05)
	moved.states, moved.moved = [2]float64{.5, .5}, 10
	out := []question{
		nothingSlower("iid 4 %", iid, .05, tests),
		nothingSlower("shared, ρ .75", shared, .05, tests),
		nothingSlower("tails of t, 2 degrees of freedom", world{own: .04, t2: true}, .05, tests),
		nothingSlower("10 % glitches up to ×10", world{own: .04, glitches: .1}, .05, tests),
		nothingSlower("10 % of mpiruns ×1.35", slow, .05, tests),
		nothingSlower("clock of 10 ns at 450 ns", world{own: .04, step: 10}, .05, tests),
		nothingSlower("spreads as in reality", world{own: .04, spreads: mixed}, .05, tests),
		nothingSlower("all spreads 10:1", world{own: .071, spreads: []spread{{1, 10}}}, .10, tests),
		nothingSlower("call jumps ×1.2, 1/1.2", world{own: .002, jumps: 1.2}, .10, tests),
		nothingSlower("two states, ×2", states, .05, tests),
		nothingSlower("states change within 10 %", changing(states, .1), .05, tests),
	}
	for _, p := range []struct{ by, least float64 }{{1.05, .45}, {1.10, .95}, {1.25, .995}} {
		out = append(out, someSlower("iid 4 %", iid, p.by, p.least, tests), someSlower("shared, ρ .75", shared, p.by, p.least, tests))
	}
	return append(out,
		someSlower("two states, ×2", states, 1.9, .995, tests),
		someSlower("states change within 10 %", changing(states, .1), 1.9, .995, tests),
		again("quiet", world{general: .03, cases: .03, own: .021, slow: .05}, .06, tests),
		again("noisy", world{general: .03, cases: .03, own: .05, slow: .1}, .11, tests),
		again("states", changing(states, .05), .20, tests),
		again("states, 10 % with a ratio of their own", moved, .20, tests),
		again("each check 3 % elsewhere", world{general: .03, cases: .03, own: .021, slow: .05, between: judge.BetweenChecks}, 0, tests),
		decides("iid 4 %", iid, tests),
		decides("shared, ρ .75", shared, tests),
		decides("10 % of mpiruns ×1.35", slow, tests))
}

// nothingSlower asks for false violations where every ratio is 1.
func nothingSlower(name string, w world, most float64, tests int) question {
	ratios := slices.Repeat([]float64{1}, tests)
	return question{"equal, " + name, []figure{
		{what: "checks with a false violation", most: most},
		{what: "intervals that hold 1", least: .935, most: .965},
	}, 1, 1, func(d *design, series int, random *rand.Rand) ([]count, error) {
		f, err := d.check(&w, ratios, series, random)
		if err != nil {
			return nil, err
		}
		found, covered := count{of: 1}, count{}
		for i := range f.Outcomes {
			if f.Outcomes[i].Verdict == judge.Violated {
				found.n = 1
			}
			covered.cover(&f.Outcomes[i], 1)
		}
		return []count{found, covered}, nil
	}}
}

// someSlower asks how many of the slower calls are found.
func someSlower(name string, w world, by, least float64, tests int) question {
	ratios := slices.Repeat([]float64{1}, tests)
	for i := range min(slowTests, tests) {
		ratios[i] = by
	}
	return question{fmt.Sprintf("%d tests %.0f %% slower, %s", slowTests, 100*(by-1), name), []figure{
		{what: "found", least: least},
	}, powerShare, 1, func(d *design, series int, random *rand.Rand) ([]count, error) {
		f, err := d.check(&w, ratios, series, random)
		if err != nil {
			return nil, err
		}
		found := count{}
		for i := range f.Outcomes {
			if ratios[i] > 1 {
				found.add(f.Outcomes[i].Verdict == judge.Violated)
			}
		}
		return []count{found}, nil
	}}
}

// libraryRatios are those of a library: 28 far above 1, 16 about the minimum slowdown,
// the rest below 1.
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

// repeatBins begin at these probabilities of replication.
var repeatBins = []float64{0, .5, .7, .9}

// again asks whether checks of the same say the same.
func again(name string, w world, most float64, tests int) question {
	ratios := libraryRatios(tests)
	figures := []figure{
		{what: "violated once, not in another", most: most},
		{what: "violated once, kept in another"},
		{what: "firm once, not violated in another (pairs)", most: .03},
		{what: "intervals that hold the ratio", least: .935, most: .965},
		{what: "the same of violations"},
		{what: "samples, times those of R = 10", most: 1.5, mean: true},
		{what: "mpiruns started, times those of R = 10", mean: true},
	}
	figures = append(figures, replicationFigures()...)
	if w.between > 0 {
		figures = append(figures, figure{what: "who knows each check's ratios: the first line"})
	}
	return question{fmt.Sprintf("%d checks, %s", inSeries, name), figures, inSeries, inSeries, func(d *design, series int, random *rand.Rand) ([]count, error) {
		var checks [][]judge.Outcome
		var truth [][]float64
		for number := range inSeries {
			now := w.inCheck(ratios, random)
			f, err := d.check(&w, now, series+number, random)
			if err != nil {
				return nil, err
			}
			checks, truth = append(checks, f.Outcomes), append(truth, now)
		}
		counts := slices.Concat(flipCounts(checks), coverCounts(checks, truth, w.moved > 0), costCounts(checks), replicationCounts(checks))
		if w.between > 0 {
			counts = append(counts, flipCounts(known(truth))[0])
		}
		return counts, nil
	}}
}

// known are the verdicts of one who knows the ratios of every check: no procedure that
// judges a check by itself can agree with itself more often without being wrong in one.
func known(truth [][]float64) [][]judge.Outcome {
	checks := make([][]judge.Outcome, len(truth))
	for k, ratios := range truth {
		for _, ratio := range ratios {
			v := judge.Kept
			if ratio >= minSlowdown {
				v = judge.Violated
			}
			checks[k] = append(checks[k], judge.Outcome{Verdict: v})
		}
	}
	return checks
}

// flipCounts are cells ever violated of which another check says something else, or
// `kept`, and pairs of a firm violation and another check in which it is none.
func flipCounts(checks [][]judge.Outcome) []count {
	var flipped, kept, firm count
	for i := range checks[0] {
		in := map[judge.Verdict]int{}
		firmIn := 0
		for _, c := range checks {
			in[c[i].Verdict]++
			if c[i].Firm() {
				firmIn++
			}
		}
		if in[judge.Violated] == 0 {
			continue
		}
		flipped.add(in[judge.Violated] < len(checks))
		kept.add(in[judge.Kept] > 0)
		firm.n += float64(firmIn * (len(checks) - in[judge.Violated]))
		firm.of += float64(firmIn * (len(checks) - 1))
	}
	return []count{flipped, kept, firm}
}

// coverCounts are intervals that hold the ratio of their check, of all cells and of
// violations. Where some cells have two ratios, there is none to hold.
func coverCounts(checks [][]judge.Outcome, truth [][]float64, two bool) []count {
	var all, violated count
	for k, c := range checks {
		for i := range c {
			if two && truth[k][i] > 1 {
				continue
			}
			all.cover(&c[i], truth[k][i])
			if c[i].Verdict == judge.Violated {
				violated.cover(&c[i], truth[k][i])
			}
		}
	}
	return []count{all, violated}
}

// costCounts are samples and mpiruns, in those of R = 10.
func costCounts(checks [][]judge.Outcome) []count {
	const usual = 10
	var samples, mpiruns count
	for _, c := range checks {
		most := 0
		for i := range c {
			samples.n += float64(c[i].Runs)
			most = max(most, c[i].Runs)
		}
		samples.of += float64(usual * len(c))
		mpiruns.n += float64(most)
		mpiruns.of += usual
	}
	return []count{samples, mpiruns}
}

// replicationFigures are those that replicationCounts counts.
func replicationFigures() (figures []figure) {
	for _, least := range repeatBins {
		figures = append(figures, figure{what: fmt.Sprintf("replication from %.1g: mean of it", least)},
			figure{what: fmt.Sprintf("replication from %.1g: violated again", least)})
	}
	return figures
}

// replicationCounts are, by the probability of replication, its mean over all pairs of
// checks, and how often the second of the pair showed the violation again.
func replicationCounts(checks [][]judge.Outcome) []count {
	out := make([]count, 2*len(repeatBins))
	for a, c := range checks {
		for i := range c {
			q := c[i].Replication
			if q == 0 {
				continue
			}
			bin := 0
			for bin+1 < len(repeatBins) && repeatBins[bin+1] <= q {
				bin++
			}
			for b := range checks {
				if b != a {
					mean, seen := &out[2*bin], &out[2*bin+1]
					mean.n, mean.of = mean.n+q, mean.of+1
					seen.add(checks[b][i].Verdict == judge.Violated)
				}
			}
		}
	}
	return out
}

func (c *count) add(yes bool) {
	c.of++
	if yes {
		c.n++
	}
}

// cover counts an interval that holds the ratio; tests without one do not count.
func (c *count) cover(o *judge.Outcome, ratio float64) {
	if !math.IsNaN(o.Lo95) {
		c.add(o.Lo95 <= ratio && ratio <= o.Hi95)
	}
}
