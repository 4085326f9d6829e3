package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"sync"

	"pgmpi/analyze"
	"pgmpi/analyze/judge"
	"pgmpi/internal/conf"
)

// series is several checks of the same tests: measured, simulated, or drawn from a folder.
// Every bench of verdicts is a table of questions to such series.
type series struct {
	checks  [][]judge.Outcome // by check and test
	truth   [][]float64       // how many times slower the call is, by check and test; NaN or nil: not known
	answers []answer          // to what the first check left undecided
	counted []count           // by figure, for those that have no function to count
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
	least, most float64             // the aim; 0 and 0: none
	format      string              // of the aim; "": "%.3g"
	mean        bool                // of numbers that may be above 1
	count       func(*series) count // nil: it was counted when the series was made
}

// never is a limit of what must not happen.
const never = 1e-9

type survey struct {
	designs []design // in columns; only simulated checks have several
	workers int      // series that are made at once
}

// measured are checks that are made one after the other.
var measured = survey{make([]design, 1), 1}

// ask prints a line for each figure, and misses its aim when the first design misses one.
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
	work(0) // here: what is measured ends with the thread that started it
	wg.Wait()
	must(errors.Join(errs...))
	return counts
}

// count is how often something happened in one series, and how often it could have.
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

// limits returns the 95 % limits of a share: Wilson's for as many independent cases as
// would vary as much as the series do, or for a mean the limits of a normal distribution.
// What is counted in one series belongs together.
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

// aim prints a number beside the limits that it should keep; a limit of 0 is none.
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
