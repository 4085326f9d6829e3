package main

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"pgmpi/analyze/judge"
)

// red counts series whose k-th check calls violated what is not slower.
func red(k int) func(*series) count {
	return func(s *series) (c count) {
		bad := false
		for i := range s.checks[k] {
			bad = bad || s.checks[k][i].Verdict == judge.Violated && !(s.truth != nil && s.truth[k][i] > 1)
		}
		c.add(bad)
		return c
	}
}

func tests(add func(c *count, o *judge.Outcome, truth float64)) func(*series) count {
	return func(s *series) (c count) {
		for k := range s.checks {
			for i := range s.checks[k] {
				add(&c, &s.checks[k][i], s.truth[k][i])
			}
		}
		return c
	}
}

// found counts slower calls that are called violated.
var found = tests(func(c *count, o *judge.Outcome, truth float64) {
	if truth > 1 {
		c.add(o.Verdict == judge.Violated)
	}
})

// covered counts intervals that hold the ratio, of all tests or of violations.
func covered(violations bool) func(*series) count {
	return tests(func(c *count, o *judge.Outcome, truth float64) {
		if !math.IsNaN(o.Lo95) && !math.IsNaN(truth) && (o.Verdict == judge.Violated || !violations) {
			c.add(o.Lo95 <= truth && truth <= o.Hi95)
		}
	})
}

// cells counts over the tests that any check of a series calls violated. in has a test's
// outcome in each check.
func cells(add func(c *count, in []judge.Outcome, violated int)) func(*series) count {
	return func(s *series) (c count) {
		in := make([]judge.Outcome, len(s.checks))
		for i := range s.checks[0] {
			violated := 0
			for k := range in {
				if in[k] = s.checks[k][i]; in[k].Verdict == judge.Violated {
					violated++
				}
			}
			if violated > 0 {
				add(&c, in, violated)
			}
		}
		return c
	}
}

// flipped counts what another check does not call violated, keptOnce what another calls
// kept, and firmOnce pairs of a firm violation and a check that does not call it violated.
var (
	flipped  = cells(func(c *count, in []judge.Outcome, violated int) { c.add(violated < len(in)) })
	keptOnce = cells(func(c *count, in []judge.Outcome, _ int) {
		c.add(slices.ContainsFunc(in, func(o judge.Outcome) bool { return o.Verdict == judge.Kept }))
	})
	firmOnce = cells(func(c *count, in []judge.Outcome, violated int) {
		for i := range in {
			if in[i].Firm() {
				c.n, c.of = c.n+float64(len(in)-violated), c.of+float64(len(in)-1)
			}
		}
	})
)

// flips are figures of checks that should say the same; a limit of 0 is none.
func flips(other, kept, firm float64) []figure {
	return []figure{
		{what: "violated once, not in another", most: other, count: flipped},
		{what: "violated once, kept in another", most: kept, count: keptOnce},
		{what: "sure once, not violated in another (pairs)", most: firm, count: firmOnce},
	}
}

// replications are, by bins of the probability of replication, its mean over all pairs of
// a violation and another check, and how often that check showed the violation again.
func replications() (figures []figure) {
	bins := []float64{0, .5, .7, .9, math.Inf(1)}
	for bin, least := range bins[:4] {
		pairs := func(n func(q float64, violated int) float64) func(*series) count {
			return cells(func(c *count, in []judge.Outcome, violated int) {
				for i := range in {
					if q := in[i].Replication; q > 0 && least <= q && q < bins[bin+1] {
						others := float64(len(in) - 1)
						c.n, c.of = c.n+n(q*others, violated-1), c.of+others
					}
				}
			})
		}
		figures = append(figures,
			figure{what: fmt.Sprintf("replication from %.1g: mean of it", least), count: pairs(func(q float64, _ int) float64 { return q })},
			figure{what: fmt.Sprintf("replication from %.1g: violated again", least), count: pairs(func(_ float64, again int) float64 { return float64(again) })})
	}
	return figures
}

// answer is what became of a test that a check leaves undecided.
type answer struct {
	needed *judge.RunsNeeded
	// by has the verdict of a new check with that R, and half of one with the R of the
	// headline, or "" where there are too few mpiruns.
	by, half judge.Verdict
	share    float64 // of the undecided tests that the headline promised to decide
}

// followed judges a check, and one new check for every R that it names and of at most
// `most` mpiruns.
func (d *design) followed(first []judge.Pair, more func(r int) []judge.Pair, most int, tick float64) *series {
	return &series{answers: follow(d.check(first, tick).Outlook(), most, func(r int) []judge.Outcome {
		again := newDesign(strconv.Itoa(r), d.M)
		return again.check(more(r), tick).Outcomes
	})}
}

func follow(said judge.Outlook, most int, check func(r int) []judge.Outcome) (answers []answer) {
	made := map[int][]judge.Outcome{}
	verdict := func(r, test int) judge.Verdict {
		if r == 0 || r > most {
			return ""
		}
		if made[r] == nil {
			made[r] = check(r)
		}
		return made[r][test].Verdict
	}
	for i, n := range said.Needed {
		if n == nil {
			continue
		}
		a := answer{needed: n}
		if h := said.Half; h != nil {
			a.half, a.share = verdict(h.R, i), h.Decides
		}
		a.by = verdict(n.R, i)
		answers = append(answers, a)
	}
	for i := range answers {
		answers[i].share /= float64(len(answers))
	}
	return answers
}

// needs are figures of answers; decided is the most that R needed may decide.
func needs(decided float64) []figure {
	of := func(add func(c *count, a *answer)) func(*series) count {
		return func(s *series) (c count) {
			for i := range s.answers {
				add(&c, &s.answers[i])
			}
			return c
		}
	}
	// decides counts a verdict that is no longer undecided, less a probability.
	decides := func(c *count, v judge.Verdict, less float64) {
		if v != "" {
			c.add(v != judge.Undecided)
			c.n -= less
		}
	}
	return []figure{
		{what: "decided by a check with R needed", least: .75, most: decided, count: of(func(c *count, a *answer) { decides(c, a.by, 0) })},
		{what: "the same less the chance that was given", least: -.05, most: .05, mean: true,
			count: of(func(c *count, a *answer) { decides(c, a.by, a.needed.Chance) })},
		{what: "decided by a check with the headline's R", least: .45, count: of(func(c *count, a *answer) { decides(c, a.half, 0) })},
		{what: "the same less the share that was given", least: -.05, most: .05, mean: true,
			count: of(func(c *count, a *answer) { decides(c, a.half, a.share) })},
	}
}
