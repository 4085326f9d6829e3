package analyze

import (
	"fmt"
	"testing"

	"pgmpi/internal/fixture/should"
	"pgmpi/measure/protocol"
)

func TestAnAlgorithmChangedOnlyWhereNoneIsInBoth(t *testing.T) {
	row := func(sent int64, names ...string) *WhichRow {
		return &WhichRow{Algorithms: names, Sent: protocol.Messages{Count: sent}}
	}
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
}

func TestAlgorithmsThatCannotBeAreRefused(t *testing.T) {
	row := func(collective, shape string, msize int, algorithm string) string {
		return fmt.Sprintf(`{"schema":"pgmpi-which/1","rows":[{"collective":%q,"shape":%q,"msize":%d,"algorithms":[%q]}]}`, collective, shape, msize, algorithm)
	}
	for text, want := range map[string]string{
		row("MPI_Bcast", "p2", 8, "pipeline+32Ki"): "",
		row("MPI_Bcast", "16x2", 0, "MPIR_x y"):    "",
		row("MPI_Bcast", "p2", 8, "a\nb"):          "no name",
		row("MPI_Bcast", "p2", 8, ""):              "no name",
		row("MPI_Bcast", "p2", -8, "x"):            "cannot be",
		row("MPI_Bcast", "p2x", 8, "x"):            "no shape",
		row("MPI_Send", "p2", 8, "x"):              "no collective",
		`{"schema":"pgmpi-which/2"}`:               "schema",
		"{":                                        "unexpected end",
	} {
		_, err := ReadWhich([]byte(text))
		if want == "" {
			should.Hold(t, err == nil, "%s: %v", text, err)
		} else {
			should.Fail(t, err, want)
		}
	}
}
