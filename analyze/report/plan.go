package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"pgmpi/analyze"
	"pgmpi/analyze/judge"
	"pgmpi/guidelines"
	"pgmpi/internal/conf"
	"pgmpi/internal/conf/glfile"
	"pgmpi/internal/document"
	"pgmpi/internal/lists"
	"pgmpi/internal/phrase"
	"pgmpi/measure/launch"
	"pgmpi/measure/results"
	"pgmpi/mockups"
)

type Plan struct {
	Command  string
	Manifest *results.Manifest
	Config   *glfile.File
	RankPath string
	Mpiruns  string // their purpose, if they are not for tests
	Assumed  int    // assumed algorithms of each collective, or 0 if these are known
	FollowUp bool   // split-robustness may be tested in other mpiruns
	Confirms bool   // what would be an alarm is measured again
	Estimate
}

type Estimate struct {
	Design *judge.Design
	Costs  []Cost // by shape
	Total  time.Duration
	Over   []Over // where the network between nodes is not known
	Nodes  int    // most that a shape has, or 0 if unknown
	Model  Model
}

type Over struct {
	Network string
	Total   time.Duration
}

// Unseen tells whether nothing is known of the network between nodes.
func (e *Estimate) Unseen() bool {
	return slices.ContainsFunc(e.Costs, func(c Cost) bool { return c.Shape.Nodes > 1 && !c.Measured })
}

// Model holds the numbers that an estimate rests on, where nothing is measured.
type Model struct {
	ByteTime                float64       // seconds
	ShortRepeat, LongRepeat int           // repetitions of short and of long calls
	LaunchTime              time.Duration // of an mpirun, as the user says, or 0 for the library's usual time
}

type Cost struct {
	Shape       guidelines.Shape
	Cases       int
	Memory      int64 // bytes of a rank's buffers: the largest of each kind, over all cases
	Free        int64 // limit of these by the memory of this host, in bytes, or 0 for the configuration's
	LeftOut     []LeftOut
	Stages      []StageCost
	Measured    bool    // Stages rest on finished mpiruns
	Start, Step float64 // of an mpirun without its cases, and a step of a call, in seconds
}

type LeftOut struct {
	guidelines.Case
	Why string
}

// StageCost holds what a stage still costs in one shape.
type StageCost struct {
	Name       string
	After      int           // mpiruns of the stage before these
	Runs, Left int           // mpiruns, and those that are not on disk yet
	Each       time.Duration // mpirun
	Verify     time.Duration // once, in the first; 0 if done
	Rides      bool          // in mpiruns that are made anyway
	IfFound    bool          // it measures again what the stages before it have found
}

var Plans = document.Kind[Plan]{
	Name: "plan",
	Sections: func(p *Plan) []document.Section {
		head := document.Titled("Dry run of pgmpi %s: nothing is started and no folder is made.", p.Command)
		return slices.Concat([]document.Section{head, p.tests()}, p.leftOut(), []document.Section{p.ranks(), p.time()})
	},
}

func (p *Plan) tests() document.Section {
	plan := &p.Manifest.Plan
	count := map[guidelines.Type]map[string]bool{guidelines.Monotony: {}, guidelines.Split: {}, guidelines.Pattern: {}}
	for _, t := range plan.Tests {
		count[t.Type][t.Guideline+":"+t.Function] = true
	}
	collectives, emulations, messages, sizes := map[string]bool{}, map[string]bool{}, map[string]bool{}, map[int64]bool{}
	what := "nonblocking collective"
	for _, c := range plan.Cases {
		f, _ := mockups.Get(c.Function)
		switch {
		case f.Message:
			messages[c.Function] = true
		case f.IsMockup() && f.Call == "":
			emulations[c.Function] = true
		default:
			collectives[c.Function] = true
		}
		if f.Call != mockups.Nonblocking {
			what = "collective"
		}
		sizes[c.Msize] = true
	}
	ascending := slices.Sorted(maps.Keys(sizes))
	s := document.Titled("PLAN")
	if len(plan.Tests) == 0 {
		s.Fact("functions", "%s", conf.Plural(len(collectives), what))
	} else {
		s.Fact("guidelines", "%d of monotony, %d of split-robustness, %d of pattern",
			len(count[guidelines.Monotony]), len(count[guidelines.Split]), len(count[guidelines.Pattern]))
		var what []string
		if len(collectives) > 0 || len(messages) == 0 {
			what = append(what, conf.Plural(len(collectives), "collective"), conf.Plural(len(emulations), "mock-up"))
		}
		if len(messages) > 0 {
			what = append(what, conf.Plural(len(messages), "way")+" to exchange messages")
		}
		s.Fact("functions", "%s", strings.Join(what, ", "))
	}
	n := len(ascending)
	between := phrase.When(n > 1, "%d, from %s to ", n, conf.HumanSize(ascending[0])) + conf.HumanSize(ascending[n-1])
	s.Fact("sizes", "%s; %s", between, analyze.OperationOf(plan).Text())
	split := ""
	switch {
	case p.FollowUp:
		split = "; split-robustness is suspected from medians, then tested in other mpiruns"
	case len(count[guidelines.Split]) > 0:
		split = "; split-robustness is judged from medians, without a test"
	}
	if p.Assumed > 0 {
		s.Fact("assumed", "%d algorithms of each collective, and that the library has those named: it is not asked, since nothing is started; `pgmpi list --algorithms` asks", p.Assumed)
	}
	if p.Mpiruns != "" {
		s.Fact("mpiruns", "%s", p.Mpiruns)
		return s
	}
	lost := testsLost(plan, p.Costs)
	s.Fact("tests", "m = %d%s%s", p.Design.M, phrase.When(lost > 0, ", of which %d need a case that is left out", lost), split)
	if lost > 0 && lost == p.Design.M {
		s.Fact("mpiruns", "none suffice: no test has all of its cases")
		return s
	}
	s.Fact("mpiruns", "R = %d %s", p.Manifest.R, suffices(p.Design))
	if d := p.Design; len(d.Looks) > 1 {
		s.Fact("", "%d of them measure everything, the others what points to a violation after that", d.Looks[0])
	}
	return s
}

func testsLost(plan *guidelines.Plan, costs []Cost) int {
	left := map[guidelines.Case]bool{}
	for _, c := range costs {
		for _, l := range c.LeftOut {
			left[l.Case] = true
		}
	}
	return lists.Count(plan.Tests, func(t guidelines.Test) bool {
		return !t.Apart() && (left[plan.Cases[t.Case]] || left[plan.Cases[t.Others[0]]])
	})
}

func suffices(d *judge.Design) string {
	if d.Refused != nil {
		return fmt.Sprintf("do NOT suffice: a check would refuse to start; R = %d would do", d.Refused.RNeeded)
	}
	return fmt.Sprintf("suffice: method %s, %s, adjusted by %s; the smallest p-value they can give is %.2g", d.Method, d.Test(d.Last()).Name, d.Adjust, d.PMin(d.Last()))
}

func (p *Plan) leftOut() []document.Section {
	s := document.Titled("LEFT OUT")
	check := p.Config.Check
	if len(check.Exclude) > 0 {
		s.Item("check.exclude: %s", strings.Join(check.Exclude, ", "))
	}
	if len(check.Functions) > 0 && len(p.Manifest.Plan.Tests) > 0 {
		s.Item("check.functions: all guidelines but those about %s", strings.Join(check.Functions, ", "))
	}
	for _, n := range p.Manifest.Plan.Notes {
		s.Item("%s", n)
	}
	const most = 5
	for _, c := range p.Costs {
		for _, l := range c.LeftOut[:min(len(c.LeftOut), most)] {
			s.Item("%s: %s at %s: %s", c.Shape, l.Function, conf.HumanSize(l.Msize), l.Why)
		}
		if more := len(c.LeftOut) - most; more > 0 {
			s.Item("%s: and %d cases more", c.Shape, more)
		}
	}
	if len(s.Text) == 0 {
		return nil
	}
	return []document.Section{s}
}

func (p *Plan) ranks() document.Section {
	s := document.Titled("RANKS")
	s.Fact("library", "%s", cmp.Or(p.Manifest.Rank.LibVersion, "not asked, nor whether "+conf.Quote(p.RankPath)+" is a rank program, since nothing is started; `pgmpi version` asks"))
	if len(p.Config.MPI.Launch) == 0 {
		s.Fact("launcher", "guessed by its name; a check asks mpirun which library it belongs to")
	}
	for _, c := range p.Costs {
		starts := p.Manifest.Launch[c.Shape.String()]
		if starts == nil {
			starts = []string{"mpirun", "-np", "{np}"}
		}
		argv := launch.RankArgv(starts, p.RankPath, c.Shape, p.Config.MPI.RankArgs()...)
		s.Command(c.Shape.String(), lists.Map(argv, conf.Quote))
		cores, crowded := launch.Crowded(c.Shape, p.Config.MPI.CPUsPerRank)
		over := phrase.When(crowded, "; more ranks than the %d cores%s", cores, phrase.When(c.Shape.Nodes > 0, " of a node"))
		s.Fact("", "cases: %d; buffers: %s in each rank%s", c.Cases, conf.HumanMemory(c.Memory), over)
		if c.Free > 0 {
			s.Fact("", "capped at %s: half of what is free on this host, for %s; the nodes may have more", conf.HumanMemory(c.Free), conf.Plural(c.Shape.PPN, "rank"))
		}
		s.Fact("", "given up if not started within %s (mpi.start_limit)", phrase.Rounded(p.Config.MPI.StartsWithin(c.Shape.NP)))
	}
	return s
}

func (p *Plan) time() document.Section {
	s := document.Titled("TIME, an estimate")
	for _, c := range p.Costs {
		for _, stage := range c.Stages {
			most := phrase.When(stage.After > 0, "at most ")
			first := phrase.When(stage.Verify > 0, ", and %s to verify the functions", phrase.Rounded(stage.Verify))
			done := phrase.When(stage.Left < stage.Runs, " (%d of %d are done)", stage.Runs-stage.Left, stage.Runs)
			mpiruns := phrase.Either(stage.Rides, "rides in %d mpiruns, which take %s longer", "%d mpiruns of %s")
			s.Fact(c.Shape.String()+" "+stage.Name, "%s"+mpiruns+"%s%s%s", most, stage.Left, phrase.Rounded(stage.Each), first, done,
				phrase.When(stage.IfFound, ", if something is found"))
		}
	}
	s.Fact("in all", "about %s", phrase.Rounded(p.Total))
	for _, n := range p.Over {
		s.Fact("", "about %s over Ethernet of %s", phrase.Rounded(n.Total), n.Network)
	}
	if p.Nodes > 0 {
		s.Fact("node-hours", "about %s: %s for that time", hours(p.Total.Hours()*float64(p.Nodes)), conf.Plural(p.Nodes, "node"))
	}
	if p.Confirms {
		s.Fact("not counted", "what would be an alarm is measured again, in mpiruns that time nothing else")
	}
	label := "it rests on"
	for _, c := range p.Costs {
		if c.Measured {
			s.Fact(label, "%s: its finished mpiruns, which took %s to start", c.Shape, phrase.Rounded(phrase.InSeconds(c.Start)))
		} else {
			s.Fact(label, "%s: %s to start an mpirun%s, %s for each step of a call", c.Shape, phrase.Rounded(phrase.InSeconds(c.Start)), phrase.When(p.Model.LaunchTime > 0, " (--launch-time)"), short(c.Step))
		}
		label = ""
	}
	repeated := fmt.Sprintf("%d repetitions of short calls, %d of long ones, in stage 2 twice that", p.Model.ShortRepeat, p.Model.LongRepeat)
	switch n := p.Config.NREP; {
	case n.Fixed > 0:
		repeated = fmt.Sprintf("%d repetitions (nrep.fixed)", n.Fixed)
	case len(p.Manifest.NRep) > 0:
		repeated = "the repetitions that are predicted already"
	}
	s.Fact("", "%.2g ns a byte; %s", p.Model.ByteTime*1e9, repeated)
	if p.Unseen() {
		s.Say("The estimate does not know the network between nodes: the first time is as in shared memory, and those over Ethernet are with TCP. When mpiruns are finished, --dry-run with --out and --resume tells by what they took.")
	} else {
		s.Say("A network, a busy machine, or more ranks than cores can make it many times more.")
	}
	return s
}

func hours(h float64) string {
	switch {
	case h < 0.01:
		return "0.01"
	case h < 10:
		return fmt.Sprintf("%.2g", h)
	}
	return fmt.Sprintf("%.0f", h)
}

// short writes a time of a call, in seconds.
func short(s float64) string {
	if s < 1e-3 {
		return fmt.Sprintf("%.3g µs", s*1e6)
	}
	return fmt.Sprintf("%.3g ms", s*1e3)
}
