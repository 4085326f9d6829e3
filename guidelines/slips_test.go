package guidelines

import (
	"slices"
	"testing"

	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

func TestWhatChangesNothingOfASelectionIsANote(t *testing.T) {
	p, err := Build(Settings{
		Check:  Config{Guidelines: []string{"GL8", "GL1..GL3", "GL8", "GL8"}, Exclude: []string{"GL22", "GL2", "GL22"}, Functions: []string{"MPI_Reduce", "MPI_Reduce", "MPI_Gather"}},
		Users:  []User{{ID: "mine", Monotony: "MPI_Reduce", Msizes: MsizeList{"64", "64"}}},
		Msizes: []string{"8", "1024", "1Ki", "1..64", "8"}, Datatype: "byte", Op: "auto", Shapes: []Shape{{NP: 2}},
	})
	must.Do(t, err)
	want := []string{
		"check.guidelines: GL8 is given twice.",
		"check.exclude: GL22 is given twice.",
		"check.functions: MPI_Reduce is given twice.",
		"job.msizes: 1Ki is given twice.",
		"job.msizes: 8 is given twice.",
		"msizes of guideline mine: 64 is given twice.",
		"check.exclude: GL22 leaves nothing out, since nothing else selects it.",
	}
	for _, w := range want {
		should.Hold(t, slices.Contains(p.Notes, w), "no note %q in %q", w, p.Notes)
	}
	clean, err := Build(Settings{Check: Default(), Msizes: []string{"1..1Mi"}, Datatype: "byte", Op: "auto", Shapes: []Shape{{NP: 2}}})
	should.Hold(t, err == nil && len(clean.Notes) == 0, "%v %v", err, clean.Notes)
}
