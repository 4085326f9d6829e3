package guidelines

import "pgmpi/mockups"

// Across returns pairs of indices into Cases: a collective that is called as usual on a shape, and on the next larger one.
func (p *Plan) Across() (pairs [][2]int) {
	at := map[Case]int{}
	for i, c := range p.Cases {
		at[c] = i
	}
	for i, c := range p.Cases {
		f, _ := mockups.Get(c.Function)
		larger, ok := nextLarger(c.Shape, p.Shapes)
		if !ok || c.Variant != "" || !f.IsCollective() {
			continue
		}
		c.Shape = larger
		if other, measured := at[c]; measured {
			pairs = append(pairs, [2]int{i, other})
		}
	}
	return pairs
}

// nextLarger returns the smallest shape with more processes that is of the same kind: without nodes, or of as many
// processes on each node.
func nextLarger(s Shape, shapes []Shape) (next Shape, ok bool) {
	for _, t := range shapes {
		if t.NP > s.NP && t.PPN == s.PPN && (t.Nodes == 0) == (s.Nodes == 0) && (!ok || t.NP < next.NP) {
			next, ok = t, true
		}
	}
	return next, ok
}
