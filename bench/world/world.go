// Package world simulates what a check measures on machines of which everything is known.
package world

import (
	"cmp"
	"math"
	"math/rand/v2"

	"pgmpi/analyze/judge"
)

// World describes a machine of which everything is known: how the run medians of a check come
// about. Effects are standard deviations of logarithms, shares are probabilities.
type World struct {
	General float64 // an mpirun's effect on everything in it
	Cases   float64 // on both sides of a test
	Own     float64 // on one side
	Tails   int     // degrees of freedom of Student's t that own effects come from; 0 for normal ones
	// Spreads holds shares of the tests, and how many times further one side spreads there. The sum
	// of the variances stays.
	Spreads  [][2]float64
	Slow     float64    // share of mpiruns that take slowBy times as long
	Glitches [2]float64 // share of the call's and of the other's run medians that are up to Larger times too large
	Larger   float64    // 10 if it is 0
	Skew     [2]float64 // exponential effects on the call and on the other
	Odd      float64    // share of run medians that are oddBy times too large
	// States holds how often an mpirun is in the second of two states. Everything takes stateBy
	// times as long there. The first number holds in every other check, the second in the rest.
	States  [2]float64
	Changes float64 // the share of pairs of which one side was measured in the other state
	// Moved is 10 if every tenth slower call is less slow in the second state. The logarithm of its
	// ratio is a quarter there. With 0 no call is.
	Moved int
	// Between is the spread of a test's ratio from check to check: all mpiruns of a check
	// share it, so that nothing within the check shows it.
	Between float64
	// Lasts is the share of a side's own effect that the next mpirun keeps (first-order
	// autoregression). Offset is the spread of an effect that a test has in a whole check, though
	// its ratio is 1.
	Lasts, Offset float64
	Drift         float64 // by how much a test's ratio grows or falls within a check
	Jumps         float64 // the call takes this much more or less time than the other, at random
	Step          float64 // the clock's; 0 for an exact clock
	Takes         float64 // about how many ns a call takes, e^−.3 to e^.3 times this; tickedNS for all if it is 0
}

const (
	slowBy   = 1.35
	oddBy    = 1.3
	stateBy  = 2
	tickedNS = 450.
	movedBy  = 0.25
)

func (w *World) InCheck(ratios []float64, random *rand.Rand) []float64 {
	out := make([]float64, len(ratios))
	for i, ratio := range ratios {
		out[i] = ratio * math.Exp(w.Between*random.NormFloat64())
	}
	return out
}

// Pairs makes the run medians of r mpiruns of the number-th check of a series: one pair a test,
// whose calls are slower than the others by these ratios.
func (w *World) Pairs(ratios []float64, r, number int, random *rand.Rand) []judge.Pair {
	general, second := make([]float64, r), make([]bool, r)
	for k := range r {
		general[k] = w.General * random.NormFloat64()
		if random.Float64() < w.Slow {
			general[k] += math.Log(slowBy)
		}
		if second[k] = random.Float64() < w.States[number%2]; second[k] {
			general[k] += math.Log(stateBy)
		}
	}
	out := make([]judge.Pair, len(ratios))
	slower := 0
	for i, ratio := range ratios {
		moved := false
		if ratio > 1 {
			slower++
			moved = w.Moved > 0 && slower%w.Moved == 0
		}
		out[i] = w.pair(math.Log(ratio), moved, general, second, random)
	}
	return out
}

func (w *World) pair(effect float64, moved bool, general []float64, second []bool, random *rand.Rand) judge.Pair {
	p := judge.Pair{Orig: make([]float64, len(general)), Other: make([]float64, len(general))}
	own, takes := w.sides(random), tickedNS
	if w.Takes > 0 {
		takes = w.Takes * math.Exp(.6*random.Float64()-.3)
	}
	drift := w.Drift * float64(2*random.IntN(2)-1)
	if w.Offset > 0 {
		effect += w.Offset * random.NormFloat64()
	}
	var last [2]float64
	for k, both := range general {
		both += w.Cases * random.NormFloat64()
		sides := [2]float64{both + effect + drift*(float64(k)/float64(max(1, len(general)-1))-.5), both}
		if moved && second[k] {
			sides[0] = both + movedBy*effect
		}
		if w.Jumps > 0 {
			sides[0] += math.Log(w.Jumps) * float64(2*random.IntN(2)-1)
		}
		for i := range sides {
			x := random.NormFloat64()
			if k > 0 {
				x = w.Lasts*last[i] + math.Sqrt(1-w.Lasts*w.Lasts)*x
			}
			last[i] = x
			sides[i] += w.noise(i, own[i]*x, random)
		}
		if random.Float64() < w.Changes {
			by := math.Log(stateBy)
			if second[k] {
				by = -by
			}
			sides[random.IntN(2)] += by
		}
		p.Orig[k], p.Other[k] = w.time(takes, sides[0]), w.time(takes, sides[1])
	}
	return p
}

func (w *World) sides(random *rand.Rand) [2]float64 {
	u, ratio := random.Float64(), 1.0
	for _, s := range w.Spreads {
		if u < s[0] {
			ratio = s[1]
			break
		}
		u -= s[0]
	}
	small := w.Own * math.Sqrt(2/(1+ratio*ratio))
	if random.IntN(2) == 0 {
		return [2]float64{small * ratio, small}
	}
	return [2]float64{small, small * ratio}
}

// noise returns a side's own effect in an mpirun, sometimes with another program's effect.
func (w *World) noise(side int, x float64, random *rand.Rand) float64 {
	if w.Tails > 0 {
		squares := 0.0
		for range w.Tails {
			n := random.NormFloat64()
			squares += n * n
		}
		x = max(-7, min(x*math.Sqrt(float64(w.Tails)/squares), 7))
	}
	if w.Skew[side] > 0 {
		x += w.Skew[side] * (random.ExpFloat64() - math.Ln2)
	}
	if random.Float64() < w.Glitches[side] {
		x += math.Log(cmp.Or(w.Larger, 10)) * random.Float64()
	}
	if random.Float64() < w.Odd {
		x += math.Log(oddBy)
	}
	return x
}

func (w *World) time(takes, log float64) float64 {
	t := takes * math.Exp(log)
	if w.Step > 0 {
		t = max(1, math.Round(t/w.Step)) * w.Step
	}
	return t
}
