package selector

import (
	"slices"
	"strings"
	"testing"

	"pgmpi/analyze"
	"pgmpi/analyze/judge"
	"pgmpi/guidelines"
	"pgmpi/testkit/fixture"
	"pgmpi/testkit/should"
)

func TestSelectorsNameTests(t *testing.T) {
	plan := &fixture.Manifest().Plan
	p4 := plan.Tests[2]
	p4.Shape = guidelines.Shape{NP: 4, Nodes: 2, PPN: 2}
	barrier := guidelines.Test{Guideline: "GL29", Type: guidelines.Pattern, Function: "MPI_Barrier", Shape: fixture.P2, Others: []int{0}}
	plan.Tests = append(plan.Tests, p4, barrier)
	for selector, want := range map[string][]int{
		"GL8:8":              {2, 6},
		"GL8:64B":            {3},
		"gl8:reduce:8:p2":    {2},
		"GL8:8:2x2":          {6},
		"GL1:MPI_Reduce:8":   {0},
		"GL29:0":             {7},
		"GL29:MPI_Barrier:0": {7},
		"Barrier 0 B":        {7},
		"GL8 Reduce 64 B":    {3},
		"8":                  {0, 2, 4, 6},
	} {
		got, err := Select(plan, selector)
		should.Hold(t, err == nil && slices.Equal(got.Tests, want) && !got.Violated, "%s: %v, %v, want %v", selector, got, err, want)
	}
}

func TestWithoutASizeWhatIsViolatedIsSelected(t *testing.T) {
	plan := &fixture.Manifest().Plan
	r := &analyze.Report{Verdicts: make([]analyze.Verdict, len(plan.Tests))}
	for i := range r.Verdicts {
		r.Verdicts[i].Verdict = judge.Kept
	}
	r.Verdicts[0].Verdict, r.Verdicts[3].Verdict = judge.Violated, judge.Violated
	for selector, want := range map[string][]int{
		"violated": {0, 3}, "GL8": {3}, "gl1": {0}, "Reduce": {0, 3}, "MPI_Reduce": {0, 3}, "GL14": {}, "GL8:": {3},
		"GL8:MPI_Reduce": {3}, "Violated GL8 p2": {3}, "violated:8": {0}, "GL8:8": {2},
	} {
		got, err := Select(plan, selector)
		should.Hold(t, err == nil && slices.Equal(got.Of(r), want), "%s: %v, %v, want %v", selector, got.Of(r), err, want)
	}
}

func TestSizesAreSelectedAsReportsPrintThem(t *testing.T) {
	plan := &fixture.Manifest().Plan
	plan.Tests = slices.Clone(plan.Tests)
	plan.Tests[3].Msize = 256 << 10
	for _, size := range []string{"256Ki", "256 KiB", "256KiB", "256K", "256k", "262144", "262144 B"} {
		got, err := Select(plan, "GL8:"+size)
		should.Hold(t, err == nil && slices.Equal(got.Tests, []int{3}), "%s: %v, %v", size, got, err)
	}
}

func TestSelectorsOfNothingSayWhatThereIs(t *testing.T) {
	plan := &fixture.Manifest().Plan
	for selector, want := range map[string]string{
		"GL9:8":            "there are: GL1, MPI_Reduce, GL2, GL8, GL14",
		"GL41:8":           "did you mean GL1?",
		"GL8:8Q":           "no size in bytes",
		"GL8:32":           "the nearest size is 8); there are: 8, 64",
		"GL8:9223372036Gi": "too large",
		"GL8:Bcast:8":      "there are: MPI_Reduce",
		"GL8:Redce:8":      "did you mean MPI_Reduce?",
		"GL8:8:p4":         `no shape "p4" was tested (did you mean p2?); there are: p2`,
		"GL8:8:8:8":        "GUIDELINE[:FUNCTION]:MSIZE[:SHAPE]",
		"":                 "empty",
		" : ":              "empty",
		"Redcue":           `no guideline or function "Redcue" was tested (did you mean MPI_Reduce?)`,
		"GL1:GL8":          `no function of GL1 "GL8"`,
		"GL8:0":            "the nearest size is 8",
		"GL8:60":           "GL8 was not tested at 60 B (the nearest size is 64); there are: 8, 64",
		"GL9:8:p4":         `no guideline or function "GL9"`,
		"GL8:8Q:p2":        "no size in bytes",
		"8Q:p2":            "anything: ",
		"Reduce:32":        "Reduce was not tested at 32 B",
	} {
		got, err := Select(plan, selector)
		should.Fail(t, err, want, "%q: %v", selector, got)
	}
}

func TestCasesAreFoundByTheirNames(t *testing.T) {
	m := fixture.Manifest()
	for text, want := range map[string]int{"Reduce:8": 0, "MPI_Reduce:64": 1, "mpi_reduce:64B:p2": 1, "reduce_as_allreduce:8:p2": 2} {
		got, err := SelectCases(&m.Plan, text)
		should.Hold(t, err == nil && got[0] == want, "%s: %d, %v", text, got, err)
	}
	for text, want := range map[string]string{
		"Reduce":       "of the form FUNCTION:MSIZE[:SHAPE]",
		"Reduse:8":     "did you mean MPI_Reduce?",
		"Reduce:9":     "there are: 8, 64",
		"Reduce:8:p4":  "there are: p2",
		"Reduce:lots":  "Reduce: ",
		"Reduse:8:p4":  "did you mean MPI_Reduce?",
		"Reduce:9:p4":  "there are: 8, 64",
		":8":           "of the form",
		"MPI_Bcast:8":  `no function "MPI_Bcast" was tested`,
		"Reduce:8:":    "",
		"Reduce:8:p2":  "",
		"Reduce:8 B  ": "",
	} {
		_, err := SelectCases(&m.Plan, text)
		should.Hold(t, (err == nil) == (want == "") && (err == nil || strings.Contains(err.Error(), want)), "%s: %v, want %q", text, err, want)
	}
}
