package remedy

import (
	"fmt"
	"strings"
	"testing"

	"pgmpi/analyze/medians"
	"pgmpi/analyze/series"
	"pgmpi/internal/tuning"
	"pgmpi/testkit/documents"
	"pgmpi/testkit/should"
)

func TestAnswersBeginWithAWordAndATradeHasBothNumbers(t *testing.T) {
	cell := medians.Cell{Function: "MPI_Scan", Msize: 1 << 20, Shape: "p2"}
	ratio := func(x float64) *float64 { return &x }
	trade := Trade{Label: tuning.Environment, Folder: "trade-1", Mends: []Traded{{cell, 2, ratio(2.05), ratio(1.9), ratio(2.2)}},
		Harms: []Traded{{medians.Cell{Function: "MPI_Bcast", Msize: 1024, Shape: "p2"}, 2, ratio(1.1), ratio(1.06), ratio(1.2)}}}
	for want, r := range map[string]*Result{
		"MENDED: 1 violated cell":                      {Env: map[string]string{"A": "1"}, Cells: []Cell{{Cell: cell, State: CellMended}}},
		"FASTER, NOT SHOWN TO BE MENDED: 1 violated":   {Env: map[string]string{"A": "1"}, Cells: []Cell{{Cell: cell, State: CellFaster}}},
		"TRADE for 1 violated cell, unset: malloc's":   {Trades: []Trade{trade}, Cells: []Cell{{Cell: cell, State: CellTakenBack}}},
		"NOT SHOWN for 1 violated cell: nothing that ": {Cells: []Cell{{Cell: cell, State: CellUndecided}}},
	} {
		text := documents.Written(t, "table", kind.Document(r))
		should.Hold(t, strings.HasPrefix(text, want), "%s: %s", want, text)
		should.Equal(t, strings.Contains(text, "2.05×") && strings.Contains(text, "1.10×") && strings.Contains(text, "trade-1/env.sh"), len(r.Trades) > 0, want)
	}
	both := &Result{Env: map[string]string{"A": "1"}, Cells: []Cell{{Cell: cell, State: CellMended}}, Trades: []Trade{trade}}
	should.Contain(t, documents.Written(t, "table", kind.Document(both)), "A trade, unset: malloc's variables: 1 cell faster (2.05×), and 1 case slower (1.10×).")
}

func TestASettingThatTakesLongerToSetUpSaysSo(t *testing.T) {
	r := &Result{Harm: 1.05, Env: map[string]string{"A": "1"}, Cells: []Cell{{Cell: medians.Cell{Function: "MPI_Bcast", Msize: 8, Shape: "p2"}, State: CellMended}},
		Proofs: []Proof{{Holds: true}, {Holds: true, Reached: 2, Harmless: 2, SetUp: &series.SetUp{Shape: "p2", S: .0263, Lo: .025, Hi: .027}}, {}}}
	should.Contain(t, documents.Written(t, "table", kind.Document(r)), "No harm is shown to calls. Harm of 1.05", "With it, each run takes 26.3 ms longer to set up.")
	r.Proofs[1].SetUp = nil
	should.Contain(t, documents.Written(t, "table", kind.Document(r)), "No harm is shown. Harm of 1.05")
}

func TestTheScreenIsShortAndSaysHowToUseIt(t *testing.T) {
	r := &Result{Library: "Open MPI v4.1.4", Check: "out", Folder: "out/remedy", Mpiruns: 20, Env: map[string]string{"A": "1"},
		Cells: []Cell{{Cell: medians.Cell{Function: "MPI_Scan", Msize: 8, Shape: "p2"}, State: CellMended, Guidelines: []string{"GL16"}}}}
	for i := range 9 {
		r.Rejected = append(r.Rejected, tuning.Rejected{Label: fmt.Sprint("choice ", i), Reason: "harms Bcast"})
	}
	d := kind.Document(r)
	brief := documents.Written(t, "table", d.Brief())
	should.Hold(t, strings.HasPrefix(brief, "MENDED: 1 violated cell") && !strings.Contains(brief, "faster by: how many"), "%s", brief)
	should.Contain(t, brief, "choice 4", "4 more with --full.")
	should.Contain(t, documents.Written(t, "table", d), "choice 8", "faster by: how many", ". out/remedy/env.sh")
	should.Equal(t, strings.Join(d.Ended(0, "", "out", "out/remedy"), "\n"),
		"Exit 0\nUse it:   . out/remedy/env.sh\nCheck it: pgmpi check --guidelines out/remedy/gl.toml\nAll:      cat out/remedy/README\nout/remedy")
}
