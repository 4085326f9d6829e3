package measure

import (
	"cmp"
	"encoding/json"
	"math/rand/v2"

	"pgmpi/guidelines"
	"pgmpi/measure/protocol"
	"pgmpi/measure/results"
)

// Task is what one mpirun of a Session is to do.
type Task struct {
	Mode  protocol.Mode
	Shape guidelines.Shape
	Run   int // 1-based
	Cases []Sampled
}

// Sampled is a case of an mpirun.
type Sampled struct {
	Plan  int // index into Plan.Cases
	Calls int // in a row, that one sample is; 0: one
	NRep  int
}

// Cases are what the mpiruns of a shape sample, in Plan order.
func Cases(m *results.Manifest, mode protocol.Mode, shape guidelines.Shape) []Sampled {
	if mode == protocol.ModeSplit {
		return splitCases(m, shape)
	}
	var out []Sampled
	for _, i := range m.Plan.CasesOf(shape) {
		c := Sampled{Plan: i}
		if mode == protocol.ModeMeasure {
			c.NRep = max(1, m.NRep[i].N)
		}
		out = append(out, c)
	}
	return out
}

// splitCases are both sides of the follow-ups of a shape, each once. k calls are
// repeated as often as the one call that they replace, which takes longer.
func splitCases(m *results.Manifest, shape guidelines.Shape) []Sampled {
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
	for _, f := range m.Split.FollowUps {
		if m.Plan.Cases[f.Case].Shape != shape {
			continue
		}
		nrep := max(1, m.NRep[f.Case].N)
		add(f.Part, f.Calls, nrep)
		add(f.Case, 0, nrep)
	}
	return out
}

// job is a task in the words of the protocol.
func (s *Session) job(t Task) (j *protocol.Job, seed uint64, err error) {
	m := s.Manifest
	j = &protocol.Job{
		Mode: t.Mode, NP: t.Shape.NP, PPN: cmp.Or(t.Shape.PPN, t.Shape.NP), Datatype: m.Plan.Datatype, Op: m.Plan.Op, Root: m.Plan.Root,
		Sync: s.Measure.Sync, Sample: s.Measure.Sample, WindowNS: int64(s.Measure.Window), SliceNS: int64(s.Measure.Slice),
		MaxDriftNS: int64(s.Measure.MaxDrift), Cache: s.Measure.Cache, Provable: s.Measure.Provable,
		Clock: s.Measure.Clock, ClockSync: s.Measure.ClockSync,
		FirstCalls: s.Measure.FirstCalls, Warmup: s.Measure.Warmup, WarmupNS: int64(s.Measure.WarmupTime),
		TempMemory: int64(s.Measure.TempMemory), StallNS: int64(s.Measure.Stall),
		MemoryCap: m.MemoryCap[t.Shape.String()], Layout: !s.seen[t.Shape],
	}
	// The first mpirun of a shape meets every case, and decides the cap.
	j.Verify = j.MemoryCap == 0
	for _, i := range t.Cases {
		c := m.Plan.Cases[i.Plan]
		j.Cases = append(j.Cases, protocol.JobCase{Function: c.Function, Msize: c.Msize, Calls: i.Calls, Skip: m.Skip[i.Plan].Status, NRep: i.NRep})
	}
	seed = runSeed(m.Seed, t)
	j.Order = t.order(rand.New(rand.NewPCG(seed, 0)), s.turns(t), m)
	if t.Mode == protocol.ModeNREP {
		j.NREP, err = json.Marshal(s.NREP)
	}
	return j, seed, err
}

// runSeed gives every mpirun an order of its own that the configured seed determines.
func runSeed(seed uint64, t Task) uint64 {
	stream := uint64(t.Run)
	for _, b := range []byte(string(t.Mode) + t.Shape.String()) {
		stream = stream*131 + uint64(b)
	}
	return rand.NewPCG(seed, stream).Uint64() >> 1
}
