package mockups

import (
	"slices"
	"strings"
	"testing"

	"pgmpi/testkit/should"
)

// Every regular collective but Reduce_scatter, which is Reduce_scatter_block with equal parts,
// has both; of Alltoall the authors have none by leaders.
func TestEveryCollectiveCanBeDividedAmongNodes(t *testing.T) {
	for d, without := range map[Decomposition][]string{Lane: {"MPI_Reduce_scatter"}, Hier: {"MPI_Alltoall", "MPI_Reduce_scatter"}} {
		var of []string
		for _, id := range Decomposed(d) {
			f, ok := Get(id)
			should.Hold(t, ok && !f.User && f.Over == d && strings.HasSuffix(id, "_as_"+string(d)) && strings.HasSuffix(f.Formula, onNodes[d]), "%s is %+v", id, f)
			of = append(of, f.Of)
		}
		want := slices.DeleteFunc(Identities(), func(c string) bool { return slices.Contains(without, c) })
		should.Equal(t, of, want, "%s", d)
	}
}
