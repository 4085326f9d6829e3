package report

import (
	"slices"
	"strings"
	"testing"

	"pgmpi/analyze"
	"pgmpi/analyze/judge"
	"pgmpi/analyze/medians"
	"pgmpi/analyze/report/check"
	"pgmpi/guidelines"
	"pgmpi/internal/document"
	"pgmpi/internal/phrase"
	"pgmpi/testkit/fixture"
	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

// hostileReport has that text wherever a library, a host, a user or a folder has a say.
func hostileReport(t *testing.T) *analyze.Report {
	t.Helper()
	r := synthetic(t, []guidelines.Shape{{NP: 2}}, []int64{1, 1024, 65536}, few, 12, config(), planted)
	r.Library.Version, r.Host, r.Folder, r.Version = fixture.Hostile, fixture.Hostile, fixture.Hostile, fixture.Hostile
	r.Created = "2026-01-02T03:04:05+01:00"
	r.Gate = &analyze.Gate{Alarms: 2, Notes: []string{fixture.Hostile}}
	r.Shapes[0].Name = fixture.Hostile
	for i := range r.Summary {
		r.Summary[i].Shape = fixture.Hostile
	}
	for i := range r.Guidelines {
		r.Guidelines[i].Guideline += fixture.Hostile
		r.Guidelines[i].Formula += fixture.Hostile
	}
	for i := range r.Verdicts {
		v := &r.Verdicts[i]
		v.Shape = fixture.Hostile
		v.Guideline += fixture.Hostile
		v.Mockup += fixture.Hostile
		v.Reason = fixture.Hostile
		if v.Verdict == judge.Violated {
			v.Gated = &analyze.Gated{State: analyze.New, Alarm: true, StateReason: fixture.Hostile, Ticket: fixture.Hostile}
		}
	}
	for i := range r.Measured.Cases {
		r.Measured.Cases[i].Function += fixture.Hostile
		r.Measured.Cases[i].Shape = fixture.Hostile
	}
	r.Probes = []analyze.Probes{{Shape: fixture.Hostile, Speed: medians.Speed{LineNS: 100}}}
	r.Notes = []string{fixture.Hostile}
	return r
}

// everyTest has all guidelines violated at 21 sizes on two shapes.
func everyTest(t *testing.T) *analyze.Report {
	t.Helper()
	shapes := []guidelines.Shape{{NP: 2, Nodes: 2, PPN: 1}, {NP: 2, Nodes: 1, PPN: 2}}
	check := guidelines.Default()
	check.Guidelines = []string{"all"}
	p := must.Get(guidelines.Build(guidelines.Settings{Check: check, Msizes: []string{"1..1Mi"}, Datatype: "byte", Op: "auto", Shapes: shapes}))(t)
	r := &analyze.Report{R: 24, Library: analyze.Library{Version: "Open MPI v4.1.4"}}
	seconds := 12.345e-6
	for _, s := range shapes {
		r.Shapes = append(r.Shapes, analyze.Shape{Name: s.String(), Shape: s})
		for _, typ := range []guidelines.Type{guidelines.Monotony, guidelines.Split, guidelines.Pattern} {
			r.Summary = append(r.Summary, analyze.SummaryRow{Shape: s.String(), Type: typ})
		}
	}
	for _, k := range p.Tests {
		r.Verdicts = append(r.Verdicts, analyze.Verdict{Guideline: k.Guideline, Type: k.Type, Function: k.Function, Mockup: k.Mockup, Msize: k.Msize,
			Shape: k.Shape.String(), NP: k.Shape.NP, MedianS: &seconds, OtherMedianS: &seconds,
			Tested: analyze.Tested{Effect: analyze.Effect{Ratio: &seconds, RatioLo95: &seconds, RatioHi95: &seconds}, PAdjusted: &seconds}, Verdict: judge.Violated, Reason: strings.Repeat("reason ", 10)})
	}
	for _, k := range p.Cases {
		c := medians.CaseMedians{Cell: medians.CellOf(k), NP: k.Shape.NP, MedianNS: seconds * 1e9}
		for run := range r.R {
			c.Runs = append(c.Runs, medians.RunMedian{Run: run + 1, NS: seconds*1e9 + float64(run), Samples: 28})
		}
		r.Measured.Cases = append(r.Measured.Cases, c)
	}
	return r
}

func TestEveryPlannedTestIsOneOutcomeWithANameOfItsOwn(t *testing.T) {
	r := everyTest(t)
	seen := map[string]bool{}
	for _, s := range check.Reports.Document(r).Outcomes.Suites {
		for _, o := range s.Outcomes {
			name := o.Class + " " + o.Name
			should.Hold(t, !seen[name] && o.Result == document.Failed, "%s is there twice, or did not fail", name)
			seen[name] = true
		}
	}
	should.Hold(t, len(seen) == len(r.Verdicts) && len(seen) >= 1900, "%d outcomes of %d tests", len(seen), len(r.Verdicts))
	should.Hold(t, seen["pgmpi.1x2.GL16.MPI_Scan 262144 B"], "no pgmpi.1x2.GL16.MPI_Scan 262144 B")
}

func TestOnlyAlarmsFailWhereThereIsAGate(t *testing.T) {
	gated := func(state analyze.GateState, alarm bool) *analyze.Gated {
		return &analyze.Gated{State: state, Alarm: alarm, StateReason: "because", Ticket: "#7"}
	}
	all := map[judge.Verdict]document.Result{judge.Violated: document.Failed, judge.Marginal: document.Passed, judge.Kept: document.Passed, judge.Undecided: document.Skipped,
		judge.Suspected: document.Skipped, judge.NotSuspected: document.Skipped, judge.NotMeasured: document.Skipped, judge.Wrong: document.Errored}
	for verdict, want := range all {
		got, why := check.ResultOf(&analyze.Report{}, &analyze.Verdict{Verdict: verdict})
		should.Hold(t, got == want && why == string(verdict), "no gate, %s: %d (%s), want %d", verdict, got, why, want)
	}
	for _, c := range []struct {
		verdict judge.Verdict
		gated   *analyze.Gated
		want    document.Result
		why     string
	}{
		{judge.Violated, nil, document.Skipped, "violated"},
		{judge.Violated, gated(analyze.New, true), document.Failed, "new"},
		{judge.Violated, gated(analyze.Worse, true), document.Failed, "worse"},
		{judge.Violated, gated(analyze.Expired, true), document.Failed, "expired"},
		{judge.Kept, gated(analyze.Xpass, true), document.Failed, "xpass"},
		{judge.Kept, gated(analyze.Xpass, false), document.Passed, "xpass"},
		{judge.Kept, gated(analyze.Gone, false), document.Passed, "gone"},
		{judge.Violated, gated(analyze.Known, false), document.Skipped, "known"},
		{judge.Violated, gated(analyze.Expected, false), document.Skipped, "expected"},
		{judge.Violated, gated(analyze.FirstShown, false), document.Skipped, "shown_first"},
		{judge.Violated, gated(analyze.Unsure, false), document.Skipped, "unsure"},
		{judge.Undecided, nil, document.Skipped, "undecided"},
		{judge.Wrong, gated(analyze.Known, false), document.Errored, "wrong"},
	} {
		v := &analyze.Verdict{Verdict: c.verdict, Gated: c.gated}
		got, why := check.ResultOf(&analyze.Report{Gate: &analyze.Gate{}}, v)
		should.Hold(t, got == c.want && why == c.why, "%s, %+v: %d (%s), want %d (%s)", c.verdict, c.gated, got, why, c.want, c.why)
		text := check.Sentence(v, why)
		should.Hold(t, c.gated == nil || text == phrase.Words(c.why)+"; because (#7)", "%q", text)
	}
}

func TestRunTimesThatAreAlarmsFailInASuiteOfTheirOwn(t *testing.T) {
	before, now, ratio := 1e-6, 2e-6, 2.
	r := &analyze.Report{Shapes: []analyze.Shape{{Name: "p2"}, {Name: "p4"}}, Gate: &analyze.Gate{Slower: []analyze.SlowerCase{
		{Cell: medians.Cell{Function: "MPI_Bcast", Msize: 1024, Shape: "p4"}, BeforeS: &before, NowS: &now, Ratio: &ratio, Baseline: "monday"}}}}
	suites := check.ReportOutcomes(r).Suites
	must.Hold(t, len(suites) == 1 && suites[0].Name == "p4.times" && len(suites[0].Outcomes) == 1, "%+v", suites)
	o := suites[0].Outcomes[0]
	should.Hold(t, o.Class+" "+o.Name == "pgmpi.p4.times.MPI_Bcast 1024 B" && o.Result == document.Failed && o.Title == "Bcast 1 KiB, p4: takes 2.00× as long as before" && o.Text == "slower: MPI_Bcast at 1 KiB on p4 takes 2.00 µs instead of 1.00 µs in monday",
		"%+v", o)
}

func TestAFailureSaysWhatIsSlowerThanWhat(t *testing.T) {
	r := synthetic(t, []guidelines.Shape{{NP: 2}}, []int64{1, 1024, 65536}, few, 12, config(), planted)
	var got []string
	for _, s := range check.Reports.Document(r).Outcomes.Suites {
		for _, o := range s.Outcomes {
			if o.Result != document.Passed {
				got = append(got, s.Name+" | "+o.Title+" | "+o.Text)
			}
		}
	}
	for _, want := range []string{
		"p2.pattern | Reduce 64 KiB, p2: 3.00× slower than Allreduce | violated: MPI_Reduce at 64 KiB on p2 takes 399 µs, 3.00× [3.00, 3.00] as long as Allreduce (133 µs)",
		"p2.split | Reduce 64 KiB, p2: suspected | suspected: MPI_Reduce at 64 KiB on p2 takes 399 µs, 2.03× as long as 64 calls of 1 KiB (196 µs)",
	} {
		should.Hold(t, slices.Contains(got, want), "no %q in\n%s", want, strings.Join(got, "\n"))
	}
}

func TestEveryTextOfAnOutcomeIsOneVisibleLine(t *testing.T) {
	out := check.Reports.Document(hostileReport(t)).Outcomes
	texts := []string{out.Host}
	for _, l := range out.Facts {
		texts = append(texts, l.Value)
	}
	for _, s := range out.Suites {
		texts = append(texts, s.Name)
		for _, o := range s.Outcomes {
			texts = append(texts, o.Class, o.Name, o.Title, o.Text)
			for _, l := range o.Details {
				texts = append(texts, l.Value)
			}
		}
	}
	for _, text := range texts {
		should.Equal(t, text, document.OneLine(text))
	}
}
