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
	odd      float64 // share of run medians that are oddBy times too large
	// states is how often an mpirun is in the second of two states, in which everything
	// takes stateBy times as long: in every other check the first number, else the second.
	states [2]float64
	// changes is the share of pairs of which one side was measured in the other state.
	changes float64
	// moved is 10 when every tenth slower call is less slow in the second state: the
	// logarithm of its ratio is a quarter there. 0: none.
	moved int
	// between is the spread of a test's ratio from check to check: all mpiruns of a check
	// share it, so that nothing within the check shows it.
	between float64
	jumps   float64 // the call takes this much more or less time than the other, by turns of chance
	step    float64 // the clock's, where a call takes tickedNS; 0: the clock is exact
}

type spread struct{ share, ratio float64 }

const (
	slowBy   = 1.35
	oddBy    = 1.3
	stateBy  = 2
	tickedNS = 450
	movedBy  = 0.25
)

func (w *world) inCheck(ratios []float64, random *rand.Rand) []float64 {
	out := make([]float64, len(ratios))
	for i, ratio := range ratios {
		out[i] = ratio * math.Exp(w.between*random.NormFloat64())
	}
	return out
}

// pairs makes the run medians of r mpiruns of the number-th check of a series, one pair
// a test, whose calls are slower than the others by these ratios.
func (w *world) pairs(ratios []float64, r, number int, random *rand.Rand) []judge.Pair {
	general, second := make([]float64, r), make([]bool, r)
	for k := range r {
		general[k] = w.general * random.NormFloat64()
		if random.Float64() < w.slow {
			general[k] += math.Log(slowBy)
		}
		if second[k] = random.Float64() < w.states[number%2]; second[k] {
			general[k] += math.Log(stateBy)
		}
	}
	out := make([]judge.Pair, len(ratios))
	slower := 0
	for i, ratio := range ratios {
		moved := false
		if ratio > 1 {
			slower++
			moved = w.moved > 0 && slower%w.moved == 0
		}
		out[i] = w.pair(math.Log(ratio), moved, general, second, random)
	}
	return out
}

func (w *world) pair(effect float64, moved bool, general []float64, second []bool, random *rand.Rand) judge.Pair {
	p := judge.Pair{Orig: make([]float64, len(general)), Other: make([]float64, len(general))}
	own := w.sides(random)
	for k, both := range general {
		both += w.cases * random.NormFloat64()
		sides := [2]float64{both + effect, both}
		if moved && second[k] {
			sides[0] = both + movedBy*effect
		}
		if w.jumps > 0 {
			sides[0] += math.Log(w.jumps) * float64(2*random.IntN(2)-1)
		}
		for i := range sides {
			sides[i] += w.noise(own[i], random)
		}
		if random.Float64() < w.changes {
			by := math.Log(stateBy)
			if second[k] {
				by = -by
			}
			sides[random.IntN(2)] += by
		}
		p.Orig[k], p.Other[k] = w.time(sides[0]), w.time(sides[1])
	}
	return p
}

// sides returns the own effects of a test's sides.
func (w *world) sides(random *rand.Rand) [2]float64 {
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
		return [2]float64{small * ratio, small}
	}
	return [2]float64{small, small * ratio}
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
	if random.Float64() < w.odd {
		x += math.Log(oddBy)
	}
	return x
}

// time returns the run median of a logarithm, as the clock shows it.
func (w *world) time(log float64) float64 {
	t := tickedNS * math.Exp(log)
	if w.step > 0 {
		t = max(1, math.Round(t/w.step)) * w.step
	}
	return t
}
