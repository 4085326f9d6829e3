package mockups

import (
	"pgmpi/internal/conf"
	"regexp"
	"strconv"
	"strings"
)

// DefaultAlgorithm, after the @, is the library's own choice. It is called in the same way as its
// algorithms: for A/A tests.
const DefaultAlgorithm = "itself"

// algorithmName allows the names of Open MPI and MPICH, and little more.
var algorithmName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.+-]{0,99}$`)

// AlgorithmID returns the id of a collective with one of the library's own algorithms:
// "MPI_Bcast@binomial".
func AlgorithmID(collective, algorithm string) string { return collective + "@" + algorithm }

// Collective returns the collective of a function, whatever its algorithm and call; for other
// ids it returns the id.
func Collective(id string) string {
	base, _ := divided(id)
	if f, ok := variant(base); ok {
		return f.Of
	}
	return base
}

// Algorithm returns "binomial" for "MPI_Bcast@binomial", and "" without an algorithm.
func Algorithm(id string) string {
	_, name := divided(id)
	return name
}

// Parameters takes what Open MPI lets one choose besides an algorithm off its name: the size of
// segments (bytes) and the fan-out, each 0 if it is not there. It returns "chain", 32768 and 2 for
// "chain+32Ki+fan2".
func Parameters(algorithm string) (name string, segment int64, fanout int) {
	m := parameters.FindStringSubmatch(algorithm)
	if m == nil { // no name: it has a line break
		return algorithm, 0, 0
	}
	segment, _ = conf.ParseSize(m[2]) // "" is an error, and 0
	fanout, _ = strconv.Atoi(m[3])
	return m[1], segment, fanout
}

var parameters = regexp.MustCompile(`(?s)^(.*?)(?:\+([1-9]\d{0,8}|[1-9]\d{0,2}[KM]i))?(?:\+fan([1-9]\d{0,3}))?$`)

// Variant returns the way in which a function calls its collective: "@binomial", "nonblocking", or "".
func Variant(id string) string {
	if f, ok := variant(id); ok {
		return string(f.Call)
	}
	if name := Algorithm(id); name != "" {
		return "@" + name
	}
	return ""
}

// algorithmOf makes the row of an id with an @. Apart from its code it is a mock-up of its
// collective.
func algorithmOf(id string) (Function, bool) {
	of, algorithm, ok := strings.Cut(id, "@")
	i, known := byID[of]
	if !ok || !known || table[i].IsMockup() || table[i].Message || !algorithmName.MatchString(algorithm) {
		return Function{}, false
	}
	f := table[i]
	f.ID, f.Of, f.Algorithm, f.Regular = id, of, algorithm, false
	f.Formula = strings.TrimPrefix(id, "MPI_") + "(n)"
	f.What = of + " by the library's own algorithm " + algorithm
	return f, true
}

// userOf makes the row of a user's mock-up, "scan_as_mine", which no table has: gl.toml names
// them, and only the ranks know their temporaries.
func userOf(id string) (Function, bool) {
	of, name, _ := strings.Cut(id, "_as_")
	if of == "" || !algorithmName.MatchString(name) {
		return Function{}, false
	}
	i, known := byID["MPI_"+capital(of)]
	if !known || of != strings.ToLower(of) {
		return Function{}, false
	}
	f := table[i]
	f.ID, f.Of, f.User, f.Regular = id, f.ID, true, false
	f.Formula, f.What = name+"(n)", "a mock-up of your own"
	return f, true
}

// MayEnd tells whether a call may end the program, or never return: some of the library's
// algorithms are only for some numbers of processes, and users' code is not pgmpi's.
func (f Function) MayEnd() bool { return f.Algorithm != "" || f.User || f.Call != "" }

func (f Function) Row() string {
	if f.Algorithm != "" {
		return f.Of
	}
	return f.ID
}
