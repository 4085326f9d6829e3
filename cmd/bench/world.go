package main

import (
	"math"
	"math/rand/v2"

	"pgmpi/analyze/judge"
)

// world is a machine of which everything is known: how the run medians of a check
// come about. Effects are standard deviations of logarithms, shares are probabilities.
type world struct {
	general float64 // an mpirun's effect on everything in it
	cases   float64 // on both sides of a test
	own     float64 // on one side
	t2      bool    // own effects have the tails of Student's t with 2 degrees of freedom
	// spreads are how many times further one side of a test spreads than the other; the
	// sum of the variances stays.
	spreads  []spread
	slow     float64 // share of mpiruns that take slowBy times as long
	glitches float64 // share of run medians that are up to ten times too large
	// states: in each mpirun the machine is in one of two states, by chance; in the second
	// everything takes stateBy times as long. The number is how often: in every other
	// check the first, else the second.
	states [2]float64
	// changes is the share of pairs of which one side was measured in the other state.
	changes float64
	// moved: every so manieth slower call is less slow in the second state: the logarithm
	// of its ratio is a quarter. 0: none.
	moved int
	// between is the spread of a test's ratio from check to check: all mpiruns of a check
	// share it, so that nothing within the check shows it.
	between float64
	jumps   float64 // the call takes this much more or less time than the other, by turns of chance
	step    float64 // the clock's, where a call takes tickedNS; 0: the clock is exact
}

// spread is a share of the tests.
type spread struct{ share, ratio float64 }

const (
	slowBy   = 1.35
	stateBy  = 2
	tickedNS = 450
	movedBy  = 0.25
)

// inCheck are the ratios that hold in one check.
func (w *world) inCheck(ratios []float64, random *rand.Rand) []float64 {
	if w.between == 0 {
		return ratios
	}
	out := make([]float64, len(ratios))
	for i, ratio := range ratios {
		out[i] = ratio * math.Exp(w.between*random.NormFloat64())
	}
	return out
}

// pairs are the run medians of r mpiruns of the number-th check of a series, one pair
// a test, whose calls are slower than the others by these ratios.
func (w *world) pairs(ratios []float64, r, number int, random *rand.Rand) []judge.Pair {
	general, second := w.mpiruns(r, number, random)
	out := make([]judge.Pair, len(ratios))
	slower := 0
	for i, ratio := range ratios {
		moved := false
		if ratio > 1 {
			slower++
			moved = w.moved > 0 && slower%w.moved == 0
		}
		out[i] = w.pair(ratio, moved, general, second, random)
	}
	return out
}

// mpiruns are what the mpiruns of a check have in common, and which of them were in
// the second state.
func (w *world) mpiruns(r, number int, random *rand.Rand) (general []float64, second []bool) {
	general, second = make([]float64, r), make([]bool, r)
	for k := range r {
		general[k] = w.general * random.NormFloat64()
		if random.Float64() < w.slow {
			general[k] += math.Log(slowBy)
		}
		if second[k] = random.Float64() < w.states[number%2]; second[k] {
			general[k] += math.Log(stateBy)
		}
	}
	return general, second
}

func (w *world) pair(ratio float64, moved bool, general []float64, second []bool, random *rand.Rand) judge.Pair {
	p := judge.Pair{Orig: make([]float64, len(general)), Other: make([]float64, len(general))}
	orig, other := w.sides(random)
	for k, g := range general {
		both := g + w.cases*random.NormFloat64()
		effect := math.Log(ratio)
		if moved && second[k] {
			effect *= movedBy
		}
		p.Orig[k] = both + effect + w.jump(random) + w.noise(orig, random)
		p.Other[k] = both + w.noise(other, random)
		if random.Float64() < w.changes {
			by := math.Log(stateBy)
			if second[k] {
				by = -by
			}
			if random.IntN(2) == 0 {
				p.Orig[k] += by
			} else {
				p.Other[k] += by
			}
		}
		p.Orig[k], p.Other[k] = w.time(p.Orig[k]), w.time(p.Other[k])
	}
	return p
}

// sides are the own effects of a test's sides.
func (w *world) sides(random *rand.Rand) (orig, other float64) {
	u, ratio := random.Float64(), 1.0
	for _, s := range w.spreads {
		if u < s.share {
			ratio = s.ratio
			break
		}
		u -= s.share
	}
	small := w.own * math.Sqrt(2/(1+ratio*ratio))
	if random.IntN(2) == 0 {
		return small * ratio, small
	}
	return small, small * ratio
}

// noise is one side's own effect in an mpirun, and now and then what another program does.
func (w *world) noise(sd float64, random *rand.Rand) float64 {
	x := sd * random.NormFloat64()
	if w.t2 {
		x /= math.Sqrt(random.ExpFloat64()) // chi-squared with 2 degrees of freedom, over 2
	}
	if random.Float64() < w.glitches {
		x += math.Log(10) * random.Float64()
	}
	return x
}

func (w *world) jump(random *rand.Rand) float64 {
	if w.jumps == 0 {
		return 0
	}
	return math.Log(w.jumps) * float64(2*random.IntN(2)-1)
}

// time is the run median of a logarithm, as the clock shows it.
func (w *world) time(log float64) float64 {
	t := tickedNS * math.Exp(log)
	if w.step > 0 {
		t = max(1, math.Round(t/w.step)) * w.step
	}
	return t
}
