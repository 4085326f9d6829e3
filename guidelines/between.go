package guidelines

import (
	"slices"

	"pgmpi/mockups"
)

// Between has pairs of ranks of a shape between which messages are asked of, one of each distance.
type Between struct {
	Shape string   `json:"shape"`
	Pairs [][2]int `json:"pairs"`
}

// between returns a guideline about messages for each pair of a shape, and others as they are.
func (s *selection) between(g Guideline, shape Shape) (out []Guideline) {
	i := slices.IndexFunc(s.pairs, func(b Between) bool { return b.Shape == shape.String() })
	if i < 0 || g.Group != Messages {
		return []Guideline{g}
	}
	for _, pair := range s.pairs[i].Pairs {
		of := g
		of.Function = mockups.Between(g.Function, pair)
		if g.Mockup != "" {
			of.Mockup = mockups.Between(g.Mockup, pair)
		}
		out = append(out, of)
	}
	return out
}

// tests returns the tests of a guideline on a shape, at the sizes and with the elements that are asked for.
func (s *selection) tests(g Guideline, shape Shape) (out []pending) {
	for _, k := range s.on(shape.NP, g) {
		g.Msizes = k.sizes
		out = append(out, testsOf(g, shape, k.elements)...)
	}
	return out
}
