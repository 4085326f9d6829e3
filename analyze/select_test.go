package analyze

import (
	"slices"
	"strings"
	"testing"

	"pgmpi/guidelines"
)

func TestSelectorsNameTests(t *testing.T) {
	plan := &fixture().Plan
	p4 := plan.Tests[2]
	p4.Shape = guidelines.Shape{NP: 4, Nodes: 2, PPN: 2}
	barrier := guidelines.Test{Guideline: "GL29", Type: guidelines.Pattern, Function: "MPI_Barrier", Shape: p2, Others: []int{0}}
	plan.Tests = append(plan.Tests, p4, barrier)
	for selector, want := range map[string][]int{
		"GL8:8":              {2, 6},
		"GL8:64B":            {3},
		"gl8:reduce:8:p2":    {2},
		"GL8:8:2x2":          {6},
		"GL1:MPI_Reduce:8":   {0},
		"GL29:0":             {7},
		"GL29:MPI_Barrier:0": {7},
	} {
		got, err := Select(plan, selector)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %v, %v, want %v", selector, got, err, want)
		}
	}
}

func TestSelectorsOfNothingSayWhatThereIs(t *testing.T) {
	plan := &fixture().Plan
	for selector, want := range map[string]string{
		"GL9:8":            "there are: GL1, GL2, GL8, GL14",
		"GL41:8":           "did you mean GL1?",
		"GL8":              "a message size is missing; there are: 8, 64",
		"GL8:MPI_Reduce":   "no size in bytes",
		"GL8:32":           "the nearest size is 8); there are: 8, 64",
		"GL8:9223372036Gi": "too large",
		"GL8:Bcast:8":      "there are: MPI_Reduce",
		"GL8:Redce:8":      "did you mean MPI_Reduce?",
		"GL8:8:p4":         `no shape "p4" was tested (did you mean p2?); there are: p2`,
		"GL8:8:8:8":        "GUIDELINE[:FUNCTION]:MSIZE[:SHAPE]",
		"":                 "no guideline",
		"GL8:":             "a message size is missing",
		"GL8:0":            "the nearest size is 8",
	} {
		if got, err := Select(plan, selector); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, %v, want %q", selector, got, err, want)
		}
	}
}
