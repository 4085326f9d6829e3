package remedy

import (
	"fmt"
	"strings"
	"testing"

	"pgmpi/analyze/medians"
	"pgmpi/internal/tuning"
	"pgmpi/testkit/documents"
	"pgmpi/testkit/should"
)

func TestTheScreenIsShortAndSaysHowToUseIt(t *testing.T) {
	r := &Result{Library: "Open MPI v4.1.4", Check: "out", Folder: "out/remedy", Mpiruns: 20, Env: map[string]string{"A": "1"},
		Cells: []Cell{{Cell: medians.Cell{Function: "MPI_Scan", Msize: 8, Shape: "p2"}, State: CellMended, Guidelines: []string{"GL16"}}}}
	for i := range 9 {
		r.Rejected = append(r.Rejected, tuning.Rejected{Label: fmt.Sprint("choice ", i), Reason: "harms Bcast"})
	}
	d := kind.Document(r)
	brief := documents.Written(t, "table", d.Brief())
	should.Hold(t, strings.HasPrefix(brief, "MENDED: 1 violated cell") && !strings.Contains(brief, "gain: how many"), "%s", brief)
	should.Contain(t, brief, "choice 4", "4 more with --full.")
	should.Contain(t, documents.Written(t, "table", d), "choice 8", "gain: how many", ". out/remedy/env.sh")
	should.Equal(t, strings.Join(d.Ended(0, "", "out", "out/remedy"), "\n"),
		"Exit 0\nUse it:   . out/remedy/env.sh\nCheck it: pgmpi check --guidelines out/remedy/gl.toml\nAll:      cat out/remedy/README\nout/remedy")
}
