package main

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"pgmpi/analyze"
	"pgmpi/guidelines"
	"pgmpi/measure"
	"pgmpi/measure/results"
	"pgmpi/mockups"
)

// dryRun prints what a command would do. It starts no mpirun and writes
// nothing; a check that R is too small for ends with 4, as it would without it.
func dryRun(s *settings, o *output, command string) error {
	p, err := prepare(s, o)
	if err != nil {
		return err
	}
	r, err := analyze.NewCollector(p.manifest).Report(p.config.Analyze)
	if err != nil {
		return err
	}
	w := tabwriter.NewWriter(stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "Dry run of pgmpi %s: no mpirun is started and no folder is made.\n", command)
	costs := make([]cost, len(p.manifest.Plan.Shapes))
	for i, shape := range p.manifest.Plan.Shapes {
		costs[i] = costOf(p, shape)
	}
	printPlan(w, p, r, costs)
	printLeftOut(w, p, costs)
	printLaunch(w, p, costs)
	printTime(w, p, costs, command)
	if err := w.Flush(); err != nil {
		return err
	}
	if command == "check" && r.Refused != nil {
		return &exit{exitNoVerdict, errors.New(r.Refused.Reason)}
	}
	return nil
}

func printPlan(w io.Writer, p *prepared, r *analyze.Report, costs []cost) {
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
	fmt.Fprintln(w, "\nPLAN")
	fmt.Fprintf(w, "  guidelines\t%d of monotony, %d of split-robustness, %d of pattern\n",
		len(count[guidelines.Monotony]), len(count[guidelines.Split]), len(count[guidelines.Pattern]))
	fmt.Fprintf(w, "  functions\t%d collectives, %d mock-ups\n", len(collectives), len(emulations))
	fmt.Fprintf(w, "  sizes\t%d, from %s to %s; datatype %s, op %s, root %d\n",
		len(sizes), size(least), size(most), plan.Datatype, plan.Op, plan.Root)
	split := "suspected from medians, then tested in up to R mpiruns more"
	if !p.config.Measure.SplitExperiment {
		split = "judged from medians, without a test"
	}
	fmt.Fprintf(w, "  tests\tm = %d%s; split-robustness is %s\n", r.M, lost(plan, costs), split)
	fmt.Fprintf(w, "  mpiruns\tR = %d %s\n", p.manifest.R, suffices(r))
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
func suffices(r *analyze.Report) string {
	if r.Refused != nil {
		return fmt.Sprintf("do NOT suffice: a check would refuse to start; R = %d would do", r.Refused.RNeeded)
	}
	return fmt.Sprintf("suffice: method %s, %s, adjusted by %s; the smallest p-value they can give is %.2g", r.Method, r.Test, r.Adjust, r.PMin)
}

func printLeftOut(w io.Writer, p *prepared, costs []cost) {
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
	fmt.Fprintln(w, "\nLEFT OUT")
	for _, l := range lines {
		fmt.Fprintf(w, "  %s\n", l)
	}
}

func printLaunch(w io.Writer, p *prepared, costs []cost) {
	m := p.manifest
	fmt.Fprintf(w, "\nRANKS (%s)\n", m.Rank.LibVersion)
	for _, c := range costs {
		argv := measure.RankArgv(m.Launch[c.shape.String()], p.rankPath, c.shape.NP)
		for i := range argv {
			argv[i] = quote(argv[i])
		}
		fmt.Fprintf(w, "  %s\t%s\n", c.shape, strings.Join(argv, " "))
		over := ""
		if c.shape.NP > measure.Slots() {
			over = fmt.Sprintf("; more ranks than the %d cores", measure.Slots())
		}
		fmt.Fprintf(w, "  \tcases: %d; buffers: %s in each rank%s\n", c.cases, size(c.memory), over)
	}
}

func printTime(w io.Writer, p *prepared, costs []cost, command string) {
	n := p.config.NREP
	type stage struct {
		name string
		mode results.Mode
		runs int
	}
	var stages []stage
	if command != "measure" && n.Fixed == 0 {
		stages = append(stages, stage{"stage 1", results.ModeNREP, n.Predictions})
	}
	if command != "nrep" {
		stages = append(stages, stage{"stage 2", results.ModeMeasure, p.manifest.R})
	}
	fmt.Fprintln(w, "\nTIME, an estimate")
	var total time.Duration
	for _, c := range costs {
		verified := p.manifest.MemoryCap[c.shape.String()] > 0
		for _, s := range stages {
			each := c.run
			if s.mode == results.ModeNREP {
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
			fmt.Fprintf(w, "  %s %s\t%d mpiruns of %s%s%s\n", c.shape, s.name, left, rounded(each), first, done)
		}
	}
	fmt.Fprintf(w, "  in all\tabout %s\n", rounded(total))
	printGround(w, p, costs)
}

// printGround says what the estimate rests on.
func printGround(w io.Writer, p *prepared, costs []cost) {
	label := "it rests on"
	for _, c := range costs {
		m := modelOf(p.manifest.Rank.Library, c.shape.NP)
		fmt.Fprintf(w, "  %s\t%s: %s to start an mpirun, %.3g µs for each step of a call\n", label, c.shape, rounded(inSeconds(m.start)), m.stepTime*1e6)
		label = ""
	}
	repeated := fmt.Sprintf("%d repetitions of short calls, %d of long ones, in stage 2 twice that", shortRepeat, longRepeat)
	switch n := p.config.NREP; {
	case n.Fixed > 0:
		repeated = fmt.Sprintf("%d repetitions (nrep.fixed)", n.Fixed)
	case len(p.manifest.NRep) > 0:
		repeated = "the repetitions that are predicted already"
	}
	fmt.Fprintf(w, "  \t%.2g ns a byte; %s\n", byteTime*1e9, repeated)
	fmt.Fprintln(w, "  A network, a busy machine, or more ranks than cores can make it many times more.")
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
