package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"pgmpi/analyze/judge"
	"pgmpi/mockups"
)

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

const (
	proofPlants = 5 // checks of each planted slowdown
	falseAim    = 0.05
	plantAim    = 0.95 // of those of plantAimPercent

	plantAimPercent = 10
)

// proofPercents are planted; 0 is a check of collectives with themselves.
var proofPercents = []int{0, 5, 10, 25}

// proven is what checks with one planted slowdown gave.
type proven struct {
	tally
	percent int
	r       int     // of the last check
	seconds float64 // of all of them
}

// proofBench measures how often pgmpi is wrong: false violations where a
// collective is compared with itself, and the share of planted slowdowns that it
// finds. docs/dev/statistics.md has what it printed once.
func proofBench(ctx context.Context, e *env) error {
	e.title("every collective against itself%s: p = %d, sizes %s", e.conditions(), np, proofSizes)
	var all []proven
	err := e.besideLoad(ctx, func(ctx context.Context) error {
		for _, percent := range proofPercents {
			p := proven{percent: percent}
			times := e.times
			if percent > 0 {
				times = min(times, proofPlants)
			}
			for i := range times {
				if err := e.prove(ctx, 1000*percent+i+1, &p); err != nil {
					return err
				}
			}
			all = append(all, p)
		}
		return nil
	})
	if err != nil {
		return err
	}
	return showProof(all)
}

// showProof prints the table, and the aims of what check does by itself.
func showProof(all []proven) error {
	t := newTable("planted", "R", "checks", "s a check", "false per check", "checks with any", "found of planted", "recall")
	for _, p := range all {
		t.row(fmt.Sprint(p.percent, " %"), p.r, p.checks, number("%.1f", p.seconds/float64(p.checks)),
			per(p.falseFound, p.checks), per(p.anyFalse, p.checks), fmt.Sprintf("%d/%d", p.found, p.planted), per(p.found, p.planted))
	}
	missed := t.Flush()
	for _, p := range all {
		switch p.percent {
		case 0:
			missed = errors.Join(missed, outcome("checks of collectives with themselves that have a false violation",
				fmt.Sprintf("%d of %d", p.anyFalse, p.checks), fmt.Sprintf("at most %.0f %%", 100*falseAim), float64(p.anyFalse) <= falseAim*float64(p.checks)))
		case plantAimPercent:
			missed = errors.Join(missed, outcome(fmt.Sprintf("plants of %d %% that are found", p.percent),
				fmt.Sprintf("%d of %d", p.found, p.planted), fmt.Sprintf("at least %.0f %%", 100*plantAim), float64(p.found) >= plantAim*float64(p.planted)))
		}
	}
	return missed
}

// prove makes one check in which every second collective is delayed.
func (e *env) prove(ctx context.Context, seed int, p *proven) error {
	var guidelines strings.Builder
	var slow, plants []string
	for i, c := range mockups.Identities() {
		fmt.Fprintf(&guidelines, "[[guideline]]\nid = %q\npattern = { function = %q, mockup = %q }\n",
			"self-"+strings.TrimPrefix(c, "MPI_"), c, mockups.IdentityOf(c))
		if p.percent > 0 && i%2 == 0 {
			slow, plants = append(slow, c), append(plants, fmt.Sprintf("%s:0..1024Mi:%d%%", c, p.percent))
		}
	}
	text := fmt.Sprintf("[check]\nguidelines = []\n[job]\nnp = [%d]\n%smsizes = [%s]\n", np, e.mpirunsLine(), proofSizes)
	if len(plants) > 0 {
		text += fmt.Sprintf("[mpi]\nenv = { LD_PRELOAD = %q, PGMPI_DELAY = %q }\n", e.program("pgmpi-rank")+"-delay.so", strings.Join(plants, ","))
	}
	out, took, err := e.measure(ctx, "check", text+guidelines.String(), seed)
	if err != nil {
		return err
	}
	defer os.RemoveAll(out)
	p.seconds += took
	r, err := reportOf(out)
	if err != nil {
		return err
	}
	p.r = r.R
	var one tally
	for _, v := range r.Verdicts {
		planted := slices.Contains(slow, v.Function)
		one.count(planted, v.Verdict.Verdict)
		if missed := planted && p.percent >= plantAimPercent && !isViolated(&v); missed || !planted && isViolated(&v) {
			fmt.Printf("   %d %% planted, check %d: %s\n", p.percent, p.checks+1, asItself(&v))
		}
	}
	p.add(one)
	return nil
}

// asItself says how a collective compares with itself.
func asItself(v *verdict) string {
	line := fmt.Sprintf("%s at %d B is %s", v.Function, v.Msize, v.Verdict.Verdict)
	if v.Ratio != nil && v.RatioLo95 != nil && v.RatioHi95 != nil {
		line += fmt.Sprintf(": %.2f times as slow as itself [%.2f, %.2f]", *v.Ratio, *v.RatioLo95, *v.RatioHi95)
	}
	if v.MedianS != nil {
		line += fmt.Sprintf(", %.2f µs", *v.MedianS*1e6)
	}
	return line
}
