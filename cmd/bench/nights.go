package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"pgmpi/analyze"
	"pgmpi/analyze/judge"
)

const (
	loadEvery     = 4 // nights, of which one is beside a busy core
	plainEvery    = 5 // nights, after which comes a check without a gate
	gateAim       = 1.3
	machineFactor = 1.3 // how many times as slow the slow machine is
)

// baselines name what a night is held against: the first is what a folder of nights as the
// baseline means.
var baselines = []struct {
	name string
	of   func(before []string) []string
}{
	{"the last five", func(before []string) []string { return before[max(0, len(before)-5):] }},
	{"the night before", func(before []string) []string { return before[len(before)-1:] }},
	{"the first", func(before []string) []string { return before[:1] }},
}

// nightsBench asks whether a nightly check is red only when something is newly wrong:
// nights of the unchanged library, each held against all baselines; the same with a
// slowdown planted into one collective; and with everything slower.
func nightsBench(ctx context.Context, e *env) {
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
		e.aim("wall-clock of a night, median", quartiles(gated)[2]/quartiles(plain)[2], "%.2f times a check without a gate", 0, gateAim)
	}
	e.ask(ctx, measured, e.nightly(ctx, unchanged, outs[:e.times/2]))
}

// nightly are the questions to nights of the unchanged library, and to some that follow
// the first half of them.
func (e *env) nightly(ctx context.Context, unchanged []*series, before []string) []question {
	figures := func(what string, least, most float64) (out []figure) {
		for k, b := range baselines {
			out = append(out, figure{what: what + " against " + b.name, least: least, most: most, count: red(k)})
		}
		return out
	}
	out := []question{fixed("nights of the unchanged library", figures("red", 0, never), unchanged...)}
	for _, p := range []struct{ percent, nights int }{{25, 1}, {10, 3}} {
		out = append(out, question{fmt.Sprintf("%d %% planted into one collective, nights until there is an alarm, at most %d", p.percent, p.nights), 1, figures("alarm", 1, 0),
			func(*design, int, *rand.Rand) *series {
				return e.plantedNights(ctx, p.percent, p.nights, before)
			}})
	}
	return append(out, question{fmt.Sprintf("a machine that is %g times as slow", machineFactor), 1, []figure{
		{what: "red, run-times too", most: never, count: red(0)},
		{what: "the report says that the machine is slower", least: 1},
	}, func(*design, int, *rand.Rand) *series { return e.slowMachine(ctx, before) }})
}

// night makes one more night after others, with a section [mpi] or none. In held it is
// compared with each baseline, and alarms are violations.
func (e *env) night(ctx context.Context, seed int, load bool, mpi string, before []string) (n checked, held *series) {
	held = &series{checks: make([][]judge.Outcome, len(baselines))}
	baseline, err := json.Marshal(append([]string{}, baselines[0].of(before)...))
	must(err)
	text := fmt.Sprintf("%s%s[gate]\nbaseline = %s\n", checkTOML, mpi, baseline)
	besideLoad(ctx, load, func(ctx context.Context) {
		n = e.check(ctx, fmt.Sprintf("night %d, beside a busy core: %t", seed, load), text, seed)
		for k, b := range baselines {
			if len(before) == 0 {
				break
			}
			dir := n.out
			if k > 0 {
				dir = e.goOn(ctx, n.out, k, seed, b.of(before))
			}
			_, found := alarms(dir, b.name)
			held.checks[k] = found
		}
	})
	return n, held
}

// goOn makes a copy of a night's folder without what was measured again, and goes on in it
// with other baselines, which measures again what would be an alarm then.
func (e *env) goOn(ctx context.Context, out string, k, seed int, baselines []string) (dir string) {
	dir = fmt.Sprintf("%s-%d", out, k)
	must(os.CopyFS(dir, os.DirFS(out)))
	again, err := filepath.Glob(filepath.Join(dir, "raw", "confirm-*"))
	must(err)
	for _, name := range again {
		must(os.Remove(name))
	}
	e.pgmpi(ctx, "check", "--quiet", "--guidelines", filepath.Join(e.dir, "gl.toml"), "--rank", e.program("pgmpi-rank"),
		"--out", dir, "--seed", fmt.Sprint(seed), "--resume", "--baseline", strings.Join(baselines, ","))
	return dir
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

// plantedNights go on after nights of the unchanged library with one collective slower by
// a percentage, until there is an alarm against each baseline. They are one series.
func (e *env) plantedNights(ctx context.Context, percent, most int, before []string) *series {
	collective := judgedBest(before[0], before[len(before)-1])
	plant := e.delay(fmt.Sprintf("%s:0..1024Mi:%d%%", collective, percent))
	all := &series{checks: make([][]judge.Outcome, len(baselines))}
	for i := 1; i <= most && slices.ContainsFunc(all.checks, func(found []judge.Outcome) bool { return len(found) == 0 }); i++ {
		n, held := e.night(ctx, 10000*percent+i, false, plant, before)
		before = append(slices.Clone(before), n.out)
		for k := range all.checks {
			all.checks[k] = append(all.checks[k], held.checks[k]...)
		}
	}
	return all
}

// judgedBest returns the collective with the most cells on which a plant must show: both
// nights keep them, and their ratio is about 1.
func judgedBest(first, last string) (collective string) {
	cells := map[string]int{}
	var a, b analyze.Report
	read(filepath.Join(first, "report.json"), &a)
	read(filepath.Join(last, "report.json"), &b)
	for i, v := range a.Verdicts {
		if atOne(&v) && atOne(&b.Verdicts[i]) {
			cells[v.Function]++
		}
	}
	for _, f := range slices.Sorted(maps.Keys(cells)) {
		if cells[f] > cells[collective] {
			collective = f
		}
	}
	if collective == "" {
		must(errors.New("no collective has a cell that both nights keep at about 1: there is nothing to plant into"))
	}
	fmt.Printf("   planted into %s, which has %d cells that both nights before keep at 0.95 to 1.05\n", collective, cells[collective])
	return collective
}

func atOne(v *analyze.Verdict) bool {
	return v.Verdict == judge.Kept && v.Ratio != nil && *v.Ratio > 0.95 && *v.Ratio < 1.05
}

// slowMachine makes one night on a machine on which everything takes longer: the ranks'
// clocks run faster. It counts whether the report notes that.
func (e *env) slowMachine(ctx context.Context, before []string) *series {
	n, _ := e.night(ctx, 999, false, preload(filepath.Join(e.bin, "slowclock.so"), "PGMPI_FASTER", fmt.Sprint(machineFactor)), before)
	e.pgmpi(ctx, "analyze", n.out, "--baseline", strings.Join(baselines[0].of(before), ","), "--fail-on", "times")
	r, found := alarms(n.out, "run-times too")
	var said count
	said.add(slices.ContainsFunc(r.Gate.Notes, func(n string) bool { return strings.Contains(n, "raise no alarm") }))
	return &series{checks: [][]judge.Outcome{found}, counted: []count{{}, said}}
}
