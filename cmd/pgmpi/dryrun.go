package main

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"pgmpi/analyze"
	"pgmpi/analyze/report"
	"pgmpi/guidelines"
	"pgmpi/internal/conf"
	"pgmpi/measure/launch"
	"pgmpi/measure/protocol"
	"pgmpi/mockups"
)

// planned is what a command would do.
type planned struct {
	*prepared
	command string
	report  *analyze.Report // without data: whether R suffices
	costs   []cost          // by shape
	follows bool            // split-robustness may be tested in mpiruns of its own
}

var plans = report.Kind[planned]{Name: "plan", Sections: func(p *planned) []report.Section {
	head := report.Titled("Dry run of pgmpi %s: no mpirun is started and no folder is made.", p.command)
	return slices.Concat([]report.Section{head, p.tests()}, p.leftOut(), []report.Section{p.ranks(), p.time()})
}}

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
	plan := planned{prepared: p, command: command, report: r, follows: command == "check" && followsUp(p)}
	for _, shape := range p.manifest.Plan.Shapes {
		plan.costs = append(plan.costs, costOf(p, shape))
	}
	if err := show(plans.Document(&plan), orUsual(plans, o.format)); err != nil {
		return err
	}
	if command == "check" && r.Refused != nil {
		return &exit{exitNoVerdict, errors.New(r.Refused.Reason)}
	}
	return nil
}

// followsUp tells whether suspected split-robustness is tested in mpiruns of its
// own, as far as that is known before there is a suspicion.
func followsUp(p *prepared) bool {
	return p.config.Measure.SplitExperiment && p.config.Analyze.Method != analyze.MethodPaper &&
		slices.ContainsFunc(p.manifest.Plan.Tests, func(t guidelines.Test) bool { return t.Type == guidelines.Split })
}

func (p *planned) tests() report.Section {
	plan := &p.manifest.Plan
	count := map[guidelines.Type]map[string]bool{guidelines.Monotony: {}, guidelines.Split: {}, guidelines.Pattern: {}}
	for _, t := range plan.Tests {
		count[t.Type][t.Guideline+":"+t.Function] = true
	}
	collectives, emulations, sizes := map[string]bool{}, map[string]bool{}, map[int64]bool{}
	for _, c := range plan.Cases {
		if f, _ := mockups.Get(c.Function); f.IsMockup() {
			emulations[c.Function] = true
		} else {
			collectives[c.Function] = true
		}
		sizes[c.Msize] = true
	}
	ascending := slices.Sorted(maps.Keys(sizes))
	s := report.Titled("PLAN")
	s.Fact("guidelines", "%d of monotony, %d of split-robustness, %d of pattern",
		len(count[guidelines.Monotony]), len(count[guidelines.Split]), len(count[guidelines.Pattern]))
	s.Fact("functions", "%d collectives, %d mock-ups", len(collectives), len(emulations))
	s.Fact("sizes", "%d, from %s to %s; datatype %s, op %s, root %d",
		len(sizes), conf.HumanSize(ascending[0]), conf.HumanSize(ascending[len(ascending)-1]), plan.Datatype, plan.Op, plan.Root)
	split := ""
	switch {
	case p.follows:
		split = "; split-robustness is suspected from medians, then tested in mpiruns of its own"
	case len(count[guidelines.Split]) > 0:
		split = "; split-robustness is judged from medians, without a test"
	}
	s.Fact("tests", "m = %d%s%s", p.report.M, lost(plan, p.costs), split)
	s.Fact("mpiruns", "R = %d %s", p.manifest.R, suffices(p.report))
	return s
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

func (p *planned) leftOut() []report.Section {
	s := report.Titled("LEFT OUT")
	if c := p.config.Check; len(c.Exclude) > 0 {
		s.Item("check.exclude: %s", strings.Join(c.Exclude, ", "))
	}
	if c := p.config.Check; len(c.Functions) > 0 {
		s.Item("check.functions: all guidelines but those about %s", strings.Join(c.Functions, ", "))
	}
	for _, n := range p.manifest.Plan.Notes {
		s.Item("%s", n)
	}
	const most = 5
	for _, c := range p.costs {
		for _, l := range c.left[:min(len(c.left), most)] {
			s.Item("%s: %s at %s: %s", c.shape, l.Function, conf.HumanSize(l.Msize), l.why)
		}
		if more := len(c.left) - most; more > 0 {
			s.Item("%s: and %d cases more", c.shape, more)
		}
	}
	if len(s.Text) == 0 {
		return nil
	}
	return []report.Section{s}
}

func (p *planned) ranks() report.Section {
	s := report.Titled("RANKS")
	s.Fact("library", "%s", p.manifest.Rank.LibVersion)
	for _, c := range p.costs {
		argv := launch.RankArgv(p.manifest.Launch[c.shape.String()], p.rankPath, c.shape.NP)
		for i := range argv {
			argv[i] = quote(argv[i])
		}
		s.Command(c.shape.String(), argv)
		over := ""
		if c.shape.NP > launch.Slots() {
			over = fmt.Sprintf("; more ranks than the %d cores", launch.Slots())
		}
		s.Fact("", "cases: %d; buffers: %s in each rank%s", c.cases, conf.HumanMemory(c.memory), over)
	}
	return s
}

func (p *planned) time() report.Section {
	n := p.config.NREP
	type stage struct {
		name string
		mode protocol.Mode
		runs int
	}
	var stages []stage
	if p.command != "measure" && n.Fixed == 0 {
		stages = append(stages, stage{"stage 1", protocol.ModeNREP, n.Predictions})
	}
	if p.command != "nrep" {
		stages = append(stages, stage{"stage 2", protocol.ModeMeasure, p.manifest.R})
	}
	s := report.Titled("TIME, an estimate")
	var total time.Duration
	for _, c := range p.costs {
		verified := p.manifest.MemoryCap[c.shape.String()] > 0
		for _, stage := range stages {
			each := c.run
			if stage.mode == protocol.ModeNREP {
				each = c.nrep
			}
			left := remaining(p.prepared, stage.mode, c.shape, stage.runs)
			sum := time.Duration(left) * each
			first := ""
			if left > 0 && !verified {
				verified = true
				sum += c.verify
				first = fmt.Sprintf(", and %s to verify the functions", rounded(c.verify))
			}
			done := ""
			if left < stage.runs {
				done = fmt.Sprintf(" (%d of %d are done)", stage.runs-left, stage.runs)
			}
			total += sum
			s.Fact(c.shape.String()+" "+stage.name, "%d mpiruns of %s%s%s", left, rounded(each), first, done)
		}
	}
	s.Fact("in all", "about %s", rounded(total))
	if p.follows {
		s.Fact("not counted", "up to R = %d mpiruns more for each number of processes, where split-robustness is suspected; they measure only what is suspected", p.manifest.R)
	}
	p.ground(&s)
	return s
}

// ground says what the estimate rests on.
func (p *planned) ground(s *report.Section) {
	label := "it rests on"
	for _, c := range p.costs {
		m := modelOf(p.config, p.manifest.Rank.Library, c.shape.NP)
		s.Fact(label, "%s: %s to start an mpirun, %.3g µs for each step of a call", c.shape, rounded(inSeconds(m.start)), m.stepTime*1e6)
		label = ""
	}
	repeated := fmt.Sprintf("%d repetitions of short calls, %d of long ones, in stage 2 twice that", shortRepeat, longRepeat)
	switch n := p.config.NREP; {
	case n.Fixed > 0:
		repeated = fmt.Sprintf("%d repetitions (nrep.fixed)", n.Fixed)
	case len(p.manifest.NRep) > 0:
		repeated = "the repetitions that are predicted already"
	}
	s.Fact("", "%.2g ns a byte; %s", byteTime*1e9, repeated)
	s.Say("A network, a busy machine, or more ranks than cores can make it many times more.")
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
