package run

import (
	"cmp"
	"context"
	"math"
	"math/bits"
	"os"
	"slices"
	"strings"
	"time"

	"pgmpi/analyze"
	"pgmpi/analyze/report"
	"pgmpi/guidelines"
	"pgmpi/internal/conf/glfile"
	"pgmpi/internal/fail"
	"pgmpi/internal/phrase"
	"pgmpi/measure"
	"pgmpi/measure/host"
	"pgmpi/measure/launch"
	"pgmpi/measure/protocol"
	"pgmpi/measure/results"
	"pgmpi/mockups"
)

// The estimate of --dry-run rests on this model. Nothing is known of the machine before the first
// mpirun, so its constants are of one node with shared memory; between nodes the time lies between
// these and Ethernet's. They are in seconds and seconds per byte (docs/guide.md, "Dry run");
// package launch has the cost of a library's start-up.
const (
	stepTime   = 0.75e-6 // one of the ⌈log2 p⌉ steps of a collective of few bytes
	byteTime   = 0.2e-9  // each byte of the buffers of the busiest rank
	fillTime   = 0.5e-9  // each byte of its buffers that is given data before a case, and compared after it
	verifyTime = 1e-9    // each byte of its buffers that is verified
	foldTime   = 16e-9   // each element that is reduced to verify, for all processes, all before, and all but this one
	caseTime   = 20e-6   // of a case besides its calls
	visitTime  = 8e-6    // of each further visit besides its calls (measure.turns)
)

// networks lists Ethernets with TCP, with the times of a step and a byte.
var networks = []struct {
	name string
	link
}{{"1 Gbit", link{60e-6, 8e-9}}, {"100 Mbit", link{60e-6, 80e-9}}}

// link connects the nodes; its zero value adds nothing to shared memory.
type link struct{ step, perByte float64 }

// These are the mean expected repetitions of a case with metric rse at 0.025: the spread of short
// calls is larger. The largest prediction is kept, twice the mean one.
const (
	shortCall   = 5e-6 // s
	shortRepeat = 30
	longRepeat  = 15
	usualRSE    = 0.025
)

// Pointing is 7: about one case in 7 still points to a violation after the first look
// (docs/dev/statistics.md).
const Pointing = 7

func (c *Campaign) Estimate() (*report.Plan, error) {
	design, err := analyze.Design(c.Manifest, c.Config.Analyze)
	if err != nil {
		return nil, err
	}
	p := &report.Plan{Command: c.Command(), Manifest: c.Manifest, Config: c.Config, RankPath: c.RankPath, Confirms: c.Against != nil && c.Against.Confirm,
		Estimate: report.Estimate{Design: design, Model: report.Model{ByteTime: byteTime, ShortRepeat: shortRepeat, LongRepeat: longRepeat, LaunchTime: c.LaunchTime}}}
	if c.Mpiruns != nil {
		p.Mpiruns, p.Assumed = c.Mpiruns(c)
	}
	for _, s := range c.Stages { // as far as that is known before any suspicion
		p.FollowUp = p.FollowUp || s.Mode == protocol.ModeSplit && c.followsUp(s)
	}
	for _, shape := range c.Manifest.Plan.Shapes {
		p.Nodes = max(p.Nodes, shape.Nodes)
	}
	p.Costs, p.Total = c.costs(link{})
	if p.Unseen() {
		for _, n := range networks {
			_, total := c.costs(n.link)
			p.Over = append(p.Over, report.Over{Network: n.name, Total: total})
		}
	}
	return p, nil
}

// TimeLaunch times two empty mpiruns of the largest shape, and takes the shorter time for the start of each
// mpirun: the first one reads programs from the disk.
func (c *Campaign) TimeLaunch(ctx context.Context) error {
	ranks, err := measure.FindRanks(c.Config.MPI, c.Start)
	if err != nil {
		return fail.AsSetup(err)
	}
	shape := slices.MaxFunc(c.Manifest.Plan.Shapes, func(a, b guidelines.Shape) int { return a.NP - b.NP })
	for i := range 2 {
		began := time.Now()
		if _, err := ranks.Do(ctx, shape, nil, &protocol.Job{StallNS: int64(c.Config.Measure.Stall)}, nil); err != nil {
			return fail.AsSetup(err)
		}
		if took := time.Since(began); i == 0 || took < c.LaunchTime {
			c.LaunchTime = took
		}
	}
	return nil
}

func (c *Campaign) costs(between link) (costs []report.Cost, total time.Duration) {
	seconds := 0.0
	for _, shape := range c.Manifest.Plan.Shapes {
		l := between
		if shape.Nodes <= 1 {
			l = link{}
		}
		cost, takes := c.costOf(shape, l)
		if c.Manifest.MemoryCap[shape.String()] > 0 {
			takes.verify = 0
		}
		for _, s := range c.Stages {
			seconds += c.addStage(&cost, s, &takes)
		}
		costs = append(costs, cost)
	}
	return costs, phrase.InSeconds(seconds)
}

// takes holds what mpiruns of a shape take besides their start, and the verification in the first of all.
type takes struct {
	first, second, verify time.Duration // of stage 1, of stage 2 with all cases
	fillers               time.Duration // of stage 2 with all cases as fillers
	pairs                 time.Duration // of all cases as pairs that alternate
}

// pointing returns what an mpirun takes that measures what points to a violation; the other cases are
// fillers, unless it rides.
func (t *takes) pointing(mode protocol.Mode, rides bool) time.Duration {
	each := t.second / Pointing
	if mode == protocol.ModeAlternate {
		each = t.pairs / Pointing
	}
	if !rides {
		each += t.fillers * (Pointing - 1) / Pointing
	}
	return each
}

func (c *Campaign) addStage(cost *report.Cost, s Stage, t *takes) (total float64) {
	start := phrase.InSeconds(cost.Start)
	parts := []report.StageCost{{Name: s.Name, Runs: s.Runs(c.Manifest, c.Config), Each: start + time.Duration(s.Load*float64(t.second))}}
	switch looks := c.Manifest.Looks; {
	case s.Usual > 0 && c.followsUp(s):
		parts = c.followUps(s, start, t)
	case s.Past || s.Load == 0 && s.Mode != protocol.ModeNREP:
		return 0
	case s.Mode == protocol.ModeNREP:
		parts[0].Each = start + t.first
	case s.Mode == protocol.ModeMeasure && len(looks) > 1 && c.Medians:
		all := &parts[0]
		parts = append(parts, report.StageCost{Name: "beyond", After: looks[0], Runs: all.Runs - looks[0], Each: start + t.pointing(s.Mode, false)})
		parts[0].Runs = looks[0]
	}
	for _, part := range parts {
		if part.Runs == 0 {
			continue
		}
		part.Left = c.remaining(s.Mode, cost.Shape, part.After, part.Runs)
		if h := c.finished(s.Mode, cost.Shape); h != nil && s.Mode == protocol.ModeNREP {
			part.Left = min(part.Left, max(0, part.Runs-h.Predicted()))
		}
		if part.Left > 0 {
			part.Verify, t.verify = t.verify, 0
		}
		total += float64(part.Left)*part.Each.Seconds() + part.Verify.Seconds()
		cost.Stages = append(cost.Stages, part)
	}
	return total
}

// followUps returns the mpiruns that a stage has if something is found. Those that ride need no start.
func (c *Campaign) followUps(s Stage, start time.Duration, t *takes) []report.StageCost {
	part := report.StageCost{Name: s.Name, Runs: s.Usual, Each: start + t.pointing(s.Mode, false), IfFound: true}
	rides := 0
	if s.With != "" {
		rides = min(s.Usual, c.mostRiders(s))
	}
	riding := part
	riding.Runs, riding.Rides, riding.Each = rides, true, t.pointing(s.Mode, true)
	part.Runs, part.After = s.Usual-rides, rides
	return []report.StageCost{riding, part}
}

// mostRiders returns in how many mpiruns a stage may ride.
func (c *Campaign) mostRiders(s Stage) int {
	first, runs := 1, usualRuns(c, s.With)
	if looks := c.Manifest.Looks; s.With == protocol.ModeMeasure && len(looks) > 1 {
		first = looks[0] + 1
	}
	if stages, before := c.carries(s.With, first); slices.ContainsFunc(stages, func(r Stage) bool { return r.Mode == s.Mode }) {
		return max(0, runs-before)
	}
	return 0
}

// usualRuns returns how many mpiruns a mode has in a check that finds something.
func usualRuns(c *Campaign, mode protocol.Mode) int {
	i := slices.IndexFunc(c.Stages, func(s Stage) bool { return s.Mode == mode })
	if s := c.Stages[i]; s.Usual == 0 {
		return s.Runs(c.Manifest, c.Config)
	} else if c.followsUp(s) {
		return s.Usual
	}
	return 0
}

// followsUp tells whether a stage may measure what the stages before it have found.
func (c *Campaign) followsUp(s Stage) bool {
	if s.Past || s.Wanted != nil && !s.Wanted(c) {
		return false
	}
	return s.Mode != protocol.ModeSplit || c.Manifest.SplitExperiment && c.Config.Analyze.Method.Rules().FollowsUp
}

func (c *Campaign) remaining(mode protocol.Mode, shape guidelines.Shape, after, runs int) int {
	folder := results.Folder{Path: c.Path}
	left := 0
	for run := after + 1; run <= after+runs; run++ {
		if c.Before == nil || !folder.Has(mode, shape, run) {
			left++
		}
	}
	return left
}

// costOf returns the Cost without its Stages, and what mpiruns take.
func (c *Campaign) costOf(shape guidelines.Shape, l link) (cost report.Cost, t takes) {
	m, config := c.Manifest, c.Config
	up := launch.StartUpOf(m.Rank.Library)
	_, crowded := launch.Crowded(shape, config.MPI.CPUsPerRank)
	cost = report.Cost{Shape: shape, Start: startOf(up, shape.NP, crowded), Step: stepTime}
	if !config.MPI.KeepPML {
		cost.Start += up.Choice
	}
	if crowded {
		cost.Step = up.SharedStep
	}
	cost.Step = max(cost.Step, l.step)
	if c.LaunchTime > 0 {
		cost.Start = c.LaunchTime.Seconds()
	}
	// A collective without data costs ⌈log2 p⌉ steps.
	empty := cost.Step * float64(max(1, bits.Len(uint(shape.NP-1))))
	called := map[string]bool{}
	var nrep, run, fillers, pairs, verified float64
	folded := int64(0) // elements
	for _, i := range leaveOut(&cost, m, mockups.Room{Cap: c.memoryCap(&cost), OwnTemps: config.Measure.Turns > 1, Apart: m.Plan.Apart(m.Plan.CasesOf(shape))}) {
		k := m.Plan.Cases[i]
		f, _ := mockups.Get(k.Function)
		sized := m.Plan.Sized([]int{i})[0]
		need := f.Memory(sized.Count, sized.Extent, shape.NP)
		call := empty*float64(collectivesIn(f)) + max(byteTime, l.perByte)*float64(need.Sum())
		untimed := warmups(config, call)
		if !called[k.Function] {
			called[k.Function] = true
			untimed += config.Measure.FirstCalls
		}
		data := float64(need.Send + need.Recv)
		filler := caseTime + fillTime*data + 2*call
		once := caseTime + (2*fillTime+verifyTime)*data + call*float64(untimed+1) // verified on other data after its calls
		each := call + empty                                                      // with its MPI_Barrier
		predicted, kept := repetitions(config, call, each, m.NRep[i].N)
		nrep += once + each*predicted
		run += once + each*kept + (visitTime+empty)*(min(float64(config.Measure.MostTurns()), kept)-1)
		fillers += filler
		pairs += 2*once + 2*each*measure.InTurns(2*each)
		verified += verifyTime * data
		if f.Reduces {
			folded = max(folded, min(sized.Count, mockups.Period))
		}
	}
	verified += foldTime * float64(folded) * float64(shape.NP)
	t = takes{first: phrase.InSeconds(nrep), second: phrase.InSeconds(run), verify: phrase.InSeconds(verified), fillers: phrase.InSeconds(fillers), pairs: phrase.InSeconds(pairs)}
	c.measured(&cost, &t)
	return cost, t
}

func collectivesIn(f mockups.Function) int {
	if f.Over != "" {
		return 1 + strings.Count(f.Formula, "+")
	}
	return 1 + strings.Count(f.ID, "+")
}

// measured replaces the model's times by the times that finished mpiruns of the folder took. One
// stage also says by how much the model of the others is off.
func (c *Campaign) measured(cost *report.Cost, t *takes) {
	took := map[protocol.Mode]time.Duration{}
	factor := 0.0
	model := map[protocol.Mode]*time.Duration{protocol.ModeNREP: &t.first, protocol.ModeMeasure: &t.second}
	for mode, each := range model {
		if h := c.finished(mode, cost.Shape); h != nil {
			cost.Start, cost.Measured = float64(h.LaunchNS)/1e9, true
			took[mode] = time.Duration(max(1, h.WallNS-h.LaunchNS))
			factor = max(factor, float64(took[mode])/float64(max(1, *each)))
		}
	}
	if !cost.Measured {
		return
	}
	for _, each := range []*time.Duration{&t.first, &t.second, &t.fillers, &t.pairs} {
		*each = phrase.InSeconds(factor * each.Seconds())
	}
	for mode, each := range model {
		*each = cmp.Or(took[mode], *each)
	}
}

// finished returns the head of a stage's first finished mpirun, which measured everything, or nil.
func (c *Campaign) finished(mode protocol.Mode, shape guidelines.Shape) *results.Header {
	if c.Before == nil || c.LaunchTime > 0 {
		return nil
	}
	folder := results.Folder{Path: c.Path}
	there, err := folder.Finished(mode, shape)
	if err != nil || len(there) == 0 {
		return nil
	}
	r, err := folder.ReadRun(mode, shape, there[0], &c.Manifest.Plan)
	if err != nil {
		return nil
	}
	return &r.Header
}

// startOf returns the time of an mpirun without its cases, in seconds. Ranks that share cores start
// one after the other, others side by side.
func startOf(up launch.StartUp, np int, crowded bool) float64 {
	const oneByOne = 8
	ranks := float64(np)
	if !crowded && np > oneByOne {
		ranks = oneByOne * (1 + math.Log2(ranks/oneByOne))
	}
	return up.Fixed + up.PerRank*ranks
}

// memoryCap returns the cap of a rank's buffers. The first mpirun decides it; before, the memory
// that is free here does, if the shape says how many ranks a node has.
func (c *Campaign) memoryCap(cost *report.Cost) int64 {
	if known := c.Manifest.MemoryCap[cost.Shape.String()]; known > 0 {
		return known
	}
	limit := int64(c.Config.Measure.TempMemory)
	if _, free := host.Memory(os.DirFS("/")); free > 0 && cost.Shape.PPN > 0 && free/2/int64(cost.Shape.PPN) < limit {
		cost.Free = free / 2 / int64(cost.Shape.PPN)
		return cost.Free
	}
	return limit
}

// warmups returns the number of untimed calls before a case, from a call's seconds.
func warmups(config *glfile.File, call float64) int {
	most := config.Measure.Warmup
	if limit := time.Duration(config.Measure.WarmupTime).Seconds(); limit > 0 {
		return min(most, max(2, int(limit/call)))
	}
	return most
}

// repetitions returns how often a case is repeated in stage 1 and in stage 2. The repetitions that
// a metric needs grow with the inverse square of its threshold; other metrics count as rse does.
func repetitions(config *glfile.File, call, each float64, known int) (predicted, kept float64) {
	n := config.NREP
	usual := float64(longRepeat)
	if each < shortCall {
		usual = shortRepeat
	}
	usual *= usualRSE * usualRSE / (n.RSE * n.RSE)
	within := n.MaxTime
	if n.Budget > 0 {
		within = min(within, n.Budget)
	}
	most := min(float64(n.Max), time.Duration(within).Seconds()/each)
	predicted = max(float64(n.Min), min(usual, most))
	kept = max(float64(n.Min), float64(n.Kept(int(min(2*usual, most)), []float64{call})))
	if known > 0 {
		kept = float64(known)
	}
	return predicted, kept
}

func leaveOut(c *report.Cost, m *results.Manifest, room mockups.Room) (left []int) {
	all := m.Plan.CasesOf(c.Shape)
	why, shared := mockups.Fit(m.Plan.Sized(all), c.Shape.NP, room)
	for n, i := range all {
		if why[n] == "" {
			left = append(left, i)
		} else {
			c.LeftOut = append(c.LeftOut, report.LeftOut{Case: m.Plan.Cases[i], Why: why[n]})
		}
	}
	c.Memory, c.Cases = shared.Sum(), len(left)
	return left
}
