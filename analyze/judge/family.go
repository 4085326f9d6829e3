package judge

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/mathext"

	"pgmpi/internal/lists"
	"pgmpi/internal/stats"
)

// Family judges the tests of a Design, look by look. The p-value of a test is the smallest of its
// looks' p-values, each divided by the look's share of alpha; it is adjusted over the whole family
// at every look. A decided test keeps its p-values and its verdict.
type Family struct {
	*Design
	Outcomes []Outcome // by test
	Between  float64   // standard deviation of a test's log ratio from check to check
	tick     float64
	pairs    []Pair    // by test, at its last look
	spent    []float64 // p-values by test, after all its looks; 1 before any
	done     int       // looks
}

// Family starts the tests. tick is the clock's resolution in the unit of the medians, or 0 to
// ignore it.
func (d *Design) Family(tick float64) *Family {
	nan := math.NaN()
	untested := Outcome{P: nan, PAdjusted: nan, PKept: nan, Ratio: nan, Lo95: nan, Hi95: nan, Verdict: Undecided}
	return &Family{Design: d, Between: cmp.Or(d.BetweenChecks, Between), tick: tick, pairs: make([]Pair, d.M),
		Outcomes: slices.Repeat([]Outcome{untested}, d.M), spent: slices.Repeat([]float64{1}, d.M)}
}

// Judge tests all pairs in one look, or none if R is too small.
func (d *Design) Judge(tick float64, pairs []Pair) (*Family, error) {
	f := d.Family(tick)
	return f, f.Once(pairs)
}

// Once does what Judge does, for a Family that was made.
func (f *Family) Once(pairs []Pair) error {
	if f.Refused != nil {
		return nil
	}
	err := f.Look(pairs)
	f.Replicate()
	return err
}

// Look tests what still needs mpiruns with all data so far. A Pair without medians adds nothing to
// its test; pairs of done tests are not read.
func (f *Family) Look(pairs []Pair) error {
	k := f.done
	for i, pair := range pairs {
		if f.Outcomes[i].Done() || len(pair.Orig) == 0 {
			continue
		}
		o, err := f.one(k, pair)
		if err != nil {
			return err
		}
		if err := f.spend(i, k, o.raw); err != nil {
			return err
		}
		f.Outcomes[i], f.pairs[i] = o, pair
	}
	if err := f.adjust(); err != nil {
		return err
	}
	f.done++
	for i := range f.Outcomes {
		if o := &f.Outcomes[i]; o.Runs > 0 && o.Runs == f.Looks[k] { // done tests have fewer
			f.judge(o, f.pairs[i], k)
		}
	}
	return nil
}

// one computes what does not depend on the rest of the family.
func (f *Family) one(k int, pair Pair) (o Outcome, err error) {
	t := f.looks[k].test
	pair = f.aligned(t, pair)
	o.Runs = f.Looks[k]
	if o.raw, err = f.pValue(t, &o, pair.Orig, f.Against(pair)); err != nil {
		return o, err
	}
	if o.kept, err = t.P(scale(pair.Other, f.MinSlowdown), pair.Orig); err != nil {
		return o, err
	}
	e, err := t.Effect(pair.Orig, pair.Other)
	o.P, o.PKept, o.Ratio, o.Lo95, o.Hi95 = o.raw, o.kept.P, e.Ratio, e.Lo95, e.Hi95
	if !f.Method.Rules().Effects {
		// The paper gives the ratio of the medians, and no interval (docs/dev/statistics.md).
		o.Ratio = stats.MedianFinite(pair.Orig) / stats.MedianFinite(pair.Other)
	}
	return o, err
}

// aligned divides both sides by what all cases of an mpirun have in common. It does so if the test
// compares run medians of different mpiruns.
func (f *Family) aligned(t *Test, pair Pair) Pair {
	if t.Paired || !f.Method.Rules().Aligns || len(pair.Factor) != len(pair.Orig) {
		return pair
	}
	out := Pair{Orig: slices.Clone(pair.Orig), Other: slices.Clone(pair.Other)}
	for i, by := range pair.Factor {
		out.Orig[i] /= by
		out.Other[i] /= by
	}
	return out
}

// pValue returns the p-value for the alternative; for two-sided, twice the smaller of both sides.
func (f *Family) pValue(t *Test, o *Outcome, x, y []float64) (p float64, err error) {
	if o.slower, err = t.P(x, y); err != nil || f.alternative == Greater {
		return o.slower.P, err
	}
	faster, err := t.P(y, x)
	if err != nil || f.alternative == Less {
		return faster.P, err
	}
	return min(1, 2*min(o.slower.P, faster.P)), nil
}

func (f *Family) Against(pair Pair) []float64 {
	if f.Method.Rules().Margin {
		return scale(pair.Other, f.MinSlowdown)
	}
	return pair.Other
}

// spend takes in the p-value of test i at look k. A screen spends nothing.
func (f *Family) spend(i, k int, p float64) error {
	if f.looks[k].screen {
		return nil
	}
	p, err := stats.SequentialP([]float64{p}, f.finding[k:])
	f.spent[i] = min(f.spent[i], p)
	return err
}

// adjust adjusts over all planned tests; one without a p-value counts as 1. A test that ended at a
// screen shows the screen's own p-value.
func (f *Family) adjust() error {
	if f.M == 0 {
		return nil
	}
	adjusted, err := stats.Adjust(f.spent, string(f.Adjust))
	if err != nil {
		return err
	}
	for i := range f.Outcomes {
		o := &f.Outcomes[i]
		if o.Runs == 0 {
			continue
		}
		if !f.looks[f.After(o.Runs)].screen {
			o.P = f.spent[i]
		}
		// Done tests keep the p-value that ended them: it only shrinks at later looks.
		if !o.Done() {
			o.PAdjusted, o.Stars = adjusted[i], stats.Stars(adjusted[i])
		}
	}
	return nil
}

// An undecided test goes on after an interim look if it points to a violation. It does so by its
// ratio, or with a p-value and a ratio like these. Others stop there, which finds no more than
// going on would (futility).
const (
	pointingP     = 0.2
	pointingRatio = 1.02
)

func (f *Family) points(o *Outcome) bool {
	return o.Ratio >= f.MinSlowdown || o.raw <= pointingP && o.Ratio >= pointingRatio
}

// judge gives the verdict of look k. Being kept spends its error like the rest:
// α·w at each look.
func (f *Family) judge(o *Outcome, pair Pair, k int) {
	last := k == len(f.Looks)-1
	o.OnClock, o.TooNear = false, false
	o.Verdict = f.verdict(k, o, pair)
	o.Decided = o.Verdict != Undecided
	switch {
	case !f.Method.Rules().Slowdown:
		// This "kept" only says that nothing was found, which more data may end.
		o.Decided = o.Verdict == Violated || last
	case last || f.Refused != nil:
	case f.significant(o) && o.Lo95 < f.MinSlowdown && f.MinSlowdown < o.Hi95:
		// Significantly slower, but more mpiruns must tell on which side of the minimum slowdown.
		o.Verdict, o.Decided = Undecided, false
	case !o.Decided:
		o.Stopped = !f.significant(o) && !f.points(o)
	}
}

func (f *Family) significant(o *Outcome) bool { return o.PAdjusted <= f.Alpha }

// verdict applies docs/dev/statistics.md. A weak look finds no violations.
func (f *Family) verdict(k int, o *Outcome, pair Pair) Verdict {
	slowdown, weak := f.Method.Rules().Slowdown, f.looks[k].weak
	significant := f.significant(o) && !weak
	switch {
	case f.Refused != nil || weak && (!slowdown || f.significant(o)):
		return Undecided
	case !slowdown && significant:
		return Violated
	case !slowdown:
		return Kept
	case significant && o.Ratio >= f.MinSlowdown && f.visible(pair):
		return Violated
	case significant:
		return Marginal
	case o.PKept > f.Alpha*f.Weights[k]:
		return Undecided
	}
	o.OnClock, o.TooNear = f.hides(pair), f.near(o.Ratio)
	if o.OnClock || o.TooNear {
		return Undecided
	}
	return Kept
}

// near tells whether a ratio is nearer to MinSlowdown than checks differ, where that is known.
func (f *Family) near(ratio float64) bool {
	return f.BetweenChecks > 0 && Near(ratio, f.MinSlowdown, f.BetweenChecks)
}

// Near tells whether a ratio is nearer to a least slowdown than checks differ.
func Near(ratio, least, between float64) bool { return ratio > least*math.Exp(-between) }

// hides tells whether two steps of the clock may hide a slowdown of MinSlowdown.
func (f *Family) hides(pair Pair) bool {
	return f.tick > 0 && f.difference(scale(pair.Other, f.MinSlowdown), pair.Orig) < 1.5*f.tick
}

// Replicate gives, after the last look, each violation of the paired test its probability in a new check: that the new
// estimate, which spreads about its true ratio like this one, is at least MinSlowdown and
// significant, and that the test rejects what mpiruns drawn from these would give. The true ratios
// of two checks differ by Between (docs/dev/statistics.md, "Replication").
func (f *Family) Replicate() {
	rejected := 0
	for i := range f.Outcomes {
		if f.significant(&f.Outcomes[i]) {
			rejected++
		}
	}
	for i := range f.Outcomes {
		o := &f.Outcomes[i]
		k := f.After(o.Runs)
		if o.Verdict != Violated || !f.looks[k].test.Paired || f.folders || !f.Method.Rules().Slowdown {
			continue
		}
		level := f.needs(rejected-1) * f.finding[k]
		e, se := math.Log(o.Ratio), (math.Log(o.Hi95)-math.Log(o.Lo95))/(2*twoSided95)
		z := mathext.NormalQuantile(1 - level)
		over := e - max(math.Log(f.MinSlowdown), z*se)
		o.Replication = stats.NormalCDF(over / (math.Sqrt2 * math.Hypot(se, f.Between)))
		if o.Replication >= least {
			o.Replication = min(o.Replication, f.redrawn(f.looks[k].test, f.pairs[i], level))
		}
	}
}

const (
	drawings = 100 // of mpiruns, for a probability of replication
	least    = 0.5 // probability from which they are drawn
)

// redrawn returns the share of drawings with replacement from a test's mpiruns that are violated at
// a level. Each drawing has a ratio of its own, moved by one of as many quantiles of what differs
// between two checks. The generator is Lehmer's (Park and Miller, 1988), begun with 1.
func (f *Family) redrawn(t *Test, pair Pair, level float64) float64 {
	if f.alwaysFound(t, pair, level) {
		return (drawings + .5) / (drawings + 1)
	}
	r, seed, again := len(pair.Orig), 1, 0
	drawn := Pair{Orig: make([]float64, r), Other: make([]float64, r)}
	for b := range drawings {
		moved := math.Exp(f.moves((float64(b) + .5) / drawings))
		for j := range r {
			seed = seed * 16807 % (1<<31 - 1)
			from := seed * r / (1<<31 - 1)
			drawn.Orig[j], drawn.Other[j] = pair.Orig[from]*moved, pair.Other[from]
		}
		p, err := t.P(drawn.Orig, f.Against(drawn))
		if err != nil || p.P > level || !f.visible(drawn) {
			continue
		}
		if d, err := stats.LogRatios(drawn.Orig, drawn.Other); err == nil && t.Centre(d) >= math.Log(f.MinSlowdown) {
			again++
		}
	}
	return (float64(again) + .5) / (drawings + 1)
}

// moves returns a quantile of the logarithm by which the ratios of two checks differ.
func (f *Family) moves(p float64) float64 { return math.Sqrt2 * f.Between * mathext.NormalQuantile(p) }

// alwaysFound tells, to save time, whether each pair alone shows the slowdown in all drawings, none
// is far from the others, and R suffices.
func (f *Family) alwaysFound(t *Test, pair Pair, level float64) bool {
	d, err := stats.LogRatios(pair.Orig, f.Against(pair))
	if err != nil || t.MinP(len(d), len(d)) > level {
		return false
	}
	low, high := slices.Min(d)+f.moves(.5/drawings), slices.Max(d)+f.moves(1-.5/drawings)
	return low >= math.Log(f.MinSlowdown) && high <= 3*low && f.tick*1.5 <= slices.Min(pair.Other)*(f.MinSlowdown-1)
}

// visible tells whether the call is slower by two steps of the clock. These read as 19, 20 or 21 ns
// if one is 10. A smaller difference may come from the clock.
func (f *Family) visible(pair Pair) bool {
	return math.Abs(f.difference(pair.Orig, pair.Other)) >= 1.5*f.tick
}

func (f *Family) VisibleAt(i int) bool { return f.visible(f.pairs[i]) }

// OnTwoSteps tells whether at most two steps of the clock make the i-th test violated.
func (f *Family) OnTwoSteps(i int) bool {
	return f.Outcomes[i].Verdict == Violated && f.difference(f.pairs[i].Orig, f.pairs[i].Other) < 2.5*f.tick
}

// difference returns the median of the differences of neighbours in time, if there are any.
func (f *Family) difference(x, y []float64) float64 {
	if f.unpaired {
		return stats.MedianFinite(x) - stats.MedianFinite(y)
	}
	d := make([]float64, len(x))
	for i := range d {
		d[i] = x[i] - y[i]
	}
	return stats.MedianFinite(d)
}

// Numbers holds what a test computed besides its Outcome.
type Numbers struct {
	Test      *Test
	R         int     // mpiruns that it rests on
	PMin      float64 // smallest p-value attainable with them
	Statistic float64 // as Test.Symbol calls it
	Largest   float64 // largest value of the statistic
	Alpha     float64 // level of the family
	KeptAlpha float64 // level of being kept, at this look
	Screen    bool    // the look finds no violations
	Family    int     // tests that the adjustment is over
	ByChance  int     // at most about how many of them would be violated by chance if none were adjusted
	Rank      int     // of the p-value in the family, 1 the smallest; equal ones share the last
	// KeptStatistic compares min_slowdown times the other side with the call.
	KeptStatistic, KeptLargest float64
	Slower, Equal              int     // mpiruns in which the call's run median was slower than the other's, or equal
	Difference                 float64 // median of the differences of run medians
	Tick                       float64 // the clock's step, or 0 if unknown
}

func (f *Family) Numbers(i int) *Numbers {
	o, pair := f.Outcomes[i], f.pairs[i]
	if o.Runs == 0 {
		return nil
	}
	k := f.After(o.Runs)
	l := f.looks[k]
	n := &Numbers{Test: l.test, R: o.Runs, PMin: l.pMin, Alpha: f.Alpha, KeptAlpha: f.Alpha * f.Weights[k], Screen: l.screen, Statistic: o.slower.Statistic, Largest: o.slower.Largest,
		Family: f.M, ByChance: int(math.Ceil(f.Alpha * float64(f.M))), KeptStatistic: o.kept.Statistic, KeptLargest: o.kept.Largest,
		Difference: f.difference(pair.Orig, pair.Other), Tick: f.tick}
	n.Rank = lists.Count(f.Outcomes, func(other Outcome) bool { return other.P <= o.P })
	for i, x := range pair.Orig {
		switch y := pair.Other[i]; {
		case x > y:
			n.Slower++
		case x == y:
			n.Equal++
		}
	}
	return n
}
