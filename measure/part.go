package measure

import (
	"slices"
	"time"

	"pgmpi/measure/protocol"
	"pgmpi/measure/results"
)

// A prediction that is cut off leaves the cases that it has finished, and the next
// attempt at it does the others: what is predicted for a case needs no other case.
// Stage 2 keeps no part of an mpirun, since it compares what one mpirun has measured.

// part returns what an attempt at a task has left, and takes its cases out of the
// task; nil: nothing.
func (s *Session) part(t *Task) *results.Run {
	if t.Mode != protocol.ModeNREP {
		return nil
	}
	r := s.Folder.Part(t.Mode, t.Shape, t.Run, &s.Manifest.Plan)
	if r == nil || r.Rank.Hash != s.Manifest.Rank.Hash || r.Rank.LibVersion != s.Manifest.Rank.LibVersion {
		return nil
	}
	t.Cases = slices.DeleteFunc(slices.Clone(t.Cases), func(c Sampled) bool {
		return slices.ContainsFunc(r.Cases, func(k results.CaseInfo) bool { return k.Plan == c.Plan })
	})
	if len(t.Cases) == 0 {
		return nil // never written: the last case comes with the end record
	}
	return r
}

// keepPart stores the finished cases of an mpirun that has failed, beside those of
// the attempts before it. What cannot be stored would have been lost anyway.
func (s *Session) keepPart(t Task, before *results.Run, seed uint64, m *mpirun) {
	if m.in == nil {
		return
	}
	cases, samples := m.in.Finished()
	if t.Mode != protocol.ModeNREP || m.hello == nil || len(cases) == 0 || len(cases) >= len(t.Cases) {
		return
	}
	out := &protocol.Output{Samples: map[int][]protocol.Sample{}}
	var of []Sampled
	r := &results.Run{Header: results.Header{Mode: t.Mode, Shape: t.Shape, Run: t.Run, Seed: seed, Rank: m.hello.Rank,
		WallNS: m.wall.Nanoseconds(), LaunchNS: m.launch.Nanoseconds(), FinishedAt: time.Now().UTC().Format(time.RFC3339)}}
	for _, c := range cases {
		if c.Case < 0 || c.Case >= len(t.Cases) {
			return
		}
		r.Order = append(r.Order, len(of))
		of = append(of, t.Cases[c.Case])
		out.Samples[len(of)-1] = samples[c.Case]
		c.Case = len(of) - 1
		out.Cases = append(out.Cases, c)
	}
	if s.fill(r, out, of) != nil {
		return
	}
	r.Join(before)
	_ = s.Folder.WritePart(r)
}
