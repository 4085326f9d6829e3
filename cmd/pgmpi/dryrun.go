package main

import (
	"bufio"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"pgmpi/analyze"
	"pgmpi/analyze/judge"
	"pgmpi/guidelines"
	"pgmpi/measure/launch"
	"pgmpi/measure/protocol"
	"pgmpi/mockups"
)

// dryRun prints what a command would do. It starts no mpirun and writes
// nothing; a check that R is too small for ends with 4, as it would without it.
func dryRun(s *settings, o *output, command string) error {
	p, err := prepare(s, o)
	if err != nil {
		return err
	}
	d, err := analyze.Design(p.manifest, p.config.Analyze)
	if err != nil {
		return err
	}
	w := sheet{w: bufio.NewWriter(stdout)}
	fmt.Fprintf(w.w, "Dry run of pgmpi %s: no mpirun is started and no folder is made.\n", command)
	costs := make([]cost, len(p.manifest.Plan.Shapes))
	for i, shape := range p.manifest.Plan.Shapes {
		costs[i] = costOf(p, shape)
	}
	follows := command == "check" && followsUp(p)
	printPlan(w, p, d, costs, follows)
	printLeftOut(w, p, costs)
	printLaunch(w, p, costs)
	printTime(w, p, costs, command, follows)
	if err := w.w.Flush(); err != nil {
		return err
	}
	if command == "check" && d.Refused != nil {
		return &exit{exitNoVerdict, errors.New(d.Refused.Reason)}
	}
	return nil
}

// followsUp tells whether suspected split-robustness is tested in mpiruns of its
// own, as far as that is known before there is a suspicion.
func followsUp(p *prepared) bool {
	return p.config.Measure.SplitExperiment && p.config.Analyze.Method != judge.MethodPaper &&
		slices.ContainsFunc(p.manifest.Plan.Tests, func(t guidelines.Test) bool { return t.Type == guidelines.Split })
}

func printPlan(w sheet, p *prepared, d *judge.Design, costs []cost, follows bool) {
	plan := &p.manifest.Plan
	count := map[guidelines.Type]map[string]bool{guidelines.Monotony: {}, guidelines.Split: {}, guidelines.Pattern: {}}
	for _, t := range plan.Tests {
		count[t.Type][t.Guideline+":"+t.Function] = true
	}
	collectives, emulations, sizes := map[string]bool{}, map[string]bool{}, map[int64]bool{}
	var least, most int64 = -1, 0
	for _, c := range plan.Cases {
		if f, _ := mockups.Get(c.Function); f.IsMockup() {
			emulations[c.Function] = true
		} else {
			collectives[c.Function] = true
		}
		sizes[c.Msize] = true
		most = max(most, c.Msize)
		if least < 0 || c.Msize < least {
			least = c.Msize
		}
	}
	w.head("PLAN")
	w.row("guidelines", fmt.Sprintf("%d of monotony, %d of split-robustness, %d of pattern",
		len(count[guidelines.Monotony]), len(count[guidelines.Split]), len(count[guidelines.Pattern])))
	w.row("functions", fmt.Sprintf("%d collectives, %d mock-ups", len(collectives), len(emulations)))
	w.row("sizes", fmt.Sprintf("%d, from %s to %s; datatype %s, op %s, root %d",
		len(sizes), size(least), size(most), plan.Datatype, plan.Op, plan.Root))
	split := ""
	switch {
	case follows:
		split = "; split-robustness is suspected from medians, then tested in mpiruns of its own"
	case len(count[guidelines.Split]) > 0:
		split = "; split-robustness is judged from medians, without a test"
	}
	w.row("tests", fmt.Sprintf("m = %d%s%s", d.M, lost(plan, costs), split))
	w.row("mpiruns", fmt.Sprintf("R = %d %s", p.manifest.R, suffices(d)))
}

// lost says how many tests of the family lack a case that can be measured.
func lost(plan *guidelines.Plan, costs []cost) string {
	left := map[guidelines.Case]bool{}
	for _, c := range costs {
		for _, l := range c.left {
			left[l.Case] = true
		}
	}
	n := 0
	for _, t := range plan.Tests {
		if t.Type != guidelines.Split && (left[plan.Cases[t.Case]] || left[plan.Cases[t.Others[0]]]) {
			n++
		}
	}
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(", of which %d need a case that is left out", n)
}

// suffices says whether R is large enough for a verdict.
func suffices(d *judge.Design) string {
	if d.Refused != nil {
		return fmt.Sprintf("do NOT suffice: a check would refuse to start; R = %d would do", d.Refused.RNeeded)
	}
	return fmt.Sprintf("suffice: method %s, %s, adjusted by %s; the smallest p-value they can give is %.2g", d.Method, d.Test(0).Name, d.Adjust, d.PMin(0))
}

func printLeftOut(w sheet, p *prepared, costs []cost) {
	var lines []string
	if c := p.config.Check; len(c.Exclude) > 0 {
		lines = append(lines, "check.exclude: "+strings.Join(c.Exclude, ", "))
	}
	if c := p.config.Check; len(c.Functions) > 0 {
		lines = append(lines, "check.functions: all guidelines but those about "+strings.Join(c.Functions, ", "))
	}
	lines = append(lines, p.manifest.Plan.Notes...)
	const most = 5
	for _, c := range costs {
		for i, l := range c.left {
			if i == most {
				lines = append(lines, fmt.Sprintf("%s: and %d cases more", c.shape, len(c.left)-most))
				break
			}
			lines = append(lines, fmt.Sprintf("%s: %s at %s: %s", c.shape, l.Function, size(l.Msize), l.why))
		}
	}
	if len(lines) == 0 {
		return
	}
	w.head("LEFT OUT")
	for _, l := range lines {
		w.paragraph(l)
	}
}

func printLaunch(w sheet, p *prepared, costs []cost) {
	m := p.manifest
	w.head("RANKS")
	w.row("library", m.Rank.LibVersion)
	for _, c := range costs {
		w.command(c.shape.String(), launch.RankArgv(m.Launch[c.shape.String()], p.rankPath, c.shape.NP))
		over := ""
		if c.shape.NP > launch.Slots() {
			over = fmt.Sprintf("; more ranks than the %d cores", launch.Slots())
		}
		w.row("", fmt.Sprintf("cases: %d; buffers: %s in each rank%s", c.cases, size(c.memory), over))
	}
}

func printTime(w sheet, p *prepared, costs []cost, command string, follows bool) {
	n := p.config.NREP
	type stage struct {
		name string
		mode protocol.Mode
		runs int
	}
	var stages []stage
	if command != "measure" && n.Fixed == 0 {
		stages = append(stages, stage{"stage 1", protocol.ModeNREP, n.Predictions})
	}
	if command != "nrep" {
		stages = append(stages, stage{"stage 2", protocol.ModeMeasure, p.manifest.R})
	}
	w.head("TIME, an estimate")
	var total time.Duration
	for _, c := range costs {
		verified := p.manifest.MemoryCap[c.shape.String()] > 0
		for _, s := range stages {
			each := c.run
			if s.mode == protocol.ModeNREP {
				each = c.nrep
			}
			left := remaining(p, s.mode, c.shape, s.runs)
			sum := time.Duration(left) * each
			first := ""
			if left > 0 && !verified {
				verified = true
				sum += c.verify
				first = fmt.Sprintf(", and %s to verify the functions", rounded(c.verify))
			}
			done := ""
			if left < s.runs {
				done = fmt.Sprintf(" (%d of %d are done)", s.runs-left, s.runs)
			}
			total += sum
			w.row(c.shape.String()+" "+s.name, fmt.Sprintf("%d mpiruns of %s%s%s", left, rounded(each), first, done))
		}
	}
	w.row("in all", "about "+rounded(total))
	if follows {
		w.row("not counted", fmt.Sprintf("up to R = %d mpiruns more for each number of processes, where split-robustness is suspected; they measure only what is suspected", p.manifest.R))
	}
	printGround(w, p, costs)
}

// printGround says what the estimate rests on.
func printGround(w sheet, p *prepared, costs []cost) {
	label := "it rests on"
	for _, c := range costs {
		m := modelOf(p.config, p.manifest.Rank.Library, c.shape.NP)
		w.row(label, fmt.Sprintf("%s: %s to start an mpirun, %.3g µs for each step of a call", c.shape, rounded(inSeconds(m.start)), m.stepTime*1e6))
		label = ""
	}
	repeated := fmt.Sprintf("%d repetitions of short calls, %d of long ones, in stage 2 twice that", shortRepeat, longRepeat)
	switch n := p.config.NREP; {
	case n.Fixed > 0:
		repeated = fmt.Sprintf("%d repetitions (nrep.fixed)", n.Fixed)
	case len(p.manifest.NRep) > 0:
		repeated = "the repetitions that are predicted already"
	}
	w.row("", fmt.Sprintf("%.2g ns a byte; %s", byteTime*1e9, repeated))
	w.paragraph("A network, a busy machine, or more ranks than cores can make it many times more.")
}

func size(bytes int64) string {
	units := []string{"B", "KiB", "MiB", "GiB", "TiB"}
	v, i := float64(bytes), 0
	for ; v >= 1024 && i < len(units)-1; i++ {
		v /= 1024
	}
	return fmt.Sprintf("%.4g %s", v, units[i])
}

// rounded shows no more digits of an estimate than it has.
func rounded(d time.Duration) string {
	switch {
	case d < time.Second:
		return max(d.Round(10*time.Millisecond), 10*time.Millisecond).String()
	case d < 20*time.Second:
		return d.Round(100 * time.Millisecond).String()
	case d < 10*time.Minute:
		return d.Round(time.Second).String()
	}
	return strings.TrimSuffix(d.Round(time.Minute).String(), "0s")
}
