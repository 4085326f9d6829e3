package tuning

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"pgmpi/internal/conf"
	"pgmpi/internal/lists"
	"pgmpi/internal/phrase"
	"pgmpi/mockups"
)

type Kind string

const (
	OwnAlgorithm Kind = "algorithm"   // one of the library's own
	ByEnv        Kind = "environment" // variables, such as malloc's
	ByComponent  Kind = "component"   // another part of the library that has collectives
)

type Choice struct {
	Function string `json:"function"` // "MPI_Bcast"; may be "" for ByEnv and ByComponent
	NP       int    `json:"np"`
	// Sizes holds the message sizes (bytes of one block) at which the choice holds. At other sizes
	// in Measured, where the collective was measured, it must stay as it is. Both ascend.
	Sizes    []int64 `json:"sizes"`
	Measured []int64 `json:"measured"`
	Extend   bool    `json:"extend,omitempty"` // lets it also hold below the smallest and above the largest measured size
	Kind     Kind    `json:"kind"`
	// Algorithm and Value are the library's name and number, for OwnAlgorithm only.
	Algorithm string `json:"algorithm,omitempty"`
	Value     int    `json:"value,omitempty"`
	Component string `json:"component,omitempty"` // for ByComponent only
	// Ranges are sizes between the measured ones at which the choice holds, too. They ascend.
	Ranges []Range           `json:"ranges,omitempty"`
	Way    string            `json:"way,omitempty"` // the writer that is to write it; "" for the first that can
	Env    map[string]string `json:"env,omitempty"` // for ByEnv, and the one variable of ByComponent
}

// Range holds message sizes, from From to below To.
type Range struct {
	From int64 `json:"from"`
	To   int64 `json:"to"`
}

// Everywhere tells whether a choice may hold at every size there is.
func (c Choice) Everywhere() bool {
	return c.Always() || slices.Equal(c.Sizes, c.Measured) && (c.Extend || len(c.Measured) == 1 && c.Measured[0] == 0)
}

type Target struct {
	Library Library
	Folder  string // absolute path of its files, as the environment names them
	Tree    *Tree  // from FindTree; MPICH's JSON is refused without it
}

type File struct {
	Name    string // without a folder
	Content []byte
}

type Proof string

const (
	// ByMessages compares the messages of the collective and of the forced algorithm.
	ByMessages Proof = "messages"
	ByVariable Proof = "variable" // the library's control variable has the algorithm (MPI_T)
	// ByFile looks whether the library's variable names the file, and the ranks can read it.
	ByFile  Proof = "file"
	ByValue Proof = "value"       // the library's control variable has this value (MPI_T)
	ByRanks Proof = "environment" // the environment of the ranks has the variables
)

type Entry struct {
	Choice Choice `json:"choice"`
	// The choice applies from message size From to below To (bytes of one block). With To 0 it has
	// no end. At other sizes the library chooses.
	From  int64  `json:"from"`
	To    int64  `json:"to"`
	Where string `json:"where"` // a file with its line, or a variable
	// ByVariable, ByValue and ByFile compare Variable with Value.
	Variable string `json:"variable,omitempty"`
	Value    string `json:"value,omitempty"`
	Proof    Proof  `json:"proof"`
}

func (e Entry) Covers(size int64) bool { return interval{e.From, e.To}.covers(size) }

// Probes returns the sizes at which an entry is tested, multiples of a unit. The inside ones are
// measured sizes at which its choice holds, both ends and the middle of its interval. The outside
// ones are measured sizes at which it does not hold, and the neighbours of the ends.
func (e Entry) Probes(unit int64) (inside, outside []int64) {
	up := func(size int64) int64 { return (size + unit - 1) / unit * unit }
	sizes := append(slices.Clone(e.Choice.Measured), up(e.From), up(e.From)-unit)
	if e.To > 0 {
		sizes = append(sizes, up(e.To)-unit, up(e.To), up(int64(math.Sqrt(float64(max(e.From, 1))*float64(e.To)))))
	}
	slices.Sort(sizes)
	for _, size := range slices.Compact(sizes) {
		switch {
		case size < 0 || size == 0 && !slices.Contains(e.Choice.Measured, 0):
		case e.Covers(size):
			inside = append(inside, size)
		default:
			outside = append(outside, size)
		}
	}
	return inside, outside
}

type Rejected struct {
	Label  string `json:"what"`
	Choice Choice `json:"choice"`
	Reason string `json:"reason"`
}

func (c Choice) Rejected(reason string) Rejected { return Rejected{c.String(), c, reason} }

// Reject adds choices to a list, with a reason, unless they are there.
func Reject(list []Rejected, choices []Choice, reason string) []Rejected {
	for _, c := range choices {
		if !IsRejected(list, c) {
			list = append(list, c.Rejected(reason))
		}
	}
	return list
}

func IsRejected(list []Rejected, c Choice) bool {
	return slices.ContainsFunc(list, func(r Rejected) bool { return r.Choice.Key() == c.Key() })
}

type Setting struct {
	Writer   string
	Files    []File
	Env      map[string]string // puts them in force
	Entries  []Entry
	Rejected []Rejected
	Notes    []string // for its user
}

func (s *Setting) reject(c Choice, reason string) {
	s.Rejected = append(s.Rejected, c.Rejected(reason))
}

type Rule struct {
	Line         int
	Function     string
	MinNP, MaxNP int    // processes; MaxNP 0 for no end
	From, To     int64  // sizes, in bytes as the format counts them; To is excluded, 0 for no end
	Algorithm    string // its name or number; "" or "0" if the library chooses
	// What a rule of Open MPI chooses besides, or 0.
	Segment, Fanout int64
	Placed          string // of JSON: how the processes have to lie on nodes; "" for anyhow
}

type Writer struct {
	Name  string
	Title string
	For   func(Library) bool // tells whether a library takes the format
	// Write puts choices into one setting. A choice that it cannot write is in Rejected, not
	// an error.
	Write func(Target, []Choice) (*Setting, error)
	// Read reads a file of rules back; an error names the line. It is nil for formats that no
	// variable of mpi.env can name.
	Read func(name string, text []byte) ([]Rule, error)
}

// writers lists every format, in the order in which they are tried: formats with sizes come first.
var writers = []Writer{
	openMPIRules,
	openMPIJSON,
	mpichJSON,
	mpichVariables,
	mcaVariables,
	environment,
}

func Get(name string) (Writer, bool) {
	i := slices.IndexFunc(writers, func(w Writer) bool { return w.Name == name })
	if i < 0 {
		return Writer{}, false
	}
	return writers[i], true
}

// Library names the MPI library that a setting is for; version 0.0.0 means unknown.
type Library struct {
	Family              string // as in protocol.RankInfo
	Major, Minor, Patch int
}

func LibraryOf(family, text string) Library {
	l := Library{Family: family}
	if m := versionNumber.FindStringSubmatch(text); m != nil {
		l.Major, _ = strconv.Atoi(m[1])
		l.Minor, _ = strconv.Atoi(m[2])
		l.Patch, _ = strconv.Atoi(m[3])
	}
	return l
}

// versionNumber matches the first number with dots: "Open MPI v4.1.4", "MPICH Version: 4.0.2".
var versionNumber = regexp.MustCompile(`\b[vV]?(\d{1,4})\.(\d{1,4})(?:\.(\d{1,4}))?`)

// named has the families' own names.
var named = map[string]string{"openmpi": "Open MPI", "mpich": "MPICH"}

func (l Library) String() string {
	return fmt.Sprintf("%s %d.%d.%d", cmp.Or(named[l.Family], l.Family), l.Major, l.Minor, l.Patch)
}

// SetAlready says which variable of a setting an environment sets to something else, if any.
func SetAlready(mine, setting map[string]string) string {
	for _, name := range Variables(setting) {
		if old, ok := mine[name]; ok && old != setting[name] {
			return fmt.Sprintf("mpi.env sets %s to %q already", name, old)
		}
	}
	return ""
}

func Variables(env map[string]string) []string { return slices.Sorted(maps.Keys(env)) }

// Key returns equal texts for choices that set the same.
func (c Choice) Key() string {
	return fmt.Sprintf("%s %s %s %s %s %d %d %d %s", c.Kind, c.Function, c.Algorithm, c.Component, c.Env, c.NP, c.Sizes, c.Ranges, c.Way)
}

func (c Choice) String() string {
	switch c.Kind {
	case ByEnv:
		return Environment
	case ByComponent:
		set := lists.Map(Variables(c.Env), func(name string) string { return name + "=" + c.Env[name] })
		return phrase.When(c.Component != eagerLimit, "component ") + c.Component + " (" + strings.Join(set, " ") + ")"
	case OwnAlgorithm:
	}
	id := mockups.AlgorithmID(c.Function, c.Algorithm)
	if c.Always() {
		return id + " at all sizes, by its variable"
	}
	sizes := lists.Map(c.Sizes, conf.HumanSize)
	for _, r := range c.Ranges {
		sizes = append(sizes, fmt.Sprintf("from %s to %s", conf.HumanSize(r.From), conf.HumanSize(r.To-1)))
	}
	return fmt.Sprintf("%s at %s on %d processes", id, strings.Join(sizes, ", "), c.NP)
}

// Malloc may be the cause of a violation from these limits on: glibc takes larger blocks from the
// kernel until one was freed, and page faults in every call show it.
const (
	MallocFrom  = 128 << 10 // bytes
	FaultsFrom  = .5        // page faults a call
	Environment = "malloc's variables"
)
