package measure

import (
	"pgmpi/measure/protocol"
	"pgmpi/measure/results"
	"pgmpi/nrep"
)

// put sets a key of a map of the manifest, which leaves out those without any.
func put[K comparable, V any](m *map[K]V, key K, value V) {
	if *m == nil {
		*m = map[K]V{}
	}
	(*m)[key] = value
}

// putFirst is put for a key that is not there yet.
func putFirst[K comparable, V any](m *map[K]V, key K, value V) {
	if _, known := (*m)[key]; !known {
		put(m, key, value)
	}
}

// Learn takes over what a finished mpirun decided for the ones after it: the
// memory cap, the cases that are not timed, the predicted repetitions.
func (s *Session) Learn(r *results.Run) {
	m := s.Manifest
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
			s.predict(c, r.Samples[i])
		}
	}
}

// predict keeps the largest prediction of a case. Only valid samples were
// predicted from.
func (s *Session) predict(c results.CaseInfo, samples []protocol.Sample) {
	valid := max(1, c.NRep-c.Invalid, s.NREP.ForMinTime(protocol.ValidSeconds(samples)))
	now := results.NRep{N: valid, Converged: c.Converged, Reason: c.Reason}
	if before, predicted := s.Manifest.NRep[c.Plan]; predicted {
		now.N = nrep.MaxOverPredictions([]int{before.N, valid})
		now.Converged = before.Converged && c.Converged
		if !before.Converged {
			now.Reason = before.Reason
		}
	}
	put(&s.Manifest.NRep, c.Plan, now)
}
