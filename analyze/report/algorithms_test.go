package report

import (
	"testing"

	"pgmpi/measure/protocol"
	"pgmpi/testkit/documents"
	"pgmpi/testkit/should"
)

// A library of tomorrow may tell its algorithms in a way that is not understood: what is not known is not left out.
func TestListNamesCollectivesWhoseAlgorithmsAreNotKnown(t *testing.T) {
	const words = "Not known for this version of the library: its own algorithms of MPI_Bcast, MPI_Scan."
	a := &Algorithms{Library: "MPICH Version: 9.0", Collectives: []protocol.Algorithms{{Collective: "MPI_Bcast", Variable: "b"}, {Collective: "MPI_Scan", Variable: "s"}, {Collective: "MPI_Gatherv"}}}
	should.Contain(t, documents.Written(t, "markdown", AlgorithmLists.Document(a)), words)
	a.Collectives[2] = protocol.Algorithms{Collective: "MPI_Gatherv", Variable: "g", Names: []protocol.Algorithm{{Name: "linear", Value: 1}}}
	a.Collectives = append(a.Collectives, protocol.Algorithms{Collective: "MPI_Exscan"})
	text := documents.Written(t, "markdown", AlgorithmLists.Document(a))
	should.Contain(t, text, "tells 1 algorithms of its own, of 1 collectives.")
	should.Contain(t, text, words, "No variable is known by which to choose among the algorithms of MPI_Exscan.")
}
