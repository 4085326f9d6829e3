package measure

import (
	"cmp"
	"slices"
	"time"

	"pgmpi/measure/protocol"
	"pgmpi/measure/results"
)

// Ranks send finished results at most this often. Most mpiruns are shorter.
const (
	casesEvery  = 30 * time.Second // of stage 1
	roundsEvery = 2 * time.Minute  // of all others
)

// PartTime is the least time of an mpirun that leaves a part: it sends at the end of a round.
const PartTime = 2 * roundsEvery

// A prediction that is cut off leaves the cases that it has finished, and the next
// attempt at it does the others: what is predicted for a case needs no other case.
// Other mpiruns leave the rounds that they have finished, in which all cases have
// made the same share of their repetitions, and the next attempt does the other
// rounds: both sides of every test come from the same rounds of the same mpiruns.

// part takes the part of earlier attempts, if any, out of the task and returns it.
func (s *Session) part(t *Task) *results.Run {
	r := s.Folder.Part(t.Mode, t.Shape, t.Run, &s.Manifest.Plan)
	if r == nil || r.Rank.Hash != s.Manifest.Rank.Hash || r.Rank.LibVersion != s.Manifest.Rank.LibVersion {
		return nil
	}
	done := map[[2]int]results.CaseInfo{}
	for _, c := range r.Cases {
		done[[2]int{c.Plan, c.Calls}] = c
	}
	var rest Task
	if t.Mode == protocol.ModeNREP {
		rest = *t // without the cases that are done
		rest.Cases = slices.DeleteFunc(slices.Clone(t.Cases), func(c Sampled) bool {
			_, is := done[[2]int{c.Plan, c.Calls}]
			return is
		})
	} else if left := r.RoundsLeft(); left < s.turns(*t) {
		rest = t.withoutRounds(done, left).WithFillers(s.Manifest)
	}
	if len(rest.Cases) == 0 {
		return nil // never written: the last case comes with the end record
	}
	*t = rest
	return r
}

// withoutRounds returns the task with the repetitions and the rounds that are left. It has no cases if
// the part belongs to another task.
func (t Task) withoutRounds(done map[[2]int]results.CaseInfo, left int) (rest Task) {
	if left == 0 || len(done) != len(t.Cases) {
		return Task{}
	}
	rest = Task{Mode: t.Mode, Shape: t.Shape, Run: t.Run, turns: left}
	for _, c := range t.Cases {
		is, planned := done[[2]int{c.Plan, c.Calls}]
		if !planned {
			return Task{}
		}
		if c.NRep -= is.NRep - is.Invalid; c.NRep > 0 {
			rest.Cases = append(rest.Cases, c)
		}
	}
	return rest
}

// keepPart stores the part that a failed mpirun and the attempts before it have finished. It ignores a
// failure to store: the part would have been lost anyway.
func (s *Session) keepPart(x asked, m *mpirun) {
	t, job := x.Task, x.job
	if m.in == nil || m.hello == nil {
		return
	}
	got := m.in.Finished()
	if len(got.Cases) == 0 || (got.Rounds == 0) != (t.Mode == protocol.ModeNREP) {
		return
	}
	slices.SortFunc(got.Cases, func(a, b protocol.CaseResult) int { return cmp.Compare(a.Case, b.Case) })
	out := &protocol.Output{Samples: map[int][]protocol.Sample{}}
	var of []Sampled
	r := &results.Run{Header: m.header(x)}
	at := map[int]int{}
	for _, c := range got.Cases {
		if c.Case >= len(t.Cases) {
			return
		}
		at[c.Case] = len(of)
		of = append(of, t.Cases[c.Case])
		out.Samples[len(of)-1] = got.Samples[c.Case]
		c.Case = len(of) - 1
		out.Cases = append(out.Cases, c)
	}
	visited := job.Order
	if got.Rounds > 0 {
		visited = visited[:job.Rounds[got.Rounds-1]]
		r.Parts = []results.Part{{Rounds: got.Rounds, Of: len(job.Rounds) + 1, WallNS: r.WallNS, FinishedAt: r.FinishedAt, Host: m.hello.Rank.Host}}
	}
	for _, i := range visited {
		if n, is := at[i]; is {
			r.Order = append(r.Order, n)
		}
	}
	if s.fill(r, out, t, of) != nil {
		return
	}
	r.Join(x.part)
	_ = s.Folder.WritePart(r)
}
