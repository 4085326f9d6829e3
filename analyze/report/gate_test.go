package report

import (
	"strings"
	"testing"

	"pgmpi/analyze"
	"pgmpi/analyze/judge"
	"pgmpi/analyze/series"
	"pgmpi/guidelines"
	"pgmpi/measure/protocol"
	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
	"pgmpi/testkit/shown"
)

// gated is a check with a test in every state, and a run-time that became longer.
func gated(t *testing.T) *analyze.Report {
	t.Helper()
	p2, sizes := []guidelines.Shape{{NP: 2}}, []int64{1, 1024, 65536, 131072, 1 << 20}
	m, runs := measured(p2, sizes, few, 12, func(function string, size int64, run int) []protocol.Sample {
		ns := planted(function, size)
		ns += int64(run) * ns / 1000
		return []protocol.Sample{{NS: ns}, {NS: ns + 1}, {NS: ns + 2}}
	})
	m.Created = "2026-11-22T03:00:00Z"
	a := must.Get(analyze.Analyze(m, runs, config()))(t)
	before := synthetic(t, p2, sizes, few, 12, config(), func(string, int64) int64 { return 5000 })
	before.Created, before.Library.Version = "2026-11-21T03:00:00Z", "MPICH \x1b[2J4.0.2"
	for i := range before.Verdicts {
		v := &before.Verdicts[i]
		set := func(verdict judge.Verdict, ratio float64) {
			lo, hi := 0.98*ratio, 1.02*ratio
			v.Verdict, v.Ratio, v.RatioLo95, v.RatioHi95 = verdict, &ratio, &lo, &hi
		}
		switch {
		case v.Guideline == "GL14" && v.Msize == 65536:
			set(judge.Violated, 1.5)
		case v.Guideline == "GL14" && v.Msize == 1<<20:
			set(judge.Violated, 2.9)
		case v.Guideline == "GL8" && v.Msize == 1:
			set(judge.Violated, 1.2)
		case v.Guideline == "GL8" && v.Msize == 1<<20:
			set(judge.Kept, 2.98)
		case v.Guideline == "GL5" && v.Msize == 1024:
			set(judge.Suspected, 1.3)
		}
	}
	g := &series.Baselines{GateConfig: series.GateConfig{Baseline: []string{"nights"}, FailOn: series.FailOnTimes}, Nights: []*series.Check{series.CheckOf(before, "nights/2026-11-21")},
		Times: []*series.Comparison{shown.Comparison()}, Notes: []string{"left out: nights/2026-11-20/report.json: it is damaged: verdicts: unexpected EOF"},
		Expect: []series.Expectation{{Guideline: "GL14", Function: "MPI_Reduce", Msizes: guidelines.MsizeList{"128Ki"}, Reason: "known since 2026-10-01", Ticket: "HPC-12"},
			{Guideline: "GL5", Function: "MPI_Allgather", Msizes: guidelines.MsizeList{"1Mi"}}, {Guideline: "GL9"}}}
	return must.Get(series.Hold(a, g))(t)
}

func TestAGateBeginsTheReportWithItsAlarms(t *testing.T) {
	r := gated(t)
	out := text(t, "table", r)
	should.Hold(t, strings.HasPrefix(out, "ALARM: ") && r.Exit == 1, "exit %d\n%.500s", r.Exit, out)
	for _, want := range []analyze.GateState{analyze.New, analyze.Worse, analyze.Known, analyze.Expected, analyze.Xpass, analyze.Gone, analyze.FirstShown, analyze.Unsure} {
		should.Hold(t, r.Gate.ByState[want] != 0, "nothing is %s: %v", want, r.Gate.ByState)
	}
}

func TestANightThatCouldNotBeJudgedIsNotGreen(t *testing.T) {
	r := synthetic(t, []guidelines.Shape{{NP: 2}}, []int64{1, 1024}, few, 12, config(), func(string, int64) int64 { return 5000 })
	r.Gate = &analyze.Gate{NotJudged: []string{"p2"}}
	if out := text(t, "table", r); !strings.HasPrefix(out, "NOT JUDGED: on p2 the machine was in a state that no baseline has") {
		t.Errorf("%.300s", out)
	}
	if out := text(t, "junit", r); strings.Count(out, "<skipped") != len(r.Verdicts) {
		t.Errorf("%d tests\n%.900s", len(r.Verdicts), out)
	}
	r.Gate = &analyze.Gate{First: true}
	if out := text(t, "table", r); !strings.HasPrefix(out, "First night: nothing to hold it against") {
		t.Errorf("%.300s", out)
	}
}

func TestWithoutAlarmsTheReportSaysSoFirst(t *testing.T) {
	r := synthetic(t, []guidelines.Shape{{NP: 2}}, []int64{1, 1024}, few, 12, config(), func(string, int64) int64 { return 5000 })
	r.Gate = &analyze.Gate{}
	out := text(t, "table", r)
	should.Hold(t, strings.HasPrefix(out, "No alarm: nothing is newly wrong.\nMPICH") && !strings.Contains(out, "Held against"), "%.300s", out)
}
