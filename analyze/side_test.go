package analyze

import (
	"testing"

	"pgmpi/analyze/judge"
	"pgmpi/analyze/medians"
	"pgmpi/measure/protocol"
	"pgmpi/measure/results"
	"pgmpi/testkit/fixture"
	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

func TestASideIsWhatWasMeasuredOrPlanned(t *testing.T) {
	m := fixture.Manifest()
	m.Rank.Library, m.Rank.Hash, m.Created, m.Factors.Hostname = "mpich", "abc", "2026-01-02T03:04:05Z", "login"
	a := must.Get(Analyze(m, fixture.Measured(m, plainly...), judge.Default()))(t)
	s := a.Side("folder")
	should.Hold(t, s.Manifest == m && s.Set == a.set && s.Report == a.Report && s.Mpiruns() == fixture.R, "%+v", s)
	should.Equal(t, s.Folder(), ComparedFolder{Folder: "folder", Library: LibraryOf(m), Hash: "abc",
		Created: m.Created, R: fixture.R, Host: "login"})
	should.Hold(t, s.Cases()[m.Plan.Cases[3]] == 3 && len(s.Cases()) == 6, "%v", s.Cases())
	p := Planned("ahead", m)
	should.Hold(t, p.Name == "ahead" && p.Report == nil && len(p.Set.Cases) == 6, "%+v", p)
	should.Hold(t, IsMockup("reduce_as_allreduce") && !IsMockup("MPI_Reduce"), "mock-ups")
	other := *a.Report
	other.Verdicts = []Verdict{{Guideline: "GL99"}}
	with := a.With(&other)
	should.Hold(t, with.Report == &other && with.verdicts[0].Guideline == "GL99" && len(a.verdicts) == 6, "%+v",
		with.verdicts)
	should.Equal(t, (&NotComparable{"other sizes"}).Error(), "other sizes")
}

func TestACaseCannotBeComparedForEachOfItsReasons(t *testing.T) {
	for name, c := range map[string]struct {
		status    protocol.Status
		yes, left bool
		reason    string
	}{
		"measured":     {protocol.StatusOK, false, false, ""},
		"wrong":        {protocol.StatusWrong, true, false, "wrong data: why"},
		"not measured": {protocol.StatusNotMeasured, true, true, "why"},
		"crashes":      {protocol.StatusCrashes, true, true, "why"},
	} {
		m := fixture.Manifest()
		s := must.Get(Analyze(m, fixture.Measured(m, plainly...), judge.Default()))(t).Side("folder")
		s.Set.Cases[2].Status, s.Set.Cases[2].Message = c.status, "why"
		yes, left, reason := s.Unusable(2)
		should.Hold(t, yes == c.yes && left == c.left && reason == c.reason, "%s: %v, %v, %q", name, yes, left, reason)
	}
	m := fixture.Manifest()
	yes, left, reason := Planned("ahead", m).Unusable(2)
	should.Hold(t, yes && !left && reason == "only 0 of 12 mpiruns have a valid median", "%v, %v, %q", yes, left,
		reason)
}

func TestASideAgainHasWhatWasConfirmed(t *testing.T) {
	m := fixture.WithLooks()
	m.Stopped = map[protocol.Mode]int{protocol.ModeMeasure: 14}
	m.Planned(protocol.ModeConfirm, &results.FollowUps{R: 3, Comparisons: []results.Comparison{gl8}})
	set := fixture.Collected(t, medians.New(m), measuredAgain(m, protocol.ModeConfirm, 3, 500, 300))
	again := (&Side{"folder", m, set, nil}).Again()
	should.Hold(t, again.Name == "folder" && again.Mpiruns() == 3 && len(again.Manifest.Looks) == 0 && m.R == 30,
		"%+v", again.Manifest)
	for i := range again.Set.Cases {
		should.Hold(t, set.Cases[i].Status != protocol.StatusNotMeasured, "case %d of the check itself", i)
		yes, left, _ := again.Unusable(i)
		should.Hold(t, yes == (i != 1 && i != 3) && left == yes, "case %d: %v, %v", i, yes, left)
	}
	should.Equal(t, again.Set.Cases[3].Median(), 302.0)
}
