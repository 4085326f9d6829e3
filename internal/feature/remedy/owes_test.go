package remedy

import (
	"testing"

	"pgmpi/analyze/medians"
	"pgmpi/internal/tuning"
	"pgmpi/testkit/documents"
)

// Golden files are left out: what this package's other tests ask of the texts is enough.
func TestForeignTextsStayTextsAndScreensFit(t *testing.T) {
	examples := func() map[string]documents.Example {
		ratio := func(x float64) *float64 { return &x }
		cell := Cell{Cell: medians.Cell{Function: "MPI_Scan", Msize: 1 << 20, Shape: "p2"}, State: CellMended, Guidelines: []string{"GL16"}}
		trade := Trade{Label: tuning.Environment, Folder: "trade-1", Mends: []Traded{{cell.Cell, 2, ratio(2.05), ratio(1.9), ratio(2.2)}}}
		return map[string]documents.Example{
			"remedy": documents.Of(kind, &Result{Library: "Open MPI v4.1.4", Check: "out", Folder: "out/remedy", Mpiruns: 20, Env: map[string]string{"A": "1"},
				Cells: []Cell{cell}, Trades: []Trade{trade}, Rejected: []tuning.Rejected{{Label: "choice", Reason: "harms Bcast"}}}),
			"verify": documents.Of(verified, &Verified{Library: "Open MPI v4.1.4", Folder: "out/remedy", Then: "2026-05-04", Sides: []string{"a", "b"}, Mpiruns: 20,
				Cells: []Cell{cell}, Harms: []Harm{{Text: "harms Bcast"}}, Obsolete: []string{"A"}}),
		}
	}
	for name, e := range examples() {
		e.Fits(t, name)
	}
	for name, e := range documents.Foreign(examples, documents.Hostile) {
		e.Safe(t, name)
	}
}
