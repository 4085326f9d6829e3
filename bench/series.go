package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync"

	"pgmpi/analyze"
	"pgmpi/analyze/judge"
	"pgmpi/internal/conf"
)

// series holds several checks of the same tests: measured, simulated, or drawn from a folder. Every
// bench of verdicts is a table of questions to such series.
type series struct {
	checks  [][]judge.Outcome // by check and test
	truth   [][]float64       // how many times slower the call is, by check and test; NaN or nil if not known
	answers []answer          // to what the first check left undecided
	counted []count           // by figure, for figures without a function to count
}

type question struct {
	name    string
	times   int // number of series
	figures []figure
	// series makes the n-th series, from 0.
	series func(d *design, n int, random *rand.Rand) *series
}

type figure struct {
	what        string
	least, most float64             // the aim, or 0 and 0
	format      string              // of the aim; "%.3g" if ""
	mean        bool                // of numbers that may be above 1
	count       func(*series) count // nil if it was counted when the series was made
}

// never is a limit for what must not happen.
const never = 1e-9

type survey struct {
	designs []design // in columns; only simulated checks have several
	workers int      // series that are made at once
}

// measured makes checks one after the other.
var measured = survey{make([]design, 1), 1}

// ask prints a line for each figure. It misses its aim when the first design misses one.
func (e *env) ask(ctx context.Context, s survey, questions []question) {
	missed, aims := 0, 0
	for row, q := range questions {
		if !strings.Contains(q.name, e.rows) {
			continue
		}
		if q.times == 0 {
			fmt.Printf("   %s: there are none\n", q.name)
			aims, missed = aims+1, missed+1
			continue
		}
		counts := make([][][]count, len(s.designs)) // by design, figure and series
		for i := range s.designs {
			// Every row has random numbers of its own, the designs have the same.
			counts[i] = s.count(ctx, &q, &s.designs[i], e.seed<<16+uint64(row))
		}
		fmt.Printf("   %s, %d series\n", q.name, q.times)
		for f, figure := range q.figures {
			fmt.Printf("      %-50s %-16s", figure.what, figure.aim())
			for i := range s.designs {
				text, ok := figure.of(counts[i][f])
				fmt.Printf(" %-36s", text)
				if i == 0 && figure.aim() != "" {
					aims++
					if !ok {
						missed++
					}
				}
			}
			fmt.Println()
		}
	}
	e.outcome("the aims above", fmt.Sprintf("%d of %d missed", missed, aims), "none", missed == 0)
}

func (s *survey) count(ctx context.Context, q *question, d *design, seed uint64) [][]count {
	counts, errs := make([][]count, len(q.figures)), make([]error, s.workers)
	for f := range counts {
		counts[f] = make([]count, q.times)
	}
	work := func(w int) {
		errs[w] = try(func() {
			for n := w; n < q.times; n += s.workers {
				must(ctx.Err())
				made := q.series(d, n, rand.New(rand.NewPCG(seed, uint64(n))))
				for f, figure := range q.figures {
					if figure.count != nil {
						counts[f][n] = figure.count(made)
					} else {
						counts[f][n] = made.counted[f]
					}
				}
			}
		})
	}
	var wg sync.WaitGroup
	for w := 1; w < s.workers; w++ {
		wg.Go(func() { work(w) })
	}
	work(0) // here, as measurements end with the thread that started them
	wg.Wait()
	must(errors.Join(errs...))
	return counts
}

// count says how often something happened in one series, and how often it could have.
type count struct{ n, of float64 }

func (c *count) add(yes bool) {
	c.of++
	if yes {
		c.n++
	}
}

func (f *figure) aim() string {
	switch {
	case f.most == 0 && f.least == 0:
		return ""
	case f.most == never:
		return "none"
	}
	format := cmp.Or(f.format, "%.3g")
	switch {
	case f.most == 0:
		return "≥ " + fmt.Sprintf(format, f.least)
	case f.least == 0:
		return "≤ " + fmt.Sprintf(format, f.most)
	}
	return fmt.Sprintf(format, f.least) + " to " + fmt.Sprintf(format, f.most)
}

func (f *figure) met(v float64) bool { return v >= f.least && (f.most == 0 || v <= f.most) }

// of returns the figure with its 95 % limits, and whether it keeps the aim.
func (f *figure) of(counts []count) (text string, ok bool) {
	var all count
	for _, c := range counts {
		all = count{all.n + c.n, all.of + c.of}
	}
	if all.of == 0 {
		return "-", true
	}
	share := all.n / all.of
	ok = f.met(share)
	text = fmt.Sprintf("%.3f", share)
	if len(counts) > 1 {
		lo, hi := limits(counts, all, f.mean)
		text += fmt.Sprintf(" [%.3f, %.3f]", lo, hi)
	} else if !f.mean {
		text += fmt.Sprintf(" (%.4g of %.4g)", all.n, all.of)
	}
	switch {
	case f.aim() == "":
	case ok:
		text += " ok"
	default:
		text += " missed"
	}
	return text, ok
}

// limits returns the 95 % limits of a share: Wilson's for as many independent cases as would vary
// as much as the series do, or for a mean the limits of a normal distribution. Counts of one series
// belong together.
func limits(counts []count, all count, mean bool) (lo, hi float64) {
	share, of, variance := all.n/all.of, all.of, 0.0
	for _, c := range counts {
		d := (c.n - share*c.of) / of
		variance += d * d
	}
	variance *= float64(len(counts)) / float64(len(counts)-1)
	const z = 1.959964
	if mean {
		half := z * math.Sqrt(variance)
		return share - half, share + half
	}
	if variance > 0 {
		of = min(of, share*(1-share)/variance)
	}
	middle := (share + z*z/(2*of)) / (1 + z*z/of)
	half := z / (1 + z*z/of) * math.Sqrt(share*(1-share)/of+z*z/(4*of*of))
	return max(0, middle-half), min(1, middle+half)
}

func (e *env) outcome(what, got, aim string, ok bool) {
	word := "ok"
	if !ok {
		word, e.missed = "missed", true
	}
	fmt.Printf("   %s: %s: %s (aim: %s)\n", word, what, got, aim)
}

// aim prints a number next to the limits that it should keep; 0 sets no limit.
func (e *env) aim(what string, v float64, format string, least, most float64) {
	f := figure{what: what, least: least, most: most, format: format}
	e.outcome(what, number(format, v), f.aim(), f.met(v))
}

func number(format string, v float64) string {
	if math.IsNaN(v) {
		return "-"
	}
	return fmt.Sprintf(format, v)
}

func cell(v *analyze.Verdict) string {
	line := fmt.Sprintf("%s %s at %s: %s", v.Guideline, v.Function, conf.HumanSize(v.Msize), v.Verdict)
	if v.Ratio != nil && v.RatioLo95 != nil && v.RatioHi95 != nil {
		line += fmt.Sprintf(", %.2f times [%.2f, %.2f]", *v.Ratio, *v.RatioLo95, *v.RatioHi95)
	}
	return line
}

// red counts series whose k-th check has false violations.
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

// are counts the tests of a true ratio that have a verdict.
func are(ratio float64, is judge.Verdict) func(*series) count {
	return tests(func(c *count, o *judge.Outcome, truth float64) {
		if truth == ratio {
			c.add(o.Verdict == is)
		}
	})
}

// contradicts counts verdicts whose interval reaches to the other side of a ratio.
func contradicts(is judge.Verdict, ratio float64) func(*series) count {
	return tests(func(c *count, o *judge.Outcome, _ float64) {
		if o.Verdict == is {
			c.add(o.Lo95 <= ratio && ratio <= o.Hi95)
		}
	})
}

var width = tests(func(c *count, o *judge.Outcome, _ float64) { *c = count{c.n + math.Log(o.Hi95/o.Lo95), c.of + 1} })

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

// flipped counts what another check does not call violated. keptOnce counts what another calls
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

// flips returns figures of checks that should agree; 0 sets no limit.
func flips(other, kept, firm float64) []figure {
	return []figure{
		{what: "violated once, not in another", most: other, count: flipped},
		{what: "violated once, kept in another", most: kept, count: keptOnce},
		{what: "sure once, not violated in another (pairs)", most: firm, count: firmOnce},
	}
}

// replications compares the probability of replication with what other checks showed. By bins of
// the probability it returns its mean over all pairs of a violation and another check, and how
// often that check showed the violation again.
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

// answer says what became of a test that a check leaves undecided.
type answer struct {
	needed *judge.RunsNeeded
	// by holds the verdict of a new check with that R, half with the headline's. Both are "" for
	// too few mpiruns.
	by, half judge.Verdict
	share    float64 // of the undecided tests that the headline promised to decide
}

// followed judges a check, and a new check for every R that it names. It makes none with more than
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

// needs returns figures of answers; decided is the most that R needed may decide.
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
