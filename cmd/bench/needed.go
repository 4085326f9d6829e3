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
		again := repeatedChecks{most: math.MaxInt, by: map[int][]judge.Outcome{}, check: func(r int) ([]judge.Outcome, error) {
			d, err := newDesign(strconv.Itoa(r), tests)
			if err != nil {
				return nil, err
			}
			f, err := d.check(&w, ratios, series, random)
			if err != nil {
				return nil, err
			}
			return f.Outcomes, nil
		}}
		return again.count(f.Outlook())
	}}
}

// repeatedChecks are new checks of the same library, one for each R.
type repeatedChecks struct {
	check func(r int) ([]judge.Outcome, error)
	most  int // mpiruns that a check can have; an R above counts as one that is not named
	by    map[int][]judge.Outcome
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
		if half := outlook.Half; half != nil && half.R <= c.most {
			o, err := c.outcome(half.R, i)
			if err != nil {
				return nil, err
			}
			halved.add(o.Verdict != judge.Undecided)
			halfOff.beside(o.Verdict != judge.Undecided, half.Decides/float64(open))
		}
		possible := n.R > 0 && n.R <= c.most
		if named.add(possible); !possible {
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
		if c.by[r], err = c.check(r); err != nil {
			return o, err
		}
	}
	return c.by[r][test], nil
}
