package check

import (
	"strings"
	"testing"

	"pgmpi/analyze"
	"pgmpi/analyze/chosen"
	"pgmpi/analyze/judge"
	"pgmpi/guidelines"
	"pgmpi/internal/document"
	"pgmpi/testkit/documents"
	"pgmpi/testkit/should"
)

func TestViolationsAreGroupedByTheFirstCauseThatApplies(t *testing.T) {
	number := func(x float64) *float64 { return &x }
	elsewhere := func(v judge.Verdict) *analyze.Elsewhere { return &analyze.Elsewhere{Alone: analyze.Alone{Verdict: v}} }
	violated := func(change func(v *analyze.Verdict)) *analyze.Verdict {
		v := &analyze.Verdict{Guideline: "GL8", Type: guidelines.Pattern, Function: "MPI_Reduce", Mockup: "reduce_as_allreduce", Msize: 64, MsizeOther: 64, Shape: "p2",
			Verdict: judge.Violated, Tested: analyze.Tested{Effect: analyze.Effect{Ratio: number(2)}}}
		change(v)
		r := analyze.Report{Verdicts: []analyze.Verdict{*v}}
		r.Stand()
		return &r.Verdicts[0]
	}
	split := func(v *analyze.Verdict) { v.Type, v.Mockup, v.MsizeOther, v.K = guidelines.Split, "", 16, 4 }
	which := &chosen.Which{Rows: []chosen.WhichRow{
		{Collective: "MPI_Reduce", Shape: "p2", Msize: 64, Algorithms: []string{"chain"}}, {Collective: "MPI_Reduce", Shape: "p2", Msize: 16, Algorithms: []string{"linear"}}}}
	for _, c := range []struct {
		want   string
		which  *chosen.Which
		change func(v *analyze.Verdict)
	}{
		{"gone when the calls take turns", nil, func(v *analyze.Verdict) {
			v.Alternating, v.OtherMalloc = elsewhere(judge.Kept), elsewhere(judge.Kept)
		}},
		{"page faults, with one state of malloc", nil, func(v *analyze.Verdict) {
			v.Alternating, v.OtherMalloc = elsewhere(judge.Violated), elsewhere(judge.Kept)
		}},
		{"page faults", nil, func(v *analyze.Verdict) {
			v.OtherMalloc, v.PageFaults, v.OtherPageFaults = elsewhere(judge.Violated), number(17), number(16)
		}},
		{"not known", nil, func(v *analyze.Verdict) { v.PageFaults, v.OtherPageFaults = number(16.9), number(16) }},
		{"a switch of algorithm, segment or limit with the size", nil, func(v *analyze.Verdict) {
			split(v)
			v.PageFaults, v.OtherPageFaults = number(17), number(4.1) // of one of four calls
		}},
		{"the clock", nil, func(v *analyze.Verdict) { v.Reason = "it rests on two steps of the clock (40 ns each)" }},
		{"the library's choice of algorithm", nil, func(v *analyze.Verdict) { v.Mockup = "MPI_Reduce@binomial" }},
		{"the library's choice of algorithm at a size", which, split},
		{"not known", which, func(*analyze.Verdict) {}},
		{"a switch of algorithm, segment or limit with the size", &chosen.Which{}, split},
		{"not known", nil, func(*analyze.Verdict) {}},
	} {
		sections := causeSections(&Caused{Report: &analyze.Report{Which: c.which, Shapes: []analyze.Shape{{}}}, Folder: "DIR", Tests: []*analyze.Verdict{violated(c.change)}})
		should.Equal(t, sections[0].Text[0].Text, "1 test violated, by cause: "+c.want+" 1.")
	}
}

// As on the screen of the check, the worst is the size that loses most.
func TestCausesNameTheWorstOfACallAndWhatIsNotViolated(t *testing.T) {
	at := func(size int64, ratio float64, verdict judge.Verdict) *analyze.Verdict {
		return &analyze.Verdict{Guideline: "GL8", Type: guidelines.Pattern, Function: "MPI_Reduce", Mockup: "reduce_as_allreduce", Msize: size, Shape: "p2", Verdict: verdict,
			MedianS: analyze.Number(ratio * float64(size)),
			Tested:  analyze.Tested{Effect: analyze.Effect{Ratio: &ratio, RatioLo95: &ratio, RatioHi95: &ratio}}}
	}
	r := &analyze.Report{Shapes: []analyze.Shape{{}}}
	tests := []*analyze.Verdict{at(8, 1.5, judge.Violated), at(64, 3, judge.Violated), at(1024, 2, judge.Violated), at(4, 1.02, judge.Kept)}
	d := Causes.Document(&Caused{r, "DIR", tests})
	d.Page = document.Page{Width: 120}
	text := strings.Join(strings.Fields(documents.Written(t, "table", d)), " ")
	for _, want := range []string{"3 tests violated, by cause: not known 3.", "`pgmpi which DIR`", "Reduce 8 B – 1 KiB (3) 1 KiB 2.00× [2.00, 2.00] Allreduce [GL8]",
		"pgmpi remedy DIR", "Not violated: 1 - GL8 Reduce 4 B on p2: kept, 1.02×"} {
		should.Hold(t, strings.Contains(text, want), "%q is missing in %s", want, text)
	}
}
