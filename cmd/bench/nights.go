package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"pgmpi/analyze/judge"
	"pgmpi/analyze/series"
)

// nightParts are what nightsBench shows beside nights of the unchanged library: plants
// of so many percent, and a machine on which everything takes longer.
var nightParts = []string{"25", "10", "machine"}

const (
	partMachine   = "machine"
	machineFactor = 1.3
	loadEvery     = 4 // one night in so many is beside a busy core
	plainEvery    = 5 // after one in so many comes a check without a gate
	gateAim       = 1.3

	// A plant comes after half of the nights. By these nights of the plant there is to
	// be an alarm.
	promptNights, lateNights = 1, 3
	promptPercent            = 25
)

// against names what a night is held against: the first is what a folder of nights as
// the baseline means.
var against = [...]string{"the last five", "the night before", "the first"}

const lastNights = 5

// baselinesOf are the folders that against names, of those of the nights before.
func baselinesOf(before []string) [len(against)][]string {
	last := len(before) - 1
	return [...][]string{before[max(0, len(before)-lastNights):], before[last:], before[:1]}
}

// nightly is a night that was made.
type nightly struct {
	out     string
	seconds float64
	load    bool
	alarms  [len(against)]int
}

// outs are the folders of nights.
func outs(nights []nightly) (out []string) {
	for _, n := range nights {
		out = append(out, n.out)
	}
	return out
}

// nightsBench asks whether a nightly check is red only when something is newly wrong:
// nights of the unchanged library, each against the last five, the one before and the
// first; the same with a slowdown planted into one collective; and with everything slower.
func nightsBench(ctx context.Context, e *env) error {
	if e.times < 4 {
		return errors.New("--times must be at least 4: there are nights before the plant and after")
	}
	e.title("%d nights of the check of `check`, each against the last five, the one before and the first", e.times)
	nights, plain, err := e.unchangedNights(ctx)
	if err != nil {
		return err
	}
	missed := showNights(nights, plain)
	half := e.times / 2
	for _, part := range e.parts {
		var err error
		if part == partMachine {
			err = e.slowMachine(ctx, outs(nights[:half]))
		} else {
			err = e.plantedNights(ctx, part, nights[:half])
		}
		if err != nil && !errors.Is(err, errMissed) {
			return err
		}
		missed = errors.Join(missed, err)
	}
	return missed
}

// unchangedNights makes the nights, and some checks without a gate.
func (e *env) unchangedNights(ctx context.Context) (nights []nightly, plain []float64, err error) {
	for i := 1; i <= e.times; i++ {
		n := nightly{load: i%loadEvery == 3}
		var baselines [len(against)][]string
		if i > 1 {
			baselines = baselinesOf(outs(nights))
		}
		measure := func(ctx context.Context) (err error) {
			n.out, n.seconds, err = e.night(ctx, i, "", baselines[0]...)
			return err
		}
		if n.load {
			err = withLoad(ctx, measure)
		} else {
			err = measure(ctx)
		}
		if err == nil && i > 1 {
			n.alarms, err = e.alarms(ctx, i, n.out, baselines)
		}
		if err != nil {
			return nil, nil, err
		}
		nights = append(nights, n)
		if i%plainEvery == 0 {
			out, seconds, err := e.night(ctx, 1000+i, "")
			if err != nil {
				return nil, nil, err
			}
			plain = append(plain, seconds)
			os.RemoveAll(out)
		}
		beside := ""
		if n.load {
			beside = " beside a busy core"
		}
		fmt.Printf("   night %d%s, %.0f s: %s\n", i, beside, n.seconds, e.gateLine(n.out))
	}
	return nights, plain, nil
}

// night makes a check against baselines, with a plant if one is given.
func (e *env) night(ctx context.Context, seed int, plant string, baselines ...string) (out string, seconds float64, err error) {
	mpi := ""
	if plant != "" {
		mpi = fmt.Sprintf("[mpi]\nenv = { LD_PRELOAD = %q, PGMPI_DELAY = %q }\n", e.program("pgmpi-rank")+"-delay.so", plant)
	}
	return e.nightWith(ctx, seed, mpi, baselines...)
}

func (e *env) nightWith(ctx context.Context, seed int, mpi string, baselines ...string) (out string, seconds float64, err error) {
	text := checkTOML + mpi
	quoted := make([]string, len(baselines))
	for i, b := range baselines {
		quoted[i] = strconv.Quote(b)
	}
	text += fmt.Sprintf("[gate]\nbaseline = [%s]\n", strings.Join(quoted, ", "))
	return e.measure(ctx, "check", text, seed)
}

// alarms are those of a night, and those that it would have had against other baselines:
// a copy of its folder goes on with those, and measures again what then would be an alarm.
func (e *env) alarms(ctx context.Context, seed int, out string, baselines [len(against)][]string) (n [len(against)]int, err error) {
	for i, dir := range []string{out, out + "-before", out + "-first"} {
		if i > 0 {
			defer os.RemoveAll(dir)
			if err := e.goOn(ctx, seed, out, dir, baselines[i]); err != nil {
				return n, err
			}
		}
		r, err := reportOf(dir)
		if err != nil {
			return n, err
		}
		if r.Gate == nil {
			return n, fmt.Errorf("%s has no gate", dir)
		}
		n[i] = r.Gate.Alarms
		showAlarms(r, against[i])
	}
	return n, nil
}

// goOn makes a copy of a night's folder without what was measured again, and goes on in it
// with other baselines.
func (e *env) goOn(ctx context.Context, seed int, out, dir string, baselines []string) error {
	if err := os.CopyFS(dir, os.DirFS(out)); err != nil {
		return err
	}
	again, err := filepath.Glob(filepath.Join(dir, "raw", "confirm-*"))
	for _, name := range again {
		err = errors.Join(err, os.Remove(name))
	}
	if err != nil {
		return err
	}
	_, err = e.pgmpi(ctx, "check", "--quiet", "--guidelines", filepath.Join(e.dir, "gl.toml"), "--rank", e.program("pgmpi-rank"),
		"--out", dir, "--seed", fmt.Sprint(seed), "--resume", "--baseline", strings.Join(baselines, ","))
	return err
}

func showAlarms(r *report, of string) {
	for _, v := range r.Verdicts {
		if v.Gated != nil && v.Alarm {
			fmt.Printf("   alarm against %s: %s %s %s at %d B, %.2f times: %s\n", of, v.State, v.Guideline, v.Function, v.Msize, *v.Ratio, v.StateReason)
		}
	}
}

// gateLine sums the report of a night up.
func (e *env) gateLine(out string) string {
	r, err := reportOf(out)
	if err != nil || r.Gate == nil {
		return "no gate"
	}
	var text []string
	for _, s := range slices.Sorted(maps.Keys(r.Gate.ByState)) {
		text = append(text, fmt.Sprintf("%d %s", r.Gate.ByState[s], s))
	}
	return fmt.Sprintf("%d alarms; %s", r.Gate.Alarms, cmp.Or(strings.Join(text, ", "), "nothing to say"))
}

func showNights(nights []nightly, plain []float64) error {
	red := [len(against)]int{}
	var gated []float64
	for i, n := range nights {
		for k := range red {
			if n.alarms[k] > 0 {
				red[k]++
			}
		}
		if i > 0 && !n.load {
			gated = append(gated, n.seconds)
		}
	}
	var missed error
	for k, of := range against {
		missed = errors.Join(missed, outcome("red nights against "+of, fmt.Sprintf("%d of %d", red[k], len(nights)-1), "none", red[k] == 0))
	}
	if len(plain) == 0 {
		return missed
	}
	with, without := quartiles(gated)[2], quartiles(plain)[2]
	return errors.Join(missed, outcome("wall-clock of a night, median", fmt.Sprintf("%.1f s, %.2f times a check without a gate", with, with/without),
		fmt.Sprintf("at most %.1f times", gateAim), with <= gateAim*without))
}

// plantedNights go on after nights of the unchanged library with one collective slower by
// a percentage, until there is an alarm.
func (e *env) plantedNights(ctx context.Context, percent string, before []nightly) error {
	n, err := strconv.Atoi(percent)
	if err != nil {
		return fmt.Errorf("--parts: %q is neither a percentage nor %s", percent, partMachine)
	}
	past := outs(before)
	collective, cells, err := judgedBest(past[0], past[len(past)-1])
	if err != nil {
		return err
	}
	limit := lateNights
	if n >= promptPercent {
		limit = promptNights
	}
	fmt.Printf("   %d %% planted into %s, which has %d cells that both nights before keep at 0.95 to 1.05\n", n, collective, cells)
	found := [len(against)]int{} // the night of the first alarm, from 1
	for i := 1; i <= limit && slices.Min(found[:]) == 0; i++ {
		seed := 10000*n + i
		baselines := baselinesOf(past)
		out, took, err := e.night(ctx, seed, fmt.Sprintf("%s:0..1024Mi:%d%%", collective, n), baselines[0]...)
		if err != nil {
			return err
		}
		alarms, err := e.alarms(ctx, seed, out, baselines)
		if err != nil {
			return err
		}
		fmt.Printf("   planted night %d, %.0f s: %s\n", i, took, e.gateLine(out))
		for k := range found {
			if found[k] == 0 && alarms[k] > 0 {
				found[k] = i
			}
		}
		past = append(past, out)
	}
	var missed error
	for k, of := range against {
		got := fmt.Sprintf("planted night %d", found[k])
		if found[k] == 0 {
			got = fmt.Sprintf("none in %d", limit)
		}
		missed = errors.Join(missed, outcome(fmt.Sprintf("alarm on %d %%, against %s", n, of), got, fmt.Sprintf("by planted night %d", limit), found[k] > 0))
	}
	return missed
}

// judgedBest is the collective with the most cells on which a plant must show: both
// reports keep them, and their ratio is about 1.
func judgedBest(first, last string) (collective string, cells int, err error) {
	count := map[string]int{}
	seen := map[string]int{}
	for _, out := range []string{first, last} {
		r, err := reportOf(out)
		if err != nil {
			return "", 0, err
		}
		for _, v := range r.Verdicts {
			if v.Verdict.Verdict == judge.Kept && v.Ratio != nil && *v.Ratio > 0.95 && *v.Ratio < 1.05 {
				key := fmt.Sprint(v.Guideline, v.Function, v.Msize)
				if seen[key]++; seen[key] == 2 {
					count[v.Function]++
				}
			}
		}
	}
	for _, f := range slices.Sorted(maps.Keys(count)) {
		if count[f] > cells {
			collective, cells = f, count[f]
		}
	}
	if cells == 0 {
		err = errors.New("no collective has a cell that both nights keep at about 1: there is nothing to plant into")
	}
	return collective, cells, err
}

// slowMachine makes one night on a machine on which everything takes longer: the ranks'
// clocks run faster.
func (e *env) slowMachine(ctx context.Context, before []string) error {
	start := time.Now()
	baselines := baselinesOf(before)[0]
	out, _, err := e.nightWith(ctx, 999, fmt.Sprintf("[mpi]\nenv = { LD_PRELOAD = %q, PGMPI_FASTER = \"%g\" }\n",
		filepath.Join(e.bin, "slowclock.so"), machineFactor), baselines...)
	if err == nil {
		_, err = e.pgmpi(ctx, "analyze", out, "--baseline", strings.Join(baselines, ","), "--fail-on", string(series.FailOnTimes))
	}
	if err != nil {
		return err
	}
	r, err := reportOf(out)
	if err != nil {
		return err
	}
	showAlarms(r, against[0])
	fmt.Printf("   everything %g times as slow, %.0f s: %s\n", machineFactor, time.Since(start).Seconds(), e.gateLine(out))
	said := slices.ContainsFunc(r.Gate.Notes, func(n string) bool { return strings.Contains(n, "raise no alarm") })
	return errors.Join(
		outcome("alarms on a slow machine, run-times too", fmt.Sprint(r.Gate.Alarms), "none", r.Gate.Alarms == 0),
		outcome("that the machine is slower is said", fmt.Sprint(said), "true", said))
}
