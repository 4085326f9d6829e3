package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"pgmpi/analyze"
	"pgmpi/analyze/judge"
	"pgmpi/analyze/medians"
	gate "pgmpi/analyze/series"
	"pgmpi/bench/table"
	"pgmpi/guidelines"
	"pgmpi/internal/stats"
	"pgmpi/measure/results"
)

const (
	loadEvery     = 4 // nights, of which one is next to a busy core
	plainEvery    = 5 // nights, after which comes a check without a gate
	gateAim       = 1.3
	machineFactor = 1.3 // how many times as slow the slow machine is
)

func lastFive(before []string) []string { return before[max(0, len(before)-5):] }

// nightsBench asks whether a nightly check is red only if something is newly wrong. It makes nights
// of the unchanged library, each compared with the last five; nights with everything slower; and
// many nights drawn from one, with a slowdown planted into each cell in turn.
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

func (e *env) drawn(ctx context.Context, folder string) {
	m, set := opened(folder)
	d := newDrawn(m, set, rand.New(rand.NewPCG(e.seed, 0)))
	fmt.Printf("   nights drawn from %d mpiruns, %d tests\n", len(d.noise), len(d.manifest.Plan.Tests))
	e.ask(ctx, survey{make([]design, 1), runtime.GOMAXPROCS(0)}, d.questions())
}

// nightly returns the questions to unchanged nights, and to a machine that becomes slow after half
// of them.
func (e *env) nightly(ctx context.Context, unchanged []*series, before []string) []question {
	return []question{fixed("nights of the unchanged library", []figure{{what: "red", most: never, count: red(0)}}, unchanged...), {fmt.Sprintf("a machine that is %g times as slow", machineFactor), 1, []figure{
		{what: "red, run-times too", most: never, count: red(0)},
		{what: "the report says that the machine is slower", least: 1},
	}, func(*design, int, *rand.Rand) *series { return e.slowMachine(ctx, before) }}}
}

// night makes one more night after others, with or without a section [mpi]. In held it is compared
// with the last five, and alarms are violations.
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

// slowMachine makes one night on a machine on which everything takes longer: the ranks' clocks run
// faster. It counts whether the report notes that.
func (e *env) slowMachine(ctx context.Context, before []string) *series {
	n, _ := e.night(ctx, 999, false, preload(filepath.Join(e.bin, "slowclock.so"), "PGMPI_FASTER", fmt.Sprint(machineFactor)), before)
	e.pgmpi(ctx, "analyze", n.out, "--baseline", strings.Join(lastFive(before), ","), "--fail-on", "times")
	r, found := alarms(n.out, "run-times too")
	var said count
	said.add(slices.ContainsFunc(r.Gate.Notes, func(n string) bool { return strings.Contains(n, "raise no alarm") }))
	return &series{checks: [][]judge.Outcome{found}, counted: []count{{}, said}}
}

const (
	drawnSeries = 10 // of nights of an unchanged library
	drawnNights = 20 // of a series, besides its first ones, which have fewer baselines
)

// drawn makes nights of the mpiruns of a folder. Each case has the folder's median, except for what
// differs from night to night, and its mpiruns differ as in the folder.
type drawn struct {
	manifest *results.Manifest // its tests are the ones whose cases were measured in every drawn mpirun
	ticks    int64
	levels   []float64   // by case, logarithms of ns
	noise    [][]float64 // by mpirun and case
	drift    []float64   // by case, standard deviation from night to night
}

// drifts say how much cases really differ from night to night, beyond what mpiruns differ: half of
// them do not (quantiles; from five checks of Open MPI).
var drifts = []struct{ share, sd float64 }{{.5, 0}, {.9, .013}, {.95, .022}, {1, .08}}

func newDrawn(m *results.Manifest, set *medians.Set, random *rand.Rand) *drawn {
	n := m.R
	if len(m.Looks) > 0 {
		n = m.Looks[0]
	}
	plan := *m
	plan.Plan.Tests = slices.DeleteFunc(slices.Clone(m.Plan.Tests), func(t guidelines.Test) bool {
		return t.Type == guidelines.Split || set.Cases[t.Case].Problem(n) != "" || set.Cases[t.Others[0]].Problem(n) != ""
	})
	plan.SplitExperiment, plan.FollowUps = false, nil
	d := &drawn{manifest: &plan, ticks: set.TickNS, levels: make([]float64, len(set.Cases)), noise: make([][]float64, n), drift: make([]float64, len(set.Cases))}
	for run := range d.noise {
		d.noise[run] = make([]float64, len(set.Cases))
	}
	for i := range set.Cases {
		k := &set.Cases[i]
		if k.Problem(n) != "" {
			continue
		}
		d.levels[i] = math.Log(stats.MedianFinite(k.Medians[:n]))
		for run := range n {
			d.noise[run][i] = (math.Log(k.Medians[run]) - d.levels[i]) * math.Sqrt(float64(n)/float64(n-1))
		}
		u := random.Float64()
		for j := 1; j < len(drifts) && u > drifts[j-1].share; j++ {
			a, b := drifts[j-1], drifts[j]
			d.drift[i] = a.sd + (b.sd-a.sd)*min(1, (u-a.share)/(b.share-a.share))
		}
	}
	return d
}

type aNight struct {
	*analyze.Analysis
	levels []float64
}

// night draws a night in which one case takes some times as long. With plant −1 no case does.
func (d *drawn) night(random *rand.Rand, plant int, times float64) aNight {
	n := aNight{levels: slices.Clone(d.levels)}
	for i := range n.levels {
		n.levels[i] += d.drift[i] * random.NormFloat64()
	}
	if plant >= 0 {
		n.levels[plant] += math.Log(times)
	}
	n.Analysis = d.judged(random, d.manifest, n.levels)
	return n
}

func (d *drawn) judged(random *rand.Rand, m *results.Manifest, levels []float64) *analyze.Analysis {
	set := medians.New(m)
	set.TickNS = d.ticks
	for run := range m.R {
		noise := d.noise[random.IntN(len(d.noise))]
		for i := range set.Cases {
			set.Cases[i].Runs, set.Cases[i].Medians[run] = m.R, math.Exp(levels[i]+noise[i])
		}
	}
	return get(analyze.Judge(m, set, judge.Default()))
}

// hold returns a night as a baseline of later nights, and its alarms by test. It judges would-be
// alarms in new mpiruns of the same night.
func (d *drawn) hold(random *rand.Rand, n aNight, before []*gate.Check, name string) (*gate.Check, map[int]bool) {
	g := &gate.Baselines{GateConfig: gate.DefaultGate(), Nights: before}
	g.Baseline = []string{"nights"}
	report := get(gate.Hold(n.Analysis, g))
	alarms := map[int]bool{}
	if again := gate.Confirmation(n.Analysis, g); again != nil {
		m := *d.manifest
		m.R, m.Looks, m.LookWeights, m.Plan.Tests = again.R, nil, nil, nil
		for _, c := range again.Comparisons {
			m.Plan.Tests = append(m.Plan.Tests, d.manifest.Plan.Tests[c.Test])
		}
		second := get(gate.Hold(d.judged(random, &m, n.levels), g))
		for k, c := range again.Comparisons {
			if v := &second.Verdicts[k]; v.Gated != nil && v.Alarm {
				alarms[c.Test] = true
			} else {
				report.Verdicts[c.Test].Gated = &analyze.Gated{State: analyze.Unsure}
			}
		}
	}
	return gate.CheckOf(report, name), alarms
}

// after makes nights, the newest first, each compared with at most `most` before it.
func (d *drawn) after(random *rand.Rand, nights, most int) (before []*gate.Check, alarms []map[int]bool) {
	for i := range nights {
		check, found := d.hold(random, d.night(random, -1, 1), before[:min(len(before), most)], fmt.Sprint("night-", i))
		before, alarms = slices.Insert(before, 0, check), append(alarms, found)
	}
	return before, alarms
}

func (d *drawn) questions() (out []question) {
	for _, most := range []int{1, 5, 20} {
		out = append(out, question{fmt.Sprintf("drawn nights of the unchanged library, %d baselines", most), drawnSeries, []figure{{what: "red", most: .02}},
			func(_ *design, _ int, random *rand.Rand) *series {
				var red count
				_, alarms := d.after(random, most+drawnNights, most)
				for _, found := range alarms[most:] {
					red.add(len(found) > 0)
				}
				return &series{counted: []count{red}}
			}})
	}
	usual := gate.DefaultGate().Nights
	for _, times := range []float64{1.1, 1.25, 1.5, 2} {
		figures := []figure{{what: "alarm"}, {what: "alarm, where newly violated", least: .9}}
		if times == 2 {
			figures[0].least = .9
		}
		out = append(out, question{fmt.Sprintf("%.2f times as slow, each cell in turn", times), 1, figures, func(_ *design, _ int, random *rand.Rand) *series {
			before, _ := d.after(random, usual, usual)
			all := &series{counted: make([]count, len(figures))}
			for cell := range d.levels {
				d.plant(random, cell, times, before, all.counted)
			}
			return all
		}})
	}
	return out
}

// plant counts the effects of a cell that becomes some times as slow. It counts nothing if no test
// calls the cell.
func (d *drawn) plant(random *rand.Rand, cell int, times float64, before []*gate.Check, counted []count) {
	var newly, alarm, call bool
	night := d.night(random, cell, times)
	_, alarms := d.hold(random, night, before, "tonight")
	for i, t := range d.manifest.Plan.Tests {
		if t.Case != cell {
			continue
		}
		known := slices.ContainsFunc(before, func(n *gate.Check) bool {
			p := n.Points[i]
			return p.Verdict == judge.Violated && p.State != analyze.Unsure
		})
		call, alarm = true, alarm || alarms[i]
		newly = newly || !known && night.Report.Verdicts[i].Verdict == judge.Violated
	}
	if !call {
		return
	}
	counted[0].add(alarm)
	if newly {
		counted[1].add(alarm)
	}
}
