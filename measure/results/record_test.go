package results

import (
	"strings"
	"testing"
	"time"

	"pgmpi/guidelines"
	"pgmpi/measure/protocol"
	"pgmpi/nrep"
	"pgmpi/testkit/should"
)

func TestLargestPredictionIsKeptAndOneThatGaveUpIsRemembered(t *testing.T) {
	m := &Manifest{}
	for i, c := range []protocol.CaseResult{{NRep: 30, Converged: true}, {NRep: 1000, Reason: "reached nrep.max = 1000"}, {NRep: 70, Converged: true}} {
		c.Status = protocol.StatusOK
		m.Learned(predicted(i+1, c, time.Millisecond), nrep.Default())
	}
	want := NRep{N: 200, Reason: "reached nrep.max = 1000"}
	got := m.NRep[3]
	should.Hold(t, got == want, "got %+v, want %+v", got, want)
}

func TestPredictionIsTheNumberOfValidSamples(t *testing.T) {
	m := &Manifest{}
	for i, c := range []protocol.CaseResult{{NRep: 45, Invalid: 5, Converged: true}, {NRep: 32, Invalid: 2, Converged: true}} {
		c.Status = protocol.StatusOK
		m.Learned(predicted(i+1, c, time.Millisecond), nrep.Default())
	}
	got := m.NRep[3].N
	should.Hold(t, got == 40, "predicted %d from 45 samples with 40 valid ones", got)
}

// predicted is an mpirun of stage 1 whose samples of case 3 all take so long.
func predicted(run int, c protocol.CaseResult, each time.Duration) *Run {
	samples := []protocol.Sample{{NS: 1, Flags: protocol.FlagLate}}
	for range 3 {
		samples = append(samples, protocol.Sample{NS: int64(each)})
	}
	return &Run{Header: Header{Mode: protocol.ModeNREP, Run: run, Cases: []CaseInfo{{Plan: 3, CaseResult: c}}},
		Samples: [][]protocol.Sample{samples}}
}

func TestShortCallsAreRepeatedForTheLeastTime(t *testing.T) {
	for each, want := range map[time.Duration]int{
		1250 * time.Nanosecond: 400, 5 * time.Microsecond: 100, 25 * time.Microsecond: 40, time.Second: 40, time.Nanosecond: 1000, 0: 1000,
	} {
		m := &Manifest{}
		all := nrep.Default()
		all.Enough = 0
		m.Learned(predicted(1, protocol.CaseResult{Status: protocol.StatusOK, NRep: 40, Converged: true}, each), all)
		got := m.NRep[3]
		should.Hold(t, got.N == want && got.Converged, "calls of %v: %+v, want %d for .5 ms", each, got, want)
	}
}

func TestNoMoreThanEnoughIsRepeatedUnlessTheLeastIsMore(t *testing.T) {
	for least, want := range map[int]int{10: 200, 300: 300} {
		for _, c := range []protocol.CaseResult{{NRep: 40, Converged: true}, {NRep: 640, Converged: true}, {NRep: 1000, Reason: "reached nrep.max = 1000"}} {
			m, n := &Manifest{}, nrep.Default()
			c.Status, n.Min = protocol.StatusOK, least
			m.Learned(predicted(1, c, time.Microsecond), n)
			got := m.NRep[3]
			should.Hold(t, got.N == want && got.Reason == c.Reason, "at least %d, %d predicted: %+v", least, c.NRep, got)
		}
	}
}

func TestACaseThatHasSpentItsBudgetOnceStaysSpent(t *testing.T) {
	m, long := &Manifest{}, 10*time.Millisecond
	for i, c := range []protocol.CaseResult{{NRep: 20, Converged: true}, {NRep: 10, Converged: true, Reason: "spent nrep.budget = 3ms"}, {NRep: 20, Converged: true}} {
		c.Status = protocol.StatusOK
		m.Learned(predicted(i+1, c, long), nrep.Default())
		got := m.NRep[3]
		should.Hold(t, got.Spent == (i > 0) && got.Converged && got.N == 20, "after %d predictions: %+v", i+1, got)
	}
	m = &Manifest{}
	m.Learned(predicted(1, protocol.CaseResult{Status: protocol.StatusOK, NRep: 1000, Reason: "reached nrep.max = 1000"}, long), nrep.Default())
	should.Hold(t, !m.NRep[3].Spent, "what reached another limit has spent its budget")
}

func TestFunctionIsLeftOutOnceInAllItsCases(t *testing.T) {
	m := &Manifest{Plan: guidelines.Plan{Cases: []guidelines.Case{{Function: "MPI_Bcast@a"}, {Function: "MPI_Bcast"}, {Function: "MPI_Bcast@a"}}}}
	why := protocol.CaseResult{Status: protocol.StatusHangs}
	should.Hold(t, m.LeftOut("MPI_Bcast@a", why) && !m.LeftOut("MPI_Bcast@a", why) && len(m.Skip) == 2 && m.Skip[2].Status == protocol.StatusHangs,
		"skipped %v", m.Skip)
	should.Hold(t, len(m.Events) == 1 && m.Events[0] == "MPI_Bcast@a hangs: the mpirun was repeated without it", "noted %q", m.Events)
}

// Each mpirun of any experiment has a run median of each case.
func TestMpirunsOfAllExperimentsAreBounded(t *testing.T) {
	cases := make([]guidelines.Case, maxMedians/30)
	for mode, change := range map[string]func(*Manifest){
		"none":            func(*Manifest) {},
		"the stage":       func(m *Manifest) { m.R = 31 },
		"split":           func(m *Manifest) { m.Planned(protocol.ModeSplit, &FollowUps{R: 21}) },
		"confirm":         func(m *Manifest) { m.Planned(protocol.ModeConfirm, &FollowUps{R: 21}) },
		"explore":         func(m *Manifest) { m.Planned(protocol.ModeExplore, &FollowUps{R: 21}) },
		"split, in bound": func(m *Manifest) { m.Planned(protocol.ModeSplit, &FollowUps{R: 20}) },
	} {
		m := &Manifest{R: 10, Plan: guidelines.Plan{Cases: cases}}
		change(m)
		err := m.check()
		fine := mode == "none" || mode == "split, in bound"
		should.Hold(t, fine == (err == nil) && (fine || strings.Contains(err.Error(), "run medians")), "%s: %v", mode, err)
	}
}
