package main

import (
	"bufio"
	"fmt"
	"strings"
	"time"

	"pgmpi/analyze"
	"pgmpi/guidelines"
	"pgmpi/internal/campaign"
	"pgmpi/measure/launch"
	"pgmpi/measure/protocol"
	"pgmpi/mockups"
)

// stagesOf are the stages of the commands that have a dry run.
var stagesOf = map[string][]protocol.Mode{
	"check":   {protocol.ModeNREP, protocol.ModeMeasure, protocol.ModeSplit},
	"nrep":    {protocol.ModeNREP},
	"measure": {protocol.ModeMeasure},
}

// dryRun prints what a command would do. It starts no mpirun and writes
// nothing; a check that R is too small for ends with 4, as it would without it.
func dryRun(c *campaign.Campaign, command string) error {
	e, err := c.Estimate(stagesOf[command]...)
	if err != nil {
		return err
	}
	w := sheet{w: bufio.NewWriter(stdout)}
	fmt.Fprintf(w.w, "Dry run of pgmpi %s: no mpirun is started and no folder is made.\n", command)
	printPlan(w, c, e)
	printLeftOut(w, c, e)
	printLaunch(w, c, e)
	printTime(w, c, e)
	if err := w.w.Flush(); err != nil {
		return err
	}
	if command == "check" && e.Design.Refused != nil {
		return &campaign.Refused{Reason: e.Design.Refused.Reason}
	}
	return nil
}

func printPlan(w sheet, c *campaign.Campaign, e *campaign.Estimate) {
	plan := &c.Manifest.Plan
	count := map[guidelines.Type]map[string]bool{guidelines.Monotony: {}, guidelines.Split: {}, guidelines.Pattern: {}}
	for _, t := range plan.Tests {
		count[t.Type][t.Guideline+":"+t.Function] = true
	}
	collectives, emulations, sizes := map[string]bool{}, map[string]bool{}, map[int64]bool{}
	var least, most int64 = -1, 0
	for _, k := range plan.Cases {
		if f, _ := mockups.Get(k.Function); f.IsMockup() {
			emulations[k.Function] = true
		} else {
			collectives[k.Function] = true
		}
		sizes[k.Msize] = true
		most = max(most, k.Msize)
		if least < 0 || k.Msize < least {
			least = k.Msize
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
	case e.FollowUp:
		split = "; split-robustness is suspected from medians, then tested in mpiruns of its own"
	case len(count[guidelines.Split]) > 0:
		split = "; split-robustness is judged from medians, without a test"
	}
	w.row("tests", fmt.Sprintf("m = %d%s%s", e.Design.M, lost(plan, e.Costs), split))
	w.row("mpiruns", fmt.Sprintf("R = %d %s", c.Manifest.R, suffices(e.Design)))
}

// lost says how many tests of the family lack a case that can be measured.
func lost(plan *guidelines.Plan, costs []campaign.Cost) string {
	left := map[guidelines.Case]bool{}
	for _, c := range costs {
		for _, l := range c.LeftOut {
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

func printLeftOut(w sheet, c *campaign.Campaign, e *campaign.Estimate) {
	var lines []string
	if k := c.Config.Check; len(k.Exclude) > 0 {
		lines = append(lines, "check.exclude: "+strings.Join(k.Exclude, ", "))
	}
	if k := c.Config.Check; len(k.Functions) > 0 {
		lines = append(lines, "check.functions: all guidelines but those about "+strings.Join(k.Functions, ", "))
	}
	lines = append(lines, c.Manifest.Plan.Notes...)
	const most = 5
	for _, cost := range e.Costs {
		for i, l := range cost.LeftOut {
			if i == most {
				lines = append(lines, fmt.Sprintf("%s: and %d cases more", cost.Shape, len(cost.LeftOut)-most))
				break
			}
			lines = append(lines, fmt.Sprintf("%s: %s at %s: %s", cost.Shape, l.Function, size(l.Msize), whyLeftOut(l)))
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

func whyLeftOut(l campaign.LeftOut) string {
	switch {
	case l.Bytes == 0:
		return "its element count is above what an MPI int count holds"
	case l.Shared:
		return fmt.Sprintf("it needs %s a rank, which with the buffers of smaller cases is above measure.temp_memory", size(l.Bytes))
	}
	return fmt.Sprintf("it needs %s a rank, above measure.temp_memory", size(l.Bytes))
}

func printLaunch(w sheet, c *campaign.Campaign, e *campaign.Estimate) {
	m := c.Manifest
	w.head("RANKS")
	w.row("library", m.Rank.LibVersion)
	for _, cost := range e.Costs {
		shape := cost.Shape
		w.command(shape.String(), launch.RankArgv(m.Launch[shape.String()], c.RankPath, shape.NP))
		over := ""
		if shape.NP > launch.Slots() {
			over = fmt.Sprintf("; more ranks than the %d cores", launch.Slots())
		}
		w.row("", fmt.Sprintf("cases: %d; buffers: %s in each rank%s", cost.Cases, size(cost.Memory), over))
	}
}

func printTime(w sheet, c *campaign.Campaign, e *campaign.Estimate) {
	w.head("TIME, an estimate")
	for _, s := range e.Stages {
		first, done := "", ""
		if s.Verify > 0 {
			first = fmt.Sprintf(", and %s to verify the functions", rounded(s.Verify))
		}
		if s.Left < s.Runs {
			done = fmt.Sprintf(" (%d of %d are done)", s.Runs-s.Left, s.Runs)
		}
		w.row(s.Shape.String()+" "+s.Name, fmt.Sprintf("%d mpiruns of %s%s%s", s.Left, rounded(s.Each), first, done))
	}
	w.row("in all", "about "+rounded(e.Total))
	if e.FollowUp {
		w.row("not counted", fmt.Sprintf("up to R = %d mpiruns more for each number of processes, where split-robustness is suspected; they measure only what is suspected", c.Manifest.R))
	}
	printGround(w, c, e)
}

// printGround says what the estimate rests on.
func printGround(w sheet, c *campaign.Campaign, e *campaign.Estimate) {
	label := "it rests on"
	for _, cost := range e.Costs {
		w.row(label, fmt.Sprintf("%s: %s to start an mpirun, %.3g µs for each step of a call", cost.Shape, rounded(cost.Start), cost.Step.Seconds()*1e6))
		label = ""
	}
	repeated := fmt.Sprintf("%d repetitions of short calls, %d of long ones, in stage 2 twice that", campaign.ShortRepeat, campaign.LongRepeat)
	switch n := c.Config.NREP; {
	case n.Fixed > 0:
		repeated = fmt.Sprintf("%d repetitions (nrep.fixed)", n.Fixed)
	case len(c.Manifest.NRep) > 0:
		repeated = "the repetitions that are predicted already"
	}
	w.row("", fmt.Sprintf("%.2g ns a byte; %s", campaign.ByteTime*1e9, repeated))
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
