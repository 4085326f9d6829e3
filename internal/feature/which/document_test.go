package which

import (
	"testing"

	"pgmpi/analyze/chosen"
	"pgmpi/analyze/report"
	"pgmpi/measure/protocol"
	"pgmpi/testkit/documents"
	"pgmpi/testkit/should"
)

func TestTheDocumentOwesNothing(t *testing.T) {
	documents.Check(t, func() map[string]documents.Example {
		return map[string]documents.Example{"which": documents.Of(kind, choices())}
	})
}

// A library of tomorrow may tell its algorithms in a way that is not understood, or choose them in another way.
func TestCallsWithoutAKnownAlgorithmAreCountedAndExplained(t *testing.T) {
	c := &choosing{Which: &chosen.Which{}}
	known := protocol.Algorithms{Collective: "MPI_Bcast", Variable: "a", Names: []protocol.Algorithm{{Name: "binomial", Value: 1}}}
	list := &report.Algorithms{Collectives: []protocol.Algorithms{known, {Collective: "MPI_Scan", Variable: "b"}, {Collective: "MPI_Gatherv"}}}
	should.Equal(t, len(c.withoutVariable(list.Collectives)), 2)
	should.Contain(t, c.Left[0], "MPI_Gatherv: no variable that chooses their algorithms is known")
	c.Rows = []chosen.WhichRow{{Collective: "MPI_Bcast", Shape: "p4", Algorithms: []string{"binomial"}}, {Collective: "MPI_Bcast", Shape: "p4"}, {Collective: "MPI_Scan", Shape: "p4"}}
	explainUnnamed(c.Rows, list.Unknown())
	should.Equal(t, c.Rows[2].Why, "its own algorithms are not known for this version of the library")
	should.Contain(t, c.Rows[1].Why, "none of its own algorithms sends")
	should.Contain(t, documents.Written(t, "table", kind.Document(c.Which)), "algorithm of 1 of 3 calls is known; 2 not known")
}

// Under Open MPI 5's han all nine algorithms of Bcast would be han, nine times.
func TestAlgorithmsThatAllSendTheSameAreNotNamed(t *testing.T) {
	var forced []protocol.JobCase
	names := []string{"basic_linear", "chain", "pipeline", "binomial"}
	for _, name := range names {
		forced = append(forced, protocol.JobCase{Function: "MPI_Bcast@" + name, Msize: 64})
	}
	for np, named := range map[int]int{2: 4, 4: 0} { // two processes have one way to send
		rows := []chosen.WhichRow{{Collective: "MPI_Bcast", Msize: 64, Algorithms: names}, {Collective: "MPI_Bcast", Msize: 8, Algorithms: names[:3]}}
		unforced(rows, forced, np)
		should.Hold(t, len(rows[0].Algorithms) == named && (rows[0].Why == "") == (named > 0) && len(rows[1].Algorithms) == 3, "p = %d: %+v", np, rows)
	}
}

func choices() *chosen.Which {
	w := &chosen.Which{Schema: chosen.WhichSchema, Library: "Open MPI v4.1.4"}
	for i, names := range [][]string{{"binomial"}, {"binomial"}, {"pipeline+128Ki"}, {"chain", "knomial"}, nil} {
		r := chosen.WhichRow{Collective: "MPI_Bcast", Shape: "p8", Msize: 8 << (5 * i), Algorithms: names, By: fromMessages, Sent: protocol.Messages{Calls: 1, Count: 7, Bytes: 56 << (5 * i)}}
		if names == nil {
			r.Why = "none of its own algorithms sends the same messages"
		}
		w.Rows = append(w.Rows, r)
	}
	w.Rows = append(w.Rows, chosen.WhichRow{Collective: "MPI_Barrier", Shape: "p8", Algorithms: []string{"tree"}, By: fromMessages, Sent: protocol.Messages{Calls: 1, Count: 14}})
	w.LeftOut("on p8 1 call whose buffers take more than 1 GiB in all")
	return w
}
