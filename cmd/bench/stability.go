package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/pflag"

	"pgmpi/analyze"
	"pgmpi/analyze/judge"
)

// stabilityCommand asks whether a check says the same when it is done again: of
// the cells (a guideline at a size) that any of several checks in a row calls
// violated, how many does another call kept, and how many anything but violated?
var stabilityCommand = command{
	name:  "stability",
	short: "five checks in a row: how many verdicts flip, one library",
	flags: func(fs *pflag.FlagSet) func() error {
		pgmpi := fs.String("pgmpi", "bin/pgmpi", "the driver")
		rank := fs.String("rank", "bin/pgmpi-rank", "the rank program")
		checks := fs.Int("checks", 5, "checks in a row")
		msizes := fs.String("msizes", "1..1Mi", "sizes of the cells")
		runs := fs.Int("mpiruns", 10, "R of each check")
		return func() error { return stabilityBench(*pgmpi, *rank, *checks, *msizes, *runs) }
	},
}

const (
	keptAim  = 0.01
	otherAim = 0.10
)

func stabilityBench(pgmpi, rank string, checks int, msizes string, runs int) error {
	rank, info, err := probe(rank)
	if err != nil {
		return err
	}
	title("%d checks in a row of the same library: GL3-GL17 at %s B, p = %d, R = %d", info.LibVersion, checks, msizes, np, runs)
	dir, err := os.MkdirTemp("", "pgmpi-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	text := fmt.Sprintf("[check]\nguidelines = [\"GL3..GL17\"]\n[job]\nnp = [%d]\nmpiruns = %d\nmsizes = [%q]\n", np, runs, msizes)
	var reports []*analyze.Report
	for i := range checks {
		out := filepath.Join(dir, fmt.Sprint("out", i))
		took, err := runPgmpi(pgmpi, dir, text, "check", "--rank", rank, "--out", out, "--seed", fmt.Sprint(i+1))
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
		fmt.Printf("   check %d, %.0f s: %v\n", i+1, took.Seconds(), counts)
		reports = append(reports, r)
	}
	f := flipsOf(reports)
	for _, line := range f.lines {
		fmt.Println("   " + line)
	}
	fmt.Printf("   %d of %d cells were ever violated, %d of them in every check\n", f.violated, f.cells, f.violated-f.other)
	if f.violated == 0 {
		return nil
	}
	kept, other := float64(f.kept)/float64(f.violated), float64(f.other)/float64(f.violated)
	return errors.Join(
		outcome("violated once, kept in another check", percent(f.kept, f.violated), "under 1 %", kept < keptAim),
		outcome("violated once, not violated in another check", percent(f.other, f.violated), "under 10 %", other < otherAim))
}

func percent(n, of int) string {
	return fmt.Sprintf("%d of %d, %.0f %%", n, of, 100*float64(n)/float64(of))
}

// flips counts cells over several checks.
type flips struct {
	cells    int
	violated int // in one check at least
	kept     int // of these, kept in another
	other    int // of these, anything but violated in another
	lines    []string
}

// flipsOf compares reports cell by cell; a line for every cell that flipped has
// its ratio and verdict in each.
func flipsOf(reports []*analyze.Report) flips {
	type cell struct {
		guideline, shape string
		msize            int64
	}
	seen := map[cell][]analyze.Verdict{}
	var order []cell
	for _, r := range reports {
		for _, v := range r.Verdicts {
			c := cell{v.Guideline + " " + v.Function, v.Shape, v.Msize}
			if seen[c] == nil {
				order = append(order, c)
			}
			seen[c] = append(seen[c], v)
		}
	}
	f := flips{cells: len(order)}
	for _, c := range order {
		is := func(verdict judge.Verdict) func(analyze.Verdict) bool {
			return func(v analyze.Verdict) bool { return v.Verdict == verdict }
		}
		all := seen[c]
		if !slices.ContainsFunc(all, is(judge.Violated)) {
			continue
		}
		f.violated++
		if slices.ContainsFunc(all, is(judge.Kept)) {
			f.kept++
		}
		if !slices.ContainsFunc(all, func(v analyze.Verdict) bool { return v.Verdict != judge.Violated }) {
			continue
		}
		f.other++
		line := fmt.Sprintf("%s at %d B:", c.guideline, c.msize)
		for _, v := range all {
			ratio := 0.0
			if v.Ratio != nil {
				ratio = *v.Ratio
			}
			line += fmt.Sprintf("  %.2f %s", ratio, v.Verdict)
		}
		f.lines = append(f.lines, line)
	}
	return f
}
