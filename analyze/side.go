package analyze

import (
	"strings"

	"pgmpi/analyze/medians"
	"pgmpi/guidelines"
	"pgmpi/measure/protocol"
	"pgmpi/measure/results"
)

type Side struct {
	Name     string // what the user calls the folder
	Manifest *results.Manifest
	Set      *medians.Set
	Report   *Report // nil before anything was measured, when only designs can be asked for
}

func (a *Analysis) With(r *Report) *Analysis {
	out := *a
	out.Report, out.verdicts = r, r.Verdicts
	return &out
}

func (a *Analysis) Side(name string) *Side { return &Side{name, a.manifest, a.set, a.Report} }

func Planned(name string, m *results.Manifest) *Side {
	return &Side{Name: name, Manifest: m, Set: medians.New(m)}
}

// NotComparable is the error for folders whose numbers do not mean the same.
type NotComparable struct{ Reason string }

func (e *NotComparable) Error() string { return e.Reason }

func (s *Side) Mpiruns() int { return s.Manifest.Runs(protocol.ModeMeasure) }

func (s *Side) Cases() map[guidelines.Case]int {
	at := map[guidelines.Case]int{}
	for i, k := range s.Manifest.Plan.Cases {
		at[k] = i
	}
	return at
}

func IsMockup(function string) bool { return !strings.HasPrefix(function, "MPI_") }

func (s *Side) Folder() ComparedFolder { return FolderOf(s.Name, s.Manifest, s.Mpiruns()) }

func FolderOf(name string, m *results.Manifest, r int) ComparedFolder {
	return ComparedFolder{Folder: name, Library: LibraryOf(m), Hash: m.Rank.Hash, Created: m.Created, R: r, Host: m.Factors.Hostname}
}

// Unusable reports whether the medians of a case cannot be compared, and why. left tells that the
// case was not measured at all.
func (s *Side) Unusable(i int) (yes, left bool, reason string) {
	k := &s.Set.Cases[i]
	switch k.Status {
	case protocol.StatusWrong:
		return true, false, "wrong data: " + k.Message
	case protocol.StatusNotMeasured, protocol.StatusUnavailable, protocol.StatusHangs, protocol.StatusCrashes:
		return true, true, k.Message
	case protocol.StatusOK:
	}
	reason = problem(scheduleOf(s.Manifest), k)
	return reason != "", false, reason
}

// Again returns the folder with only its confirmation: the cases that were measured again.
func (s *Side) Again() *Side {
	m, set := *s.Manifest, *s.Set
	m.R, m.Looks, m.LookWeights, m.Stopped = m.Runs(protocol.ModeConfirm), nil, nil, nil
	set.Cases = make([]medians.Case, len(s.Set.Cases))
	for i := range set.Cases {
		set.Cases[i].Status = protocol.StatusNotMeasured
		if k := set.Side(protocol.ModeConfirm, i, 1); k != nil {
			set.Cases[i] = *k
		}
	}
	return &Side{s.Name, &m, &set, s.Report}
}

type ComparedFolder struct {
	Folder  string  `json:"folder"`
	Library Library `json:"library"`
	Hash    string  `json:"rank_hash"`
	Created string  `json:"created"` // RFC 3339, UTC
	R       int     `json:"r"`       // mpiruns, as planned or up to the end by max_time
	Host    string  `json:"host"`    // that started them
}
