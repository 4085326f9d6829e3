package measure

import (
	"math/rand/v2"
	"slices"
	"time"

	"pgmpi/guidelines"
	"pgmpi/measure/host"
	"pgmpi/measure/protocol"
	"pgmpi/measure/results"
	"pgmpi/mockups"
)

type Task struct {
	Mode  protocol.Mode
	Work  *Work // where the mode is not one of the core's
	Shape guidelines.Shape
	Run   int // 1-based
	Cases []Sampled
	// Fillers are the other cases of the Plan, as indices into Plan.Cases. They are
	// called in the first round and not timed: the library keeps memory and more from
	// one call to the next, so that a case is only itself among the same calls.
	Fillers []int
	Riders  []Task // are measured after it, in the same mpirun
	Careful bool   // name every visit of a case that may end the mpirun: the one before did, and nobody knows which
	turns   int    // rounds left of an mpirun that was cut off, or 0
}

func (t Task) WithFillers(m *results.Manifest) Task {
	t.Fillers = nil
	for _, i := range m.Plan.CasesOf(t.Shape) {
		if !slices.ContainsFunc(t.Cases, func(s Sampled) bool { return s.Plan == i }) {
			t.Fillers = append(t.Fillers, i)
		}
	}
	return t
}

type Sampled struct {
	Plan  int // index into Plan.Cases
	Calls int // in a row for one sample; 0 counts as 1
	NRep  int
	// Pair is the number of the comparison whose two cases, side by side in the list, take turns call by
	// call, from 1; 0 for none.
	Pair int
}

// second tells whether a case takes turns with the one before it.
func (t Task) second(i int) bool {
	return i > 0 && i < len(t.Cases) && t.Cases[i].Pair > 0 && t.Cases[i].Pair == t.Cases[i-1].Pair
}

// Cases returns the cases that the mpiruns of a shape sample, in Plan order.
func Cases(m *results.Manifest, mode protocol.Mode, shape guidelines.Shape) []Sampled {
	if mode.FollowsUp() {
		return followUpCases(m, mode, shape)
	}
	var out []Sampled
	for _, i := range m.Plan.CasesOf(shape) {
		c := Sampled{Plan: i}
		if mode != protocol.ModeNREP && mode != protocol.ModeMessages {
			c.NRep = max(1, m.NRep[i].N)
		}
		out = append(out, c)
	}
	return out
}

// followUpCases returns both sides of the follow-ups of a shape: each once, or pair by pair where they
// take turns. k calls are
// repeated as often as the one call that they replace, which takes longer.
func followUpCases(m *results.Manifest, mode protocol.Mode, shape guidelines.Shape) []Sampled {
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
	for n, f := range m.Following(mode) {
		if m.Plan.Cases[f.Case].Shape != shape {
			continue
		}
		nrep, parts := max(1, m.NRep[f.Case].N), max(1, m.NRep[f.Part].N)
		calls := 0
		if f.Calls > 1 {
			calls = f.Calls
		}
		if mode == protocol.ModeAlternate {
			out = append(out, Sampled{Plan: f.Case, NRep: alternations, Pair: n + 1}, Sampled{Plan: f.Part, Calls: calls, NRep: alternations, Pair: n + 1})
			continue
		}
		if calls > 0 {
			parts = nrep
		}
		add(f.Part, calls, parts)
		add(f.Case, 0, nrep)
	}
	return out
}

func (s *Session) job(t Task) (j *protocol.Job, seed uint64, err error) {
	m, c := s.Manifest, &s.Measure
	calls := &protocol.CallsJob{
		Mode: t.Mode, Datatype: m.Plan.Datatype, Op: m.Plan.Op, Root: m.Plan.Root, Seed: m.Seed,
		Sync: c.Sync, Sample: c.Sample, WindowNS: int64(c.Window), SliceNS: int64(c.Slice), MaxDriftNS: int64(c.MaxDrift),
		Cache: c.Cache, Malloc: c.Malloc, Clock: c.Clock, ClockSync: c.ClockSync,
		FirstCalls: c.FirstCalls, Warmup: c.Warmup, Fresh: c.Fresh, WarmupNS: int64(c.WarmupTime),
		TempMemory: int64(c.TempMemory), MemoryCap: m.MemoryCap[t.Shape.String()], Mockups: s.mockups(),
	}
	if n := len(c.Windows); n > 0 {
		calls.WindowNS = int64(c.Windows[(t.Run-1)%n])
	}
	if x := m.FollowUps[t.Mode]; x != nil && x.Malloc != "" {
		calls.Malloc = x.Malloc
	}
	// The first mpirun of a shape meets every case, and decides the cap.
	calls.Verify = calls.MemoryCap == 0
	calls.Announce = slices.ContainsFunc(m.Plan.Cases, func(c guidelines.Case) bool {
		f, _ := mockups.Get(c.Function)
		return f.MayEnd()
	})
	calls.AnnounceAll = t.Careful && calls.Announce
	for at, i := range t.Cases {
		c := m.Plan.Cases[i.Plan]
		calls.Cases = append(calls.Cases, protocol.JobCase{Function: c.Function, Msize: c.Msize, Elements: c.Elements, Calls: i.Calls, Skip: m.Skip[i.Plan].Status, NRep: i.NRep,
			Turns: t.second(at)})
	}
	for _, i := range t.Fillers {
		c := m.Plan.Cases[i]
		calls.Cases = append(calls.Cases, protocol.JobCase{Function: c.Function, Msize: c.Msize, Elements: c.Elements, Skip: m.Skip[i].Status, Filler: true})
	}
	stream := uint64(t.Run) // every mpirun has an order of its own that the configured seed determines
	for _, b := range []byte(string(t.Mode) + t.Shape.String()) {
		stream = stream*131 + uint64(b)
	}
	seed = rand.NewPCG(m.Seed, stream).Uint64() >> 1
	least := leastCalls
	if c.Turns > 0 {
		least = 1
	}
	rounds := t.rounds(rand.New(rand.NewPCG(seed, 0)), s.turns(t), least, m)
	for i, round := range rounds {
		if i > 0 {
			calls.Rounds = append(calls.Rounds, len(calls.Order))
		}
		calls.Order = append(calls.Order, round...)
	}
	place := m.Factors.Place(t.Shape.String()) // as in the first mpirun
	if t.Shape.Nodes > 0 {
		place = t.Shape.String()
	}
	j = &protocol.Job{NP: t.Shape.NP, Place: place, Nodes: t.Shape.Nodes, StallNS: int64(c.Stall), Layout: !s.seen[t.Shape], CallsJob: calls}
	if j.Layout {
		j.Asked = host.Asked(environment(s.envOf(t.Shape)), m.Launch[t.Shape.String()])
	}
	if t.Work != nil {
		j.Work, err = t.Work.Ask(calls)
		return j, seed, err
	}
	s.ask(calls)
	return j, seed, nil
}

// ask sets the work on the cases, for the modes of the core.
func (s *Session) ask(j *protocol.CallsJob) {
	j.SendNS = int64(roundsEvery)
	switch j.Mode {
	case protocol.ModeNREP:
		j.SendNS = int64(casesEvery)
		j.Predict = &protocol.PredictJob{NREP: s.NREP}
	case protocol.ModeMessages:
		j.Messages = &protocol.MessagesJob{}
	case protocol.ModeMeasure:
		j.Measure = &protocol.MeasureJob{PerRank: s.Measure.PerRank, Counters: s.Measure.Counters, Provable: s.Measure.Provable}
		if !s.Measure.sendsRounds() {
			j.SendNS = 0
		}
	case protocol.ModeAlternate:
		j.Measure = &protocol.MeasureJob{PairNS: int64(pairTime)}
	default:
		j.Measure = &protocol.MeasureJob{}
	}
}

// longStart is the start-up time from which on one mpirun makes all predictions that are left: their
// own starts would take longer than they do.
const longStart = 10 * time.Second

// predictAtOnce returns a function that puts the remaining predictions into one job, if the start took
// long.
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
		j.Predict.Times = left
	}
}

// mockups returns the shared libraries whose rows the Plan has. They have their hashes when the folder
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
