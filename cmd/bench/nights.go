package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"pgmpi/analyze"
	"pgmpi/analyze/judge"
	"pgmpi/cmd/bench/table"
)

const (
	loadEvery     = 4 // nights, of which one is beside a busy core
	plainEvery    = 5 // nights, after which comes a check without a gate
	gateAim       = 1.3
	machineFactor = 1.3 // how many times as slow the slow machine is
)

// lastFive of the nights before are what one is held against.
func lastFive(before []string) []string { return before[max(0, len(before)-5):] }

// nightsBench asks whether a nightly check is red only when something is newly wrong:
// nights of the unchanged library, each held against the last five; with everything slower; and
// many nights that are drawn from one, with a slowdown planted into each cell in turn.
func nightsBench(ctx context.Context, e *env) {
	if e.folder != "" {
		e.drawn(ctx, e.folder)
		return
	}
	var outs []string
	var unchanged []*series
	var gated, plain []float64 // seconds
	for i := 1; i <= e.times; i++ {
		load := i%loadEvery == loadEvery-1
		n, held := e.night(ctx, i, load, "", outs)
		if outs = append(outs, n.out); i > 1 {
			unchanged = append(unchanged, held)
		}
		if i > 1 && !load {
			gated = append(gated, n.seconds)
		}
		if i%plainEvery == 0 {
			plain = append(plain, e.check(ctx, "without a gate", checkTOML, 1000+i).seconds)
		}
	}
	if len(plain) > 0 {
		e.aim("wall-clock of a night, median", table.Quartiles(gated)[2]/table.Quartiles(plain)[2], "%.2f times a check without a gate", 0, gateAim)
	}
	e.ask(ctx, measured, e.nightly(ctx, unchanged, outs[:e.times/2]))
	e.drawn(ctx, outs[len(outs)-1])
}

// drawn asks about nights that are made of one folder's mpiruns.
func (e *env) drawn(ctx context.Context, folder string) {
	m, set := opened(folder)
	d := newDrawn(m, set, rand.New(rand.NewPCG(e.seed, 0)))
	fmt.Printf("   nights drawn from %d mpiruns, %d tests\n", len(d.noise), len(d.manifest.Plan.Tests))
	e.ask(ctx, survey{make([]design, 1), runtime.GOMAXPROCS(0)}, d.questions())
}

// nightly are the questions to nights of the unchanged library, and to some that follow
// the first half of them.
func (e *env) nightly(ctx context.Context, unchanged []*series, before []string) []question {
	return []question{fixed("nights of the unchanged library", []figure{{what: "red", most: never, count: red(0)}}, unchanged...), {fmt.Sprintf("a machine that is %g times as slow", machineFactor), 1, []figure{
		{what: "red, run-times too", most: never, count: red(0)},
		{what: "the report says that the machine is slower", least: 1},
	}, func(*design, int, *rand.Rand) *series { return e.slowMachine(ctx, before) }}}
}

// night makes one more night after others, with a section [mpi] or none. In held it is
// compared with the last five, and alarms are violations.
func (e *env) night(ctx context.Context, seed int, load bool, mpi string, before []string) (n checked, held *series) {
	held = &series{checks: make([][]judge.Outcome, 1)}
	baseline := get(json.Marshal(append([]string{}, lastFive(before)...)))
	text := fmt.Sprintf("%s%s[gate]\nbaseline = %s\n", checkTOML, mpi, baseline)
	besideLoad(ctx, load, func(ctx context.Context) {
		n = e.check(ctx, fmt.Sprintf("night %d, beside a busy core: %t", seed, load), text, seed)
		if len(before) > 0 {
			_, held.checks[0] = alarms(n.out, "the last five")
		}
	})
	return n, held
}

// alarms prints the alarms of a night, and returns them as violations.
func alarms(dir, against string) (r analyze.Report, found []judge.Outcome) {
	read(filepath.Join(dir, "report.json"), &r)
	if r.Gate == nil {
		must(fmt.Errorf("%s has no gate", dir))
	}
	for i := range r.Verdicts {
		if v := &r.Verdicts[i]; v.Gated != nil && v.Alarm {
			fmt.Printf("      alarm against %s, %s: %s: %s\n", against, v.State, cell(v), v.StateReason)
			found = append(found, judge.Outcome{Verdict: judge.Violated})
		}
	}
	return r, found
}

// slowMachine makes one night on a machine on which everything takes longer: the ranks'
// clocks run faster. It counts whether the report notes that.
func (e *env) slowMachine(ctx context.Context, before []string) *series {
	n, _ := e.night(ctx, 999, false, preload(filepath.Join(e.bin, "slowclock.so"), "PGMPI_FASTER", fmt.Sprint(machineFactor)), before)
	e.pgmpi(ctx, "analyze", n.out, "--baseline", strings.Join(lastFive(before), ","), "--fail-on", "times")
	r, found := alarms(n.out, "run-times too")
	var said count
	said.add(slices.ContainsFunc(r.Gate.Notes, func(n string) bool { return strings.Contains(n, "raise no alarm") }))
	return &series{checks: [][]judge.Outcome{found}, counted: []count{{}, said}}
}
