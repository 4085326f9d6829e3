package guidelines

import (
	"testing"

	"pgmpi/mockups"
	"pgmpi/testkit/should"
)

// Shapes of nodes are compared where each node has as many processes.
func TestShapesOfOtherKindsAreNotCompared(t *testing.T) {
	shape := func(nodes, ppn int) Shape {
		return Shape{NP: nodes * ppn, Nodes: nodes, PPN: ppn}
	}
	p2, p4, p8 := Shape{NP: 2}, Shape{NP: 4}, Shape{NP: 8}
	all := []Shape{p2, p4, p8, shape(2, 2), shape(4, 2), shape(2, 8)}
	for s, want := range map[Shape]Shape{p2: p4, p4: p8, shape(2, 2): shape(4, 2)} {
		next, ok := nextLarger(s, all)
		should.Hold(t, ok && next == want, "%s: %s", s, next)
	}
	for _, s := range []Shape{p8, shape(4, 2), shape(2, 8)} {
		_, ok := nextLarger(s, all)
		should.Hold(t, !ok, "%s", s)
	}
}

// Mock-ups and own algorithms are not held against themselves on more processes.
func TestCollectivesAloneAreHeldAgainstMoreProcesses(t *testing.T) {
	s := settings("GL8", "GL1:MPI_Reduce")
	s.Shapes = []Shape{{NP: 2}, {NP: 4}}
	p := build(t, s)
	pairs := p.Across()
	for _, pair := range pairs {
		few, more := p.Cases[pair[0]], p.Cases[pair[1]]
		should.Hold(t, few.Shape.NP == 2 && more.Shape.NP == 4 && few.Function == more.Function && few.Msize == more.Msize && mockups.Collective(few.Function) == few.Function, "%v, %v", few, more)
	}
	should.Hold(t, len(pairs) > 0 && 4*len(pairs) <= 2*len(p.Cases), "%d pairs of %d cases", len(pairs), len(p.Cases))
}
