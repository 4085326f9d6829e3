package measure

import (
	"context"
	"slices"
	"time"

	"pgmpi/guidelines"
	"pgmpi/measure/protocol"
	"pgmpi/measure/results"
)

// sampled is a case of an mpirun: a case of the Plan, and how many calls in a
// row one sample of it is.
type sampled struct {
	plan, calls, nrep int
}

// cases are what an mpirun of a shape samples, in Plan order. With looks that
// is what an undecided test still needs.
func (s *Session) cases(mode protocol.Mode, shape guidelines.Shape) []sampled {
	m := s.Manifest
	var out []sampled
	if mode == protocol.ModeSplit {
		return splitCases(m, shape)
	}
	for _, i := range m.Plan.CasesOf(shape) {
		if s.needed != nil && !s.needed[i] {
			continue
		}
		c := sampled{plan: i, calls: 1}
		if mode == protocol.ModeMeasure {
			c.nrep = max(1, m.NRep[i].N)
		}
		out = append(out, c)
	}
	return out
}

// splitCases are both sides of the follow-ups of a shape, each once. k calls are
// repeated as often as the one call that they stand for, which takes longer.
func splitCases(m *results.Manifest, shape guidelines.Shape) []sampled {
	var out []sampled
	at := map[[2]int]int{}
	add := func(plan, calls, nrep int) {
		key := [2]int{plan, calls}
		if _, ok := at[key]; !ok {
			at[key] = len(out)
			out = append(out, sampled{plan: plan, calls: calls})
		}
		c := &out[at[key]]
		c.nrep = max(c.nrep, nrep)
	}
	for _, f := range m.Split.FollowUps {
		if m.Plan.Cases[f.Case].Shape != shape {
			continue
		}
		nrep := max(1, m.NRep[f.Case].N)
		add(f.Part, f.Calls, nrep)
		add(f.Case, 1, nrep)
	}
	return out
}

// goesOn tells, before the mpiruns number run of all shapes, whether there is
// anything left to measure, and time for it.
func (s *Session) goesOn(mode protocol.Mode, run int) (bool, error) {
	m := s.Manifest
	if n, ok := m.Stopped[mode]; ok && run > n {
		return false, nil
	}
	if err := s.look(mode, run-1); err != nil {
		return false, err
	}
	var next time.Duration
	left := 0
	for _, shape := range m.Plan.Shapes {
		n := len(s.cases(mode, shape))
		left += n
		if n > 0 && !s.Folder.Has(mode, shape, run) {
			next += s.last[shape]
		}
	}
	if left == 0 {
		return false, nil
	}
	if s.MaxTime == 0 || s.spent+next <= s.MaxTime {
		return true, nil
	}
	// What is on disk must not lie behind the end: a gap is filled.
	for _, shape := range m.Plan.Shapes {
		there, err := s.Folder.Finished(mode, shape)
		if err != nil || len(there) > 0 && there[len(there)-1] >= run {
			return err == nil, err
		}
	}
	if m.Stopped == nil {
		m.Stopped = map[protocol.Mode]int{}
	}
	m.Stopped[mode] = run - 1
	return false, s.Folder.WriteManifest(m)
}

// look asks, after a look's mpiruns, which cases undecided tests still need.
func (s *Session) look(mode protocol.Mode, done int) error {
	if !s.looksAfter(mode, done) {
		return nil
	}
	needed, err := s.AtLook(done)
	s.needed = needed
	return err
}

// looksAfter tells whether there is a look after so many mpiruns, with more to follow.
func (s *Session) looksAfter(mode protocol.Mode, done int) bool {
	looks := s.Manifest.Looks
	return mode == protocol.ModeMeasure && s.AtLook != nil && slices.Contains(looks[:max(0, len(looks)-1)], done)
}

// clocked adds an mpirun to what max_time has been spent on.
func (s *Session) clocked(r *results.Run) {
	if s.last == nil {
		s.last = map[guidelines.Shape]time.Duration{}
	}
	s.last[r.Shape] = time.Duration(r.WallNS)
	s.spent += time.Duration(r.WallNS)
}

// FollowUp measures the experiment on split-robustness that the manifest plans
// (docs/statistics.md), in mpiruns of its own.
func (s *Session) FollowUp(ctx context.Context) error {
	split := s.Manifest.Split
	if split == nil || len(split.FollowUps) == 0 {
		return nil
	}
	return s.stage(ctx, protocol.ModeSplit, split.R, false)
}
