package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strconv"
	"strings"
	"sync"

	"pgmpi/analyze/judge"
	"pgmpi/internal/stats"
)

// simulation is what simulateBench is asked for.
type simulation struct {
	tests   int
	designs []string
	rows    string
}

// simulateBench shows what the statistics promise (docs/dev/statistics.md): worlds in which
// everything is known are measured and judged as a check does it.
func simulateBench(ctx context.Context, e *env) error {
	var designs []design
	for _, name := range e.designs {
		d, err := newDesign(name, e.tests)
		if err != nil {
			return err
		}
		designs = append(designs, d)
	}
	e.title("simulated checks of m = %d tests, with 95 %% limits", e.tests)
	fmt.Printf("      %-50s %-12s", "", "aim")
	for _, d := range designs {
		fmt.Printf(" %-28s", d.name)
	}
	fmt.Println()
	missed := 0
	for row, q := range questions(e.tests) {
		if !strings.Contains(q.name, e.rows) {
			continue
		}
		// Every row has random numbers of its own, the designs have the same.
		n, err := q.show(ctx, designs, max(2, e.times/q.share), e.seed<<16+uint64(row))
		if err != nil {
			return err
		}
		missed += n
	}
	return outcome(designs[0].name, fmt.Sprintf("%d of the aims above missed", missed), "none", missed == 0)
}

// design is how a check is made and judged.
type design struct {
	name string
	*judge.Design
}

// newDesign reads "usual" (what check does by itself), "R", "R+R…" (with looks) or "paper".
func newDesign(name string, tests int) (d design, err error) {
	cfg, schedule := judge.Default(), judge.Usual(judge.Default(), tests)
	switch name {
	case "usual":
	case "paper":
		cfg.Method, schedule = judge.MethodPaper, judge.Once(10)
	default:
		schedule = judge.Schedule{}
		for part := range strings.SplitSeq(name, "+") {
			r, err := strconv.Atoi(part)
			if err != nil {
				return d, fmt.Errorf("--designs: %s is none: usual, paper, or numbers of mpiruns as in 10 or 8+16+24", name)
			}
			schedule.Looks = append(schedule.Looks, r)
		}
		weights := map[int][]float64{1: {1}, 2: {.5, .5}, 3: {.2, .3, .5}}
		if schedule.Weights = weights[len(schedule.Looks)]; schedule.Weights == nil {
			return d, fmt.Errorf("--designs: %s has more than three looks", name)
		}
		if err := schedule.Check(schedule.R()); err != nil {
			return d, err
		}
	}
	d.name = name
	if d.Design, err = judge.NewDesign(cfg, schedule, tests); err == nil && d.Refused != nil {
		err = fmt.Errorf("--designs %s: %s", name, d.Refused.Reason)
	}
	return d, err
}

// check makes and judges the number-th check of a series.
func (d *design) check(w *world, ratios []float64, number int, random *rand.Rand) (*judge.Family, error) {
	all := w.pairs(ratios, d.R(), number, random)
	f := d.Family(w.step)
	for k, at := range d.Looks {
		now := make([]judge.Pair, len(all))
		var cases [][]float64
		for i, p := range all {
			if !f.Outcomes[i].Done() {
				now[i] = judge.Pair{Orig: p.Orig[:at], Other: p.Other[:at]}
				cases = append(cases, now[i].Orig, now[i].Other)
			}
		}
		if len(cases) == 0 {
			break
		}
		if !d.Test(k).Paired {
			factor := stats.General(cases)
			for i := range now {
				now[i].Factor = factor
			}
		}
		if err := f.Look(now); err != nil {
			return nil, err
		}
	}
	return f, nil
}

// show asks a question of several designs in some series of checks, and prints what was
// counted beside the aims. It returns how many the first design missed.
func (q *question) show(ctx context.Context, designs []design, series int, seed uint64) (missed int, err error) {
	counts := make([][][]count, len(designs))
	for i := range designs {
		counts[i], err = inParallel(ctx, series, func(n int) ([]count, error) {
			return q.ask(&designs[i], n, rand.New(rand.NewPCG(seed, uint64(n))))
		})
		if err != nil {
			return 0, err
		}
	}
	fmt.Printf("   %s, %d checks\n", q.name, series*q.inOne)
	for f, figure := range q.figures {
		fmt.Printf("      %-50s %-12s", figure.what, figure.aim())
		for i := range designs {
			text, ok := figure.of(column(counts[i], f))
			fmt.Printf(" %-28s", text)
			if i == 0 && !ok {
				missed++
			}
		}
		fmt.Println()
	}
	return missed, nil
}

func column(counts [][]count, f int) []count {
	out := make([]count, len(counts))
	for i, c := range counts {
		out[i] = c[f]
	}
	return out
}

// inParallel calls work with 0 to n−1 on all cores.
func inParallel[T any](ctx context.Context, n int, work func(int) (T, error)) ([]T, error) {
	out, errs := make([]T, n), make([]error, n)
	var wg sync.WaitGroup
	workers := runtime.GOMAXPROCS(0)
	for first := range workers {
		wg.Go(func() {
			for i := first; i < n; i += workers {
				if errs[i] = ctx.Err(); errs[i] != nil {
					return
				}
				out[i], errs[i] = work(i)
			}
		})
	}
	wg.Wait()
	return out, errors.Join(errs...)
}
