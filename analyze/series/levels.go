package series

const LevelsSchema = "pgmpi-levels/1"

// Factor is what set-ups differ in: its name, and what the user calls its levels. Without a name there is none.
type Factor struct {
	Name   string   `json:"factor"`
	Levels []string `json:"levels"`
}

// Levels are the set-ups of one factor, each compared with the first.
type Levels struct {
	Schema string `json:"schema"` // LevelsSchema
	Factor
	Comparisons []*Comparison `json:"comparisons"` // of the second level on; their M is of all together
}
