package main

import (
	"context"
	"errors"
	"fmt"

	"pgmpi/analyze"
	"pgmpi/analyze/judge"
)

const (
	keptAim  = 0.01
	otherAim = 0.10
)

// stabilityBench asks whether a check says the same when it is done again: of
// the cells (a guideline at a size) that any of several checks in a row calls
// violated, how many does another call kept, and how many anything but violated?
func stabilityBench(ctx context.Context, e *env) error {
	const msizes = "1..1Mi"
	e.title("%d checks in a row of the same library: GL3-GL17 at %s B, p = %d, R = %d", e.times, msizes, np, e.mpiruns)
	text := fmt.Sprintf("[check]\nguidelines = [\"GL3..GL17\"]\n[job]\nnp = [%d]\nmpiruns = %d\nmsizes = [%q]\n", np, e.mpiruns, msizes)
	var reports []*analyze.Report
	for i := range e.times {
		out, took, err := e.measure(ctx, "check", text, i+1)
		if err != nil {
			return err
		}
		r, err := reportOf(out)
		if err != nil {
			return err
		}
		counts := map[judge.Verdict]int{}
		for _, v := range r.Verdicts {
			counts[v.Verdict]++
		}
		fmt.Printf("   check %d, %.0f s: %v\n", i+1, took, counts)
		reports = append(reports, r)
	}
	f := flipsOf(reports)
	for _, line := range f.lines {
		fmt.Println("   " + line)
	}
	fmt.Printf("   %d of %d cells were ever violated, %d of them in every check\n", f.violated, len(reports[0].Verdicts), f.violated-f.other)
	share := func(what string, n int, aim float64) error {
		got := fmt.Sprintf("%d of %d, %s", n, f.violated, percent(n, f.violated))
		return outcome("violated once, "+what+" in another check", got, fmt.Sprintf("under %.0f %%", 100*aim), n == 0 || float64(n) < aim*float64(f.violated))
	}
	return errors.Join(share("kept", f.kept, keptAim), share("not violated", f.other, otherAim))
}

// flips counts cells over several checks.
type flips struct {
	violated int      // in at least one check
	kept     int      // of these, kept in another
	other    int      // of these, anything but violated in another
	lines    []string // for every cell that flipped: ratio and verdict in each check
}

// flipsOf compares reports cell by cell; all have the same plan.
func flipsOf(reports []*analyze.Report) (f flips) {
	for i, c := range reports[0].Verdicts {
		line := fmt.Sprintf("%s %s at %d B:", c.Guideline, c.Function, c.Msize)
		in := map[judge.Verdict]int{}
		for _, r := range reports {
			v, ratio := r.Verdicts[i], 0.0
			if v.Ratio != nil {
				ratio = *v.Ratio
			}
			line += fmt.Sprintf("  %.2f %s", ratio, v.Verdict)
			in[v.Verdict]++
		}
		if in[judge.Violated] == 0 {
			continue
		}
		f.violated++
		if in[judge.Kept] > 0 {
			f.kept++
		}
		if in[judge.Violated] < len(reports) {
			f.other++
			f.lines = append(f.lines, line)
		}
	}
	return f
}
