package which

import (
	"testing"

	"pgmpi/analyze"
	"pgmpi/measure/protocol"
	"pgmpi/testkit/documents"
)

func TestTheDocumentOwesNothing(t *testing.T) {
	documents.Check(t, func() map[string]documents.Example {
		return map[string]documents.Example{"which": documents.Of(kind, choices())}
	})
}

func choices() *analyze.Which {
	w := &analyze.Which{Schema: analyze.WhichSchema, Library: "Open MPI v4.1.4"}
	for i, names := range [][]string{{"binomial"}, {"binomial"}, {"pipeline+128Ki"}, {"chain", "knomial"}, nil} {
		r := analyze.WhichRow{Collective: "MPI_Bcast", Shape: "p8", Msize: 8 << (5 * i), Algorithms: names, By: fromMessages, Sent: protocol.Messages{Calls: 1, Count: 7, Bytes: 56 << (5 * i)}}
		if names == nil {
			r.Why = "none of its own algorithms sends the same messages"
		}
		w.Rows = append(w.Rows, r)
	}
	w.Rows = append(w.Rows, analyze.WhichRow{Collective: "MPI_Barrier", Shape: "p8", Algorithms: []string{"tree"}, By: fromMessages, Sent: protocol.Messages{Calls: 1, Count: 14}})
	w.LeftOut("on p8 1 call whose buffers take more than 1 GiB in all")
	return w
}
