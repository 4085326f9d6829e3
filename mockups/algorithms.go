package mockups

import (
	"math"
	"pgmpi/internal/conf"
	"regexp"
	"strings"
)

// DefaultAlgorithm, behind the @, is the library's own choice, called in the same way as its
// algorithms: for A/A tests.
const DefaultAlgorithm = "itself"

// algorithmName allows the names of Open MPI and MPICH, and little more.
var algorithmName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.+-]{0,99}$`)

// AlgorithmID is the id of a collective with one of the library's own algorithms:
// "MPI_Bcast@binomial".
func AlgorithmID(collective, algorithm string) string { return collective + "@" + algorithm }

// Collective returns the collective of a function, whatever its algorithm and call; for other
// ids it returns the id.
func Collective(id string) string {
	base, _, _ := strings.Cut(id, "@")
	if i, ok := variantByID[base]; ok {
		return variants[i].Of
	}
	return base
}

// Algorithm returns "binomial" for "MPI_Bcast@binomial", and "" without an algorithm.
func Algorithm(id string) string {
	_, name, _ := strings.Cut(id, "@")
	return name
}

// Segment takes the size of segments (bytes) off the name of an algorithm: "pipeline" and 32768 for
// "pipeline+32Ki". Without one it is 0.
func Segment(algorithm string) (name string, bytes int64) {
	name, size, found := strings.Cut(algorithm, "+")
	if bytes, err := conf.ParseSize(size); found && err == nil && bytes > 0 && bytes <= math.MaxInt32 {
		return name, bytes
	}
	return algorithm, 0
}

// Variant returns the way in which a function calls its collective: "@binomial", "nonblocking", or "".
func Variant(id string) string {
	if i, ok := variantByID[id]; ok {
		return string(variants[i].Call)
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
	if !ok || !known || table[i].IsMockup() || !algorithmName.MatchString(algorithm) {
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
