package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"pgmpi/analyze/judge"
	"pgmpi/mockups"
)

// proofMethods are compared in real checks.
var proofMethods = []judge.Method{judge.MethodDefault, judge.MethodPaper}

// tally counts over checks.
type tally struct {
	checks, anyFalse, falseFound int
	planted, found               int
}

// count takes one test of a check.
func (t *tally) count(planted bool, verdict judge.Verdict) {
	switch {
	case !planted && verdict == judge.Violated:
		t.falseFound++
	case planted:
		t.planted++
		if verdict == judge.Violated {
			t.found++
		}
	}
}

// add takes a whole check.
func (t *tally) add(one tally) {
	t.checks++
	if one.falseFound > 0 {
		t.anyFalse++
	}
	t.falseFound += one.falseFound
	t.planted, t.found = t.planted+one.planted, t.found+one.found
}

// proofSizes make calls of at least 1 µs, or the plant is no longer exact.
const proofSizes = `"1Ki", "16Ki", "128Ki"`

const proofPlants = 3 // checks of each planted slowdown

// proofBench measures how often pgmpi is wrong: false violations where a
// collective is compared with itself, and the share of planted slowdowns that it
// finds. docs/statistics.md has what it and simulateBench printed once.
func proofBench(ctx context.Context, e *env) error {
	e.title("every collective against itself: p = %d, R = %d, sizes %s", np, e.mpiruns, proofSizes)
	t := newTable("planted", "method", "checks", "false per check", "checks with any", "found of planted", "recall")
	for _, percent := range []int{0, 5, 10, 25, 50} {
		times := e.times
		if percent > 0 {
			times = min(times, proofPlants)
		}
		by := make([]tally, len(proofMethods))
		for i := range times {
			if err := e.prove(ctx, percent, 1000*percent+i+1, by); err != nil {
				return err
			}
		}
		for i, b := range by {
			t.row(fmt.Sprint(percent, " %"), proofMethods[i], b.checks, per(b.falseFound, b.checks), per(b.anyFalse, b.checks),
				fmt.Sprintf("%d/%d", b.found, b.planted), per(b.found, b.planted))
		}
	}
	return t.Flush()
}

// prove makes one check in which every second collective is delayed, and judges
// it by each method.
func (e *env) prove(ctx context.Context, percent, seed int, by []tally) error {
	var guidelines strings.Builder
	var slow, plants []string
	for i, c := range mockups.Identities() {
		fmt.Fprintf(&guidelines, "[[guideline]]\nid = %q\npattern = { function = %q, mockup = %q }\n",
			"self-"+strings.TrimPrefix(c, "MPI_"), c, mockups.IdentityOf(c))
		if percent > 0 && i%2 == 0 {
			slow, plants = append(slow, c), append(plants, fmt.Sprintf("%s:0..1024Mi:%d%%", c, percent))
		}
	}
	text := fmt.Sprintf("[check]\nguidelines = []\n[job]\nnp = [%d]\nmpiruns = %d\nmsizes = [%s]\n[nrep]\nfixed = 100\n", np, e.mpiruns, proofSizes)
	if len(plants) > 0 {
		text += fmt.Sprintf("[mpi]\nenv = { LD_PRELOAD = %q, PGMPI_DELAY = %q }\n", e.program("pgmpi-rank")+"-delay.so", strings.Join(plants, ","))
	}
	out, _, err := e.measure(ctx, "check", text+guidelines.String(), seed)
	if err != nil {
		return err
	}
	defer os.RemoveAll(out)
	for i, method := range proofMethods {
		if _, err := e.pgmpi(ctx, "analyze", out, "--method", string(method)); err != nil {
			return err
		}
		report, err := reportOf(out)
		if err != nil {
			return err
		}
		var one tally
		for _, v := range report.Verdicts {
			one.count(slices.Contains(slow, v.Function), v.Verdict)
		}
		by[i].add(one)
	}
	return nil
}
