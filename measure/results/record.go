package results

import (
	"fmt"
	"slices"

	"pgmpi/measure/host"
	"pgmpi/measure/protocol"
	"pgmpi/nrep"
)

// Once a folder is begun, only the methods here change its manifest.

// put sets a key of a map, which a manifest leaves out while it is empty.
func put[K comparable, V any](m *map[K]V, key K, value V) {
	if *m == nil {
		*m = map[K]V{}
	}
	(*m)[key] = value
}

func putFirst[K comparable, V any](m *map[K]V, key K, value V) {
	if _, known := (*m)[key]; !known {
		put(m, key, value)
	}
}

// Learned takes over what a finished mpirun decided for the ones after it: the
// memory cap, the cases that are not timed, the predicted repetitions.
func (m *Manifest) Learned(r *Run, n nrep.Config) {
	putFirst(&m.MemoryCap, r.Shape.String(), r.MemoryCap)
	putFirst(&m.Timing, r.Shape.String(), r.Timing)
	if m.Clock == nil && r.Clock != nil {
		m.Clock, m.Clocks, m.Rank.ClockTickNS = r.Clock, r.Clocks, r.Clock.TickNS
	}
	for i, c := range r.Cases {
		switch {
		case c.Status != protocol.StatusOK:
			putFirst(&m.Skip, c.Plan, c.CaseResult)
		case r.Mode == protocol.ModeNREP:
			// Only valid samples were predicted from.
			m.predicted(c, max(1, c.NRep-c.Invalid, n.ForMinTime(protocol.ValidSeconds(r.Samples[i]))))
		}
	}
}

func (m *Manifest) predicted(c CaseInfo, valid int) {
	now := NRep{N: valid, Converged: c.Converged, Spent: c.Converged && c.Reason != "", Reason: c.Reason}
	if before, predicted := m.NRep[c.Plan]; predicted {
		now.N = nrep.MaxOverPredictions([]int{before.N, valid})
		now.Converged, now.Spent = before.Converged && c.Converged, now.Spent || before.Spent
		if !before.Converged {
			now.Reason = before.Reason
		}
	}
	put(&m.NRep, c.Plan, now)
}

func (m *Manifest) Fixed(n int) {
	m.NRep = map[int]NRep{}
	for i := range m.Plan.Cases {
		m.NRep[i] = NRep{N: n, Converged: true}
	}
}

// Saw keeps what an mpirun has shown of the library: the shared libraries of mock-ups as it
// loaded them, and the messaging layer that it chose; "": none that is known.
func (m *Manifest) Saw(r *Run, pml string, loaded []protocol.Mockups) {
	for _, f := range loaded {
		putFirst(&m.Factors.Mockups, f.File, f.Hash)
	}
	switch {
	case r.Mode == protocol.ModeMessages: // it is the layer that counts, which stands before the one that the others have
	case pml != "":
		put(&m.PML, r.Shape.String(), pml)
	default:
		delete(m.PML, r.Shape.String())
	}
}

// Ran keeps where the first mpirun of a shape in this process ran, started by argv, and,
// after a --resume, only what differs from what is known.
func (m *Manifest) Ran(r *Run, l *host.Layout, argv []string) {
	l.Shape, l.Since, l.Command = r.Shape.String(), RawName(r.Mode, r.Shape, r.Run), argv
	m.Factors.Add(*l)
}

// LeftOut skips a function in all its cases, and tells whether it was not skipped already.
func (m *Manifest) LeftOut(function string, why protocol.CaseResult) (skipped bool) {
	for i, k := range m.Plan.Cases {
		if _, already := m.Skip[i]; k.Function == function && !already {
			put(&m.Skip, i, why)
			skipped = true
		}
	}
	if skipped {
		m.Events = append(m.Events, fmt.Sprintf("%s %s: the mpirun was repeated without it", function, why.Status))
	}
	return skipped
}

func (m *Manifest) Repeated(raw, why string) {
	m.Events = append(m.Events, fmt.Sprintf("%s failed and was repeated: %s", raw, why))
}

// StopAfter ends a stage for good after a number of mpiruns per shape.
func (m *Manifest) StopAfter(mode protocol.Mode, runs int) { put(&m.Stopped, mode, runs) }

// Planned fixes the experiment of a mode, nil if there is nothing to measure.
func (m *Manifest) Planned(mode protocol.Mode, plan *FollowUps) {
	*m.experiment(mode) = plan
}

func (m *Manifest) Ignored(text string) bool {
	if slices.Contains(m.Settings, text) {
		return false
	}
	m.Settings = append(m.Settings, text)
	return true
}

func (m *Manifest) Labelled(key, value string) { put(&m.Label, key, value) }
