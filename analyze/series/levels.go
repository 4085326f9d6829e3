package series

const LevelsSchema = "pgmpi-levels/1"

// Factor names what set-ups differ in, and what the user calls its levels. Without a name there is
// no factor.
type Factor struct {
	Name   string   `json:"factor"`
	Levels []string `json:"levels"`
}

// Levels holds the set-ups of one factor, each compared with the first.
type Levels struct {
	Schema string `json:"schema"` // LevelsSchema
	Factor
	Comparisons []*Comparison `json:"comparisons"` // of the second level on; M counts the tests of all together
}
