package tuning

import (
	"fmt"
	"slices"
)

// Kind is the kind of a Choice.
type Kind string

const (
	OwnAlgorithm Kind = "algorithm"   // one of the library's own
	ByMockup     Kind = "mockup"      // other collectives in its place
	ByEnv        Kind = "environment" // variables, such as those of malloc
	ByComponent  Kind = "component"   // another part of the library that has collectives
)

// Choice says how a collective is to be done.
type Choice struct {
	Function string `json:"function"` // "MPI_Bcast"; of ByEnv and ByComponent it may be ""
	NP       int    `json:"np"`
	// Sizes are the message sizes (bytes of one block) at which the choice holds, and
	// Measured all those that the collective was measured at: at the others of them it
	// must stay as it is. Both ascend.
	Sizes    []int64 `json:"sizes"`
	Measured []int64 `json:"measured"`
	Kind     Kind    `json:"kind"`
	// Algorithm and its Value are as the library says them; only of OwnAlgorithm.
	Algorithm string            `json:"algorithm,omitempty"`
	Value     int               `json:"value,omitempty"`
	Mockup    string            `json:"mockup,omitempty"`    // id; only of ByMockup
	Component string            `json:"component,omitempty"` // only of ByComponent
	Env       map[string]string `json:"env,omitempty"`       // of ByEnv, and the one variable of ByComponent
}

// Everywhere tells whether a choice holds at all sizes that were measured.
func (c Choice) Everywhere() bool { return slices.Equal(c.Sizes, c.Measured) }

func (c Choice) String() string {
	what := c.Algorithm
	switch c.Kind {
	case ByMockup:
		what = c.Mockup
	case ByEnv:
		what = "environment"
	case ByComponent:
		what = c.Component
	case OwnAlgorithm:
	}
	return fmt.Sprintf("%s on %d processes: %s", c.Function, c.NP, what)
}

// Target is the library and the folder that a setting is written for.
type Target struct {
	Library Library
	Folder  string // where its files will lie, an absolute path: the environment names them
	// Tree is what FindTree returns; only MPICH's
	// JSON needs it, and is refused without.
	Tree *Tree
}

type File struct {
	Name    string // without a folder
	Content []byte
}

// Proof says how a choice is seen to be in effect.
type Proof string

const (
	// ByMessages: the messages inside of the collective are those of the algorithm
	// when it is forced.
	ByMessages Proof = "messages"
	// ByVariable: the library's control variable has the value (MPI_T).
	ByVariable Proof = "variable"
	// ByFile: the library's variable names the file, and the ranks can read it.
	ByFile Proof = "file"
	// ByValue: the library's control variable has the very value (MPI_T).
	ByValue Proof = "value"
	// ByRanks: the environment of the ranks has the variables.
	ByRanks Proof = "environment"
	// Unproved: nothing that runs here shows it.
	Unproved Proof = "none"
)

// Entry is a choice that was written.
type Entry struct {
	Choice Choice `json:"choice"`
	// It applies from the message size From on and below To (bytes of one block; To 0:
	// no end). Before and behind it the library chooses by itself.
	From  int64  `json:"from"`
	To    int64  `json:"to"`
	Where string `json:"where"` // a file with its line, or a variable
	// Variable and Value are what ByVariable, ByValue and ByFile look at.
	Variable string `json:"variable,omitempty"`
	Value    string `json:"value,omitempty"`
	Proof    Proof  `json:"proof"`
}

// Refusal is a choice that cannot be written.
type Refusal struct {
	Choice Choice `json:"choice"`
	Reason string `json:"reason"`
}

// Setting is what a writer made.
type Setting struct {
	Writer  string            `json:"writer"` // its name
	Files   []File            `json:"-"`
	Env     map[string]string `json:"env"` // puts them in force
	Entries []Entry           `json:"entries"`
	Refused []Refusal         `json:"refused"`
	Notes   []string          `json:"notes"` // what whoever uses it should know
}

// Rule is a line of a setting, read back.
type Rule struct {
	Line     int
	Function string
	// It is for MinNP to MaxNP processes; MaxNP 0: no end.
	MinNP, MaxNP int
	// It applies from From on and below To (0: no end), in bytes as the format counts
	// them.
	From, To  int64
	Algorithm string // its name or number; "" or "0": the library chooses
}

// Writer is a format for settings.
type Writer struct {
	Name  string
	Title string
	// For tells whether a library takes the format.
	For func(Library) bool
	// Write puts choices into one setting. What it cannot write is in Refused: no choice
	// is an error.
	Write func(Target, []Choice) (*Setting, error)
	// Read reads a file of rules back; an error names the line. Formats that no variable of
	// mpi.env can name have none.
	Read func(name string, text []byte) ([]Rule, error)
}

// writers has every format, in the order in which they are tried: one that can tell
// sizes apart before one that cannot.
var writers = []Writer{
	openMPIRules,
	mpichJSON,
	mpichVariables,
	mcaVariables,
	environment,
	pgmpiTune,
}

func Get(name string) (Writer, bool) {
	i := slices.IndexFunc(writers, func(w Writer) bool { return w.Name == name })
	if i < 0 {
		return Writer{}, false
	}
	return writers[i], true
}

// FileNames returns the names that a setting's files can have.
func FileNames() []string { return []string{EnvFile, RulesFile, TreeFile} }
