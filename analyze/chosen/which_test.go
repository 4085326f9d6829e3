package chosen

import (
	"fmt"
	"strings"
	"testing"

	"pgmpi/measure/protocol"
	"pgmpi/testkit/should"
)

func TestAnAlgorithmChangedOnlyWhereNoneIsInBoth(t *testing.T) {
	row := func(sent int64, names ...string) *WhichRow {
		return &WhichRow{Algorithms: names, Sent: protocol.Messages{Count: sent}}
	}
	bytes := row(3)
	bytes.Sent.Bytes = 8
	for _, c := range []struct {
		a, b *WhichRow
		want bool
	}{
		{row(3, "binomial"), row(3, "binomial"), false},
		{row(3, "binomial"), row(7, "pipeline"), true},
		{row(3, "binomial", "chain"), row(3, "chain", "knomial"), false},
		{row(0, "binomial"), row(0, "ring"), true}, // by the tree
		{row(3, "binomial"), row(4), true},         // none of its own
		{row(3), row(4), false},
		{row(0, "binomial"), row(0), false}, // not known
		{row(4, "binomial"), row(0), false},
		{row(3, "binomial"), row(3), false},
		{row(1, "binomial"), row(3), true},
		{row(3, "binomial"), bytes, true},
	} {
		should.Equal(t, c.a.Differs(c.b), c.want, c.a.Algorithms, c.b.Algorithms)
		should.Equal(t, c.b.Differs(c.a), c.want, c.b.Algorithms, c.a.Algorithms)
	}
}

func TestADefaultIsNamedInWords(t *testing.T) {
	w := &Which{Rows: []WhichRow{{Collective: "MPI_Bcast", Shape: "p8", Msize: 8, Algorithms: []string{"pipeline+128Ki"}},
		{Collective: "MPI_Bcast", Shape: "p8", Msize: 64, Algorithms: []string{"chain+32Ki+fan2", "knomial"}}}}
	for size, want := range map[int64]string{8: "pipeline, 128 KiB segments", 64: "chain, 32 KiB segments, fan-out 2 or knomial", 1024: ""} {
		should.Equal(t, w.Of("MPI_Bcast", "p8", size).Default(), want)
	}
	should.Equal(t, (*Which)(nil).Of("MPI_Bcast", "p8", 8).Default(), "")
	should.Hold(t, w.Of("MPI_Reduce", "p8", 8) == nil && w.Of("MPI_Bcast", "p4", 8) == nil,
		"of another collective, on another shape")
	parts := &WhichRow{Algorithms: []string{"chain+1Ki", "chain+fan1"}}
	should.Equal(t, parts.Default(), "chain, 1 KiB segments or chain, fan-out 1")
	should.Equal(t, w.Rows[1].Name()+"; "+(&WhichRow{Why: "not asked"}).Name(),
		"chain+32Ki+fan2 or knomial; not asked")
	w.LeftOut("MPI_Scan")
	w.LeftOut("MPI_Scan")
	should.Equal(t, w.Left, []string{"MPI_Scan"})
}

func TestAlgorithmsThatCannotBeAreRefused(t *testing.T) {
	row := func(collective, shape string, msize int, algorithm string) string {
		return fmt.Sprintf(`{"schema":"pgmpi-which/1","rows":[{"collective":%q,"shape":%q,"msize":%d,"algorithms":[%q]}]}`, collective, shape, msize, algorithm)
	}
	sent := func(count, bytes int) string {
		return fmt.Sprintf(`{"schema":"pgmpi-which/1","rows":[{"collective":"MPI_Bcast","shape":"p2","sent":{"count":%d,"bytes":%d}}]}`, count, bytes)
	}
	for text, want := range map[string]string{
		sent(0, 0):                      "",
		sent(-1, 8):                     "cannot be",
		sent(1, -1):                     "cannot be",
		row("MPI_Bcast", "p2", -1, "x"): "cannot be",
		row("MPI_Bcast", "p2", 8, strings.Repeat("x", 200)): "",
		row("MPI_Bcast", "p2", 8, strings.Repeat("x", 201)): "no name",
		row("MPI_Bcast", "p2", 8, "pipeline+32Ki"):          "",
		row("MPI_Bcast", "16x2", 0, "MPIR_x y"):             "",
		row("MPI_Bcast", "p2", 8, "a\nb"):                   "no name",
		row("MPI_Bcast", "p2", 8, ""):                       "no name",
		row("MPI_Bcast", "p2", -8, "x"):                     "cannot be",
		row("MPI_Bcast", "p2x", 8, "x"):                     "no shape",
		row("MPI_Send", "p2", 8, "x"):                       "no collective",
		`{"schema":"pgmpi-which/2"}`:                        "schema",
		"{":                                                 "unexpected end",
	} {
		w, err := ReadWhich([]byte(text))
		if want == "" {
			should.Hold(t, err == nil && len(w.Rows) == 1, "%s: %v", text, err)
		} else {
			should.Fail(t, err, want)
		}
	}
}
