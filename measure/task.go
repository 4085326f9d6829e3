package measure

import (
	"encoding/json"
	"math/rand/v2"
	"slices"
	"time"

	"pgmpi/guidelines"
	"pgmpi/measure/protocol"
	"pgmpi/measure/results"
	"pgmpi/mockups"
)

// Task is what one mpirun of a Session is to do.
type Task struct {
	Mode  protocol.Mode
	Shape guidelines.Shape
	Run   int // 1-based
	Cases []Sampled
	// Company are the other cases of the Plan, as indices into Plan.Cases. They are
	// called in the first round and not timed: the library keeps memory and more from
	// one call to the next, so that a case is only itself in the same company.
	Company []int
	turns   int // that are left of an mpirun that was cut off; 0: all
}

// WithCompany is the task with what else there is in its shape to call.
func (t Task) WithCompany(m *results.Manifest) Task {
	t.Company = nil
	for _, i := range m.Plan.CasesOf(t.Shape) {
		if !slices.ContainsFunc(t.Cases, func(s Sampled) bool { return s.Plan == i }) {
			t.Company = append(t.Company, i)
		}
	}
	return t
}

// Sampled is a case of an mpirun.
type Sampled struct {
	Plan  int // index into Plan.Cases
	Calls int // in a row, that one sample is; 0: one
	NRep  int
}

// Cases are what the mpiruns of a shape sample, in Plan order.
func Cases(m *results.Manifest, mode protocol.Mode, shape guidelines.Shape) []Sampled {
	if x, ok := m.Experiment(mode); ok {
		return followUpCases(m, x, shape)
	}
	if mode == protocol.ModePipelined {
		return pipelinedCases(m, shape)
	}
	var out []Sampled
	for _, i := range m.Plan.CasesOf(shape) {
		c := Sampled{Plan: i}
		if mode == protocol.ModeMeasure || mode == protocol.ModeOverlap {
			c.NRep = max(1, m.NRep[i].N)
		}
		out = append(out, c)
	}
	return out
}

// The samples of several calls in a row: so many of them, and the calls of one. Together they
// are 1000 calls, and 100 of long ones, as the OSU benchmarks make.
const (
	pipelinedSamples  = 10
	pipelinedCalls    = 100
	pipelinedLong     = 10
	pipelinedLongFrom = 64 << 10 // bytes
)

// pipelinedCases are every case once as single calls and once as calls in a row.
func pipelinedCases(m *results.Manifest, shape guidelines.Shape) []Sampled {
	var out []Sampled
	for _, i := range m.Plan.CasesOf(shape) {
		calls := pipelinedCalls
		if m.Plan.Cases[i].Msize > pipelinedLongFrom {
			calls = pipelinedLong
		}
		out = append(out, Sampled{Plan: i, NRep: max(1, m.NRep[i].N)}, Sampled{Plan: i, Calls: calls, NRep: pipelinedSamples})
	}
	return out
}

// followUpCases are both sides of the follow-ups of a shape, each once. k calls are
// repeated as often as the one call that they replace, which takes longer.
func followUpCases(m *results.Manifest, x *results.FollowUps, shape guidelines.Shape) []Sampled {
	var out []Sampled
	at := map[[2]int]int{}
	add := func(plan, calls, nrep int) {
		key := [2]int{plan, calls}
		if _, ok := at[key]; !ok {
			at[key] = len(out)
			out = append(out, Sampled{Plan: plan, Calls: calls})
		}
		c := &out[at[key]]
		c.NRep = max(c.NRep, nrep)
	}
	for _, f := range x.Comparisons {
		if m.Plan.Cases[f.Case].Shape != shape {
			continue
		}
		nrep := max(1, m.NRep[f.Case].N)
		if f.Calls > 1 {
			add(f.Part, f.Calls, nrep)
		} else {
			add(f.Part, 0, max(1, m.NRep[f.Part].N))
		}
		add(f.Case, 0, nrep)
	}
	return out
}

// job is a task in the words of the protocol.
func (s *Session) job(t Task) (j *protocol.Job, seed uint64, err error) {
	m := s.Manifest
	counters := s.Measure.Counters
	if t.Mode != protocol.ModeMeasure {
		counters = nil
	}
	j = &protocol.Job{
		Mode: t.Mode, NP: t.Shape.NP, Place: s.place(t.Shape), Datatype: m.Plan.Datatype, Op: m.Plan.Op, Root: m.Plan.Root, Seed: m.Seed,
		Sync: s.Measure.Sync, Sample: s.Measure.Sample, WindowNS: int64(s.Measure.Window), SliceNS: int64(s.Measure.Slice),
		MaxDriftNS: int64(s.Measure.MaxDrift), Cache: s.Measure.Cache, Provable: s.Measure.Provable, PerRank: s.Measure.PerRank && t.Mode == protocol.ModeMeasure,
		Counters: counters, Clock: s.Measure.Clock, ClockSync: s.Measure.ClockSync,
		FirstCalls: s.Measure.FirstCalls, Warmup: s.Measure.Warmup, WarmupNS: int64(s.Measure.WarmupTime),
		TempMemory: int64(s.Measure.TempMemory), StallNS: int64(s.Measure.Stall),
		MemoryCap: m.MemoryCap[t.Shape.String()], Layout: !s.seen[t.Shape], Mockups: s.mockups(),
	}
	// The first mpirun of a shape meets every case, and decides the cap.
	j.Verify = j.MemoryCap == 0
	j.Announce = slices.ContainsFunc(m.Plan.Cases, func(c guidelines.Case) bool { return mayEnd(c.Function) })
	for _, i := range t.Cases {
		c := m.Plan.Cases[i.Plan]
		j.Cases = append(j.Cases, protocol.JobCase{Function: c.Function, Msize: c.Msize, Calls: i.Calls, Skip: m.Skip[i.Plan].Status, NRep: i.NRep})
	}
	for _, i := range t.Company {
		c := m.Plan.Cases[i]
		j.Cases = append(j.Cases, protocol.JobCase{Function: c.Function, Msize: c.Msize, Skip: m.Skip[i].Status, Company: true})
	}
	seed = runSeed(m.Seed, t)
	rounds := t.rounds(rand.New(rand.NewPCG(seed, 0)), s.turns(t), s.Measure.leastCalls(), m)
	for i, round := range rounds {
		if i > 0 {
			j.Rounds = append(j.Rounds, len(j.Order))
		}
		j.Order = append(j.Order, round...)
	}
	switch {
	case t.Mode == protocol.ModeOverlap:
		j.Sample = protocol.SampleLocal // as what is held against it: by the ranks' own clocks
		j.Overlap, err = s.Overlap.job()
	case t.Mode == protocol.ModeNREP:
		j.SendNS = int64(casesEvery)
		j.NREP, err = json.Marshal(s.NREP)
	case t.Mode != protocol.ModeMeasure || s.Measure.sendsRounds():
		j.SendNS = int64(roundsEvery)
	}
	return j, seed, err
}

// longStart is the time to start an mpirun from which on one makes all the predictions
// that are left: their own starts would take longer than they.
const longStart = 10 * time.Second

// predictAtOnce returns what puts the predictions that are left into one job, when it
// is known what the start has taken.
func (s *Session) predictAtOnce(t Task, j *protocol.Job, seed uint64) func(launch time.Duration) {
	return func(launch time.Duration) {
		left := min(s.NREP.Predictions-t.Run+1, results.MaxVisits/max(1, len(j.Order)))
		if launch < longStart || left < 2 {
			return
		}
		rng := rand.New(rand.NewPCG(seed, 1))
		for range left - 1 {
			j.Order = append(j.Order, rng.Perm(len(t.Cases))...)
		}
		j.Predictions = left
	}
}

// place is where the ranks of a shape must be: as it says, or as in its first mpirun.
func (s *Session) place(shape guidelines.Shape) string {
	if shape.Nodes > 0 {
		return shape.String()
	}
	return s.Manifest.Factors.Place(shape.String())
}

// runSeed gives every mpirun an order of its own that the configured seed determines.
func runSeed(seed uint64, t Task) uint64 {
	stream := uint64(t.Run)
	for _, b := range []byte(string(t.Mode) + t.Shape.String()) {
		stream = stream*131 + uint64(b)
	}
	return rand.NewPCG(seed, stream).Uint64() >> 1
}

// mayEnd tells whether a call of a function may end the mpirun.
func mayEnd(function string) bool {
	f, _ := mockups.Get(function)
	return f.MayEnd()
}

// mockups are the shared libraries of which the Plan has rows, as they were when the folder
// was begun.
func (s *Session) mockups() (out []protocol.Mockups) {
	for _, file := range s.Own {
		of := protocol.Mockups{File: file.File, Hash: s.Manifest.Factors.Mockups[file.File]}
		for _, id := range file.IDs {
			if slices.ContainsFunc(s.Manifest.Plan.Cases, func(c guidelines.Case) bool { return c.Function == id }) {
				of.IDs = append(of.IDs, id)
			}
		}
		if len(of.IDs) > 0 {
			out = append(out, of)
		}
	}
	return out
}
