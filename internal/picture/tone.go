package picture

// Tone is what a terminal says by a colour beside the words.
type Tone int

const (
	Plain    Tone = iota
	Slow          // violated
	Possible      // what could be
	Open          // undecided
)
