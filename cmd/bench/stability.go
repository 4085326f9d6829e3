package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"pgmpi/analyze/judge"
	"pgmpi/internal/stats"
)

// Aims of stabilityBench, shares of what was violated once.
const (
	flipAimWithin = 0.10 // not violated in another check in the same state
	flipAimAcross = 0.20 // in whatever state
	keptAimWithin = 0.02
	firmAim       = 0.03
)

// stabilitySizes are those of the checks; scanLeast and scanMost, those at which
// MPICH's Scan is 1.3 to 1.9 times slower than its mock-up in every mpirun.
const (
	stabilitySizes = "1..1Mi"
	scanGuideline  = "GL16"
	scanLeast      = 8
	scanMost       = 1 << 10
)

// minSlowdown is what a violation must be by default.
var minSlowdown = judge.Default().MinSlowdown

// ratioBins say at what ratio verdicts still flip; the last has no upper limit.
var ratioBins = []float64{0, minSlowdown, 1.1, 1.15, 1.25}

// repeat is one of several checks of the same.
type repeat struct {
	*report
	readings []float64 // of the state meter, before and after the check
}

// steady is false when the machine's state changed, as far as is known.
func (c repeat) steady() bool { return steady(c.readings) && len(c.States) <= 1 }

// stabilityBench asks whether a check says the same when it is done again: of
// the cells (a guideline at a size) that any of several checks in a row calls
// violated, how many does another call kept, and how many anything but violated?
// It counts over all checks, and over those that ran in the same state of the
// machine.
func stabilityBench(ctx context.Context, e *env) error {
	if e.times < 2 {
		return errors.New("one check has nothing to be compared with: --times must be at least 2")
	}
	e.title("%d checks in a row of the same library%s: GL3-GL17 at %s B, p = %d", e.times, e.conditions(), stabilitySizes, np)
	meter, err := newStateMeter()
	if err != nil {
		return err
	}
	var checks []repeat
	err = e.besideLoad(ctx, func(ctx context.Context) error {
		for i := range e.times {
			c, err := e.repeat(ctx, meter, i+1)
			if err != nil {
				return err
			}
			checks = append(checks, c)
		}
		return nil
	})
	if err != nil {
		return err
	}
	return e.showStability(checks)
}

// repeat makes the i-th check, from 1, and prints a line about it.
func (e *env) repeat(ctx context.Context, meter *stateMeter, i int) (c repeat, err error) {
	before, err := meter.read()
	if err != nil {
		return c, err
	}
	text := fmt.Sprintf("[check]\nguidelines = [\"GL3..GL17\"]\n[job]\nnp = [%d]\n%smsizes = [%q]\n", np, e.mpirunsLine(), stabilitySizes)
	out, took, err := e.measure(ctx, "check", text, i)
	if err != nil {
		return c, err
	}
	after, err := meter.read()
	if err != nil {
		return c, err
	}
	r, err := reportOf(out)
	if err != nil {
		return c, err
	}
	counts := map[judge.Verdict]int{}
	for _, v := range r.Verdicts {
		counts[v.Verdict.Verdict]++
	}
	states := ""
	for _, s := range r.States {
		states += fmt.Sprintf(", state %s in %d mpiruns", s.Name, len(s.MPIRuns))
	}
	fmt.Printf("   check %d, %.0f s, R = %d, a cache line's round trip %.0f and %.0f ns%s: %v\n", i, took, r.R, before, after, states, counts)
	return repeat{r, []float64{before, after}}, nil
}

// showStability prints what the checks have in common, beside the aims.
func (e *env) showStability(checks []repeat) error {
	across := [][]repeat{checks}
	states, within := byState(checks)
	all, inOne := flipsOf(across, isViolated), flipsOf(within, isViolated)
	for _, i := range all.cells {
		fmt.Println("   " + history(checks, i))
	}
	for i, s := range states {
		line := fmt.Sprintf("%d of %d checks with a cache line at %v", len(within[i]), len(checks), s)
		if len(within[i]) > 1 {
			f, firm := flipsOf(within[i:i+1], isViolated), flipsOf(within[i:i+1], isFirm)
			line += fmt.Sprintf(": %d cells violated once, of them %d not violated and %d kept in another check; %d firm once, of them %d not violated in another",
				f.violated, f.other, f.kept, firm.violated, firm.other)
		}
		fmt.Println("   " + line)
	}
	fmt.Printf("   %d of %d cells were ever violated, %d of them in every check\n", all.violated, len(checks[0].Verdicts), all.violated-all.other)
	showByRatio(checks)
	showBetween(checks)
	showIdeal(checks)
	fmt.Printf("   of those not violated in another check, %d have 95 %% intervals on both sides of %.2f in two checks: whoever is right in both says two things\n",
		apart(checks, all.cells), minSlowdown)
	showCalibration(calibrate(across), calibrate(within))
	share := func(what string, n, of int, aim float64) error {
		return outcome(what, fmt.Sprintf("%d of %d, %s", n, of, percent(n, of)), fmt.Sprintf("at most %.0f %%", 100*aim), float64(n) <= aim*float64(of))
	}
	firm := flipsOf(across, isFirm)
	fmt.Printf("   violated once, kept in another check: %d of %d\n", all.kept, all.violated)
	missed := errors.Join(
		share("violated once, not violated in another check", all.other, all.violated, flipAimAcross),
		share("the same of firm violations", firm.other, firm.violated, firmAim),
		e.showScan(checks))
	if e.load {
		return missed
	}
	if !slices.ContainsFunc(within, func(checks []repeat) bool { return len(checks) > 1 }) {
		return errors.Join(missed, outcome("verdicts within a state", "no two checks ran in one", "at least two", false))
	}
	firm = flipsOf(within, isFirm)
	return errors.Join(missed,
		share("within a state: violated once, not violated in another check", inOne.other, inOne.violated, flipAimWithin),
		share("within a state: violated once, kept in another check", inOne.kept, inOne.violated, keptAimWithin),
		share("within a state: firm once, not violated in another check", firm.other, firm.violated, firmAim))
}

// showScan asks for MPICH's Scan in every check.
func (e *env) showScan(checks []repeat) error {
	if e.library != "mpich" {
		return nil
	}
	sizes, always := 0, 0
	for i, v := range checks[0].Verdicts {
		if v.Guideline != scanGuideline || v.Msize < scanLeast || v.Msize > scanMost {
			continue
		}
		sizes++
		if !slices.ContainsFunc(checks, func(c repeat) bool { return !isViolated(&c.Verdicts[i]) }) {
			always++
		}
	}
	return outcome(fmt.Sprintf("sizes from %d to %d B at which %s is violated in every check", scanLeast, scanMost, scanGuideline),
		fmt.Sprintf("%d of %d", always, sizes), "all", always == sizes)
}

// byState are the states of the machine that checks ran in as a whole, and the
// checks of each.
func byState(checks []repeat) (states []state, in [][]repeat) {
	checks = slices.DeleteFunc(slices.Clone(checks), func(c repeat) bool { return !c.steady() })
	var readings []float64
	for _, c := range checks {
		readings = append(readings, c.readings...)
	}
	states = statesOf(readings)
	in = make([][]repeat, len(states))
	for _, c := range checks {
		i := stateIn(states, c.readings[0])
		in[i] = append(in[i], c)
	}
	return states, in
}

func isViolated(v *verdict) bool { return v.Verdict.Verdict == judge.Violated }

func isFirm(v *verdict) bool { return isViolated(v) && v.Firm }

// flips counts cells over several checks.
type flips struct {
	violated int   // in at least one check
	kept     int   // of these, kept in another
	other    int   // of these, anything but violated in another
	cells    []int // the latter, by their place in the report
}

// flipsOf compares the reports of each group cell by cell, and adds the groups up;
// all reports have the same plan. violated may ask for more than the verdict.
func flipsOf(groups [][]repeat, violated func(*verdict) bool) (f flips) {
	for _, checks := range groups {
		if len(checks) < 2 {
			continue
		}
		for i := range checks[0].Verdicts {
			once := false
			in := map[judge.Verdict]int{}
			for _, c := range checks {
				v := &c.Verdicts[i]
				once = once || violated(v)
				in[v.Verdict.Verdict]++
			}
			if !once {
				continue
			}
			f.violated++
			if in[judge.Kept] > 0 {
				f.kept++
			}
			if in[judge.Violated] < len(checks) {
				f.other++
				f.cells = append(f.cells, i)
			}
		}
	}
	return f
}

// showByRatio counts cells that were ever violated, and those not violated in another
// check, by the median of their ratios over the checks.
func showByRatio(checks []repeat) {
	t := newTable("median ratio", "violated once", "not violated in another", "share", "firm once", "not violated in another", "share")
	for i, from := range ratioBins {
		name, to := fmt.Sprintf("%.2f and more", from), math.Inf(1)
		if i+1 < len(ratioBins) {
			to = ratioBins[i+1]
			name = fmt.Sprintf("%.2f to %.2f", from, to)
		}
		in := withRatio(checks, from, to)
		all, firm := flipsOf([][]repeat{in}, isViolated), flipsOf([][]repeat{in}, isFirm)
		t.row(name, all.violated, all.other, per(all.other, all.violated), firm.violated, firm.other, per(firm.other, firm.violated))
	}
	t.Flush()
}

// withRatio leaves the cells whose median ratio is at least from, and less than to.
func withRatio(checks []repeat, from, to float64) []repeat {
	out := make([]repeat, len(checks))
	for k, c := range checks {
		out[k] = repeat{&report{R: c.R, States: c.States}, c.readings}
	}
	for i := range checks[0].Verdicts {
		var ratios []float64
		for _, c := range checks {
			if r := c.Verdicts[i].Ratio; r != nil {
				ratios = append(ratios, *r)
			}
		}
		if len(ratios) == 0 {
			continue
		}
		if m := stats.MedianFinite(ratios); m >= from && m < to {
			for k, c := range checks {
				out[k].Verdicts = append(out[k].Verdicts, c.Verdicts[i])
			}
		}
	}
	return out
}

// apart counts the cells whose ratio has an interval above the smallest slowdown in
// one check, and one below it in another: the machine gave two answers.
func apart(checks []repeat, cells []int) (n int) {
	for _, i := range cells {
		above, below := false, false
		for _, c := range checks {
			v := c.Verdicts[i]
			above = above || v.RatioLo95 != nil && *v.RatioLo95 > minSlowdown
			below = below || v.RatioHi95 != nil && *v.RatioHi95 < minSlowdown
		}
		if above && below {
			n++
		}
	}
	return n
}

// showBetween prints how far a cell's ratio spreads from check to check beyond what its
// intervals say: what all mpiruns of a check have in common no check can see.
func showBetween(checks []repeat) {
	var all, violated []float64
	for i := range checks[0].Verdicts {
		s, ok := spreadOf(checks, i)
		if !ok {
			continue
		}
		sd := s.between()
		all = append(all, sd)
		if slices.ContainsFunc(checks, func(c repeat) bool { return isViolated(&c.Verdicts[i]) }) {
			violated = append(violated, sd)
		}
	}
	t := newTable("spread from check to check beyond the intervals", "cells", "median", "upper quartile", "largest tenth from")
	for _, of := range []struct {
		name string
		sd   []float64
	}{{"all", all}, {"ever violated", violated}} {
		if len(of.sd) > 0 {
			slices.Sort(of.sd)
			at := func(p float64) string {
				return fmt.Sprintf("%.1f %%", 100*stat.Quantile(p, stat.Empirical, of.sd, nil))
			}
			t.row(of.name, len(of.sd), at(.5), at(.75), at(.9))
		}
	}
	t.Flush()
}

// cellSpread is what a cell's logarithms of ratios do over several checks.
type cellSpread struct {
	mean, variance float64 // over the checks
	within         float64 // variance that the 95 % intervals stand for, mean of the checks
}

func spreadOf(checks []repeat, i int) (s cellSpread, ok bool) {
	var logs, within []float64
	for _, c := range checks {
		v := c.Verdicts[i]
		if v.Ratio == nil || v.RatioLo95 == nil || v.RatioHi95 == nil {
			return s, false
		}
		logs = append(logs, math.Log(*v.Ratio))
		se := math.Log(*v.RatioHi95 / *v.RatioLo95) / (2 * distuv.UnitNormal.Quantile(.975))
		within = append(within, se*se)
	}
	return cellSpread{stat.Mean(logs, nil), stat.Variance(logs, nil), stat.Mean(within, nil)}, true
}

// between is the standard deviation from check to check beyond the intervals, 0 if there
// is nothing left.
func (s cellSpread) between() float64 { return math.Sqrt(max(0, s.variance-s.within)) }

// flip is the chance that somebody who calls a cell violated from the smallest slowdown on
// does so in any of n checks, and that he does not in all of these, if what he sees has
// this standard deviation from check to check.
func (s cellSpread) flip(n int, sd float64) (once, other float64) {
	above := 0.0
	if far := s.mean - math.Log(minSlowdown); sd > 0 {
		above = distuv.UnitNormal.CDF(far / sd)
	} else if far >= 0 {
		above = 1
	}
	once = 1 - math.Pow(1-above, float64(n))
	return once, once - math.Pow(above, float64(n))
}

// showIdeal prints how many cells would be violated once and not in another check for
// somebody who knew the ratio that a cell has in each check, and for somebody who has these
// mpiruns only, and follows the ratio alone. No procedure flips less than the first.
func showIdeal(checks []repeat) {
	var known, seen expectedFlips
	for i := range checks[0].Verdicts {
		if s, ok := spreadOf(checks, i); ok {
			known.add(s.flip(len(checks), s.between()))
			seen.add(s.flip(len(checks), math.Sqrt(s.variance)))
		}
	}
	fmt.Printf("   expected of whoever knows the ratio in each check: %v\n", known)
	fmt.Printf("   expected of whoever has these mpiruns and goes by the ratio alone: %v\n", seen)
}

type expectedFlips struct{ once, other float64 }

func (e *expectedFlips) add(once, other float64) { e.once, e.other = e.once+once, e.other+other }

func (e expectedFlips) String() string {
	return fmt.Sprintf("%.1f violated once, of them %.1f not violated in another check, %s",
		e.once, e.other, number("%.1f %%", 100*e.other/e.once))
}

// history is a cell's ratio and verdict in each check.
func history(checks []repeat, i int) string {
	c := checks[0].Verdicts[i]
	var line strings.Builder
	fmt.Fprintf(&line, "%s %s at %d B:", c.Guideline, c.Function, c.Msize)
	for _, r := range checks {
		v, ratio := r.Verdicts[i], 0.0
		if v.Ratio != nil {
			ratio = *v.Ratio
		}
		fmt.Fprintf(&line, "  %.2f %s", ratio, v.Verdict.Verdict)
	}
	return line.String()
}
