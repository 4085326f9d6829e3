package main

import (
	"math"
	"math/rand/v2"
	"strconv"

	"pgmpi/analyze/judge"
)

// decides asks whether a new check with the `R needed` of an undecided test decides it,
// and one with the R of the headline half of them. The ratios are of a library whose
// calls differ from the others by 6 %.
func decides(name string, w world, tests int) question {
	return question{"R needed, " + name, []figure{
		{what: "undecided tests for which an R is named"},
		{what: "decided by a check with R needed", least: .75},
		{what: "the same less the chance that was given", least: -.05, most: .05, mean: true},
		{what: "tests with `towards`"},
		{what: "of these decided as it said"},
		{what: "decided by a check with the headline's R", least: .45},
		{what: "the same less the share that was given", least: -.05, most: .05, mean: true},
	}, neededShare, 1, func(d *design, series int, random *rand.Rand) ([]count, error) {
		ratios := make([]float64, tests)
		for i := range ratios {
			ratios[i] = math.Exp(.06 * random.NormFloat64())
		}
		f, err := d.check(&w, ratios, series, random)
		if err != nil {
			return nil, err
		}
		r := repeatedChecks{w: &w, ratios: ratios, series: series, random: random, by: map[int][]judge.Outcome{}}
		return r.count(f.Outlook())
	}}
}

// repeatedChecks are new checks of the same library, by R.
type repeatedChecks struct {
	w      *world
	ratios []float64
	series int
	random *rand.Rand
	by     map[int][]judge.Outcome
}

func (c *repeatedChecks) count(outlook judge.Outlook) ([]count, error) {
	var named, decided, off, towards, right, halved, halfOff count
	open := 0
	for _, n := range outlook.Needed {
		if n != nil {
			open++
		}
	}
	for i, n := range outlook.Needed {
		if n == nil {
			continue
		}
		if half := outlook.Half; half != nil {
			o, err := c.outcome(half.R, i)
			if err != nil {
				return nil, err
			}
			halved.add(o.Verdict != judge.Undecided)
			halfOff.beside(o.Verdict != judge.Undecided, half.Decides/float64(open))
		}
		if named.add(n.R > 0); n.R == 0 {
			continue
		}
		o, err := c.outcome(n.R, i)
		if err != nil {
			return nil, err
		}
		decided.add(o.Verdict != judge.Undecided)
		off.beside(o.Verdict != judge.Undecided, n.Chance)
		if towards.add(n.Towards != ""); n.Towards != "" && o.Verdict != judge.Undecided {
			right.add((n.Towards == judge.Kept) == (o.Verdict == judge.Kept))
		}
	}
	return []count{named, decided, off, towards, right, halved, halfOff}, nil
}

// beside counts how much more often something happens than its probability.
func (c *count) beside(yes bool, probability float64) {
	c.add(yes)
	c.n -= probability
}

// outcome is what a new check with R mpiruns says of a test.
func (c *repeatedChecks) outcome(r, test int) (o judge.Outcome, err error) {
	if c.by[r] == nil {
		d, err := newDesign(strconv.Itoa(r), len(c.ratios))
		if err != nil {
			return o, err
		}
		f, err := d.check(c.w, c.ratios, c.series, c.random)
		if err != nil {
			return o, err
		}
		c.by[r] = f.Outcomes
	}
	return c.by[r][test], nil
}
