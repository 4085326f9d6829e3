package mockups

import (
	"regexp"
	"strings"
)

// DefaultAlgorithm, behind the @, is the collective as the library chooses, called on the way
// that its own algorithms are called: for A/A tests.
const DefaultAlgorithm = "itself"

// algorithmName has what is in the names of Open MPI and MPICH, and little more.
var algorithmName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.+-]{0,99}$`)

// AlgorithmID is the id of a collective with one of the library's own algorithms:
// "MPI_Bcast@binomial".
func AlgorithmID(collective, algorithm string) string { return collective + "@" + algorithm }

// Collective returns the collective that a function is, whatever its algorithm and the way
// it is called, or else the id.
func Collective(id string) string {
	base, _, _ := strings.Cut(id, "@")
	if i, ok := variantByID[base]; ok {
		return variants[i].Of
	}
	return base
}

// Algorithm returns the algorithm of the library that an id names: "binomial" of
// "MPI_Bcast@binomial"; "": none.
func Algorithm(id string) string {
	_, name, _ := strings.Cut(id, "@")
	return name
}

// Variant is how a function calls its collective: "@binomial", "nonblocking", or "".
func Variant(id string) string {
	if i, ok := variantByID[id]; ok {
		return string(variants[i].Call)
	}
	if name := Algorithm(id); name != "" {
		return "@" + name
	}
	return ""
}

// algorithmOf makes the row of an id with an @. It is a mock-up of its collective in
// all but its code.
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

// userOf makes the row of a mock-up of the user's own, "scan_as_mine": it is in no table
// here. Which ones there are gl.toml says, and what temporaries they take only the ranks know.
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

// MayEnd tells that a call may end the program, or never return: the library's own algorithms
// are not all for all numbers of processes, and users' code is not pgmpi's.
func (f Function) MayEnd() bool { return f.Algorithm != "" || f.User || f.Call != "" }

// Row is the id of the code that a function is called with.
func (f Function) Row() string {
	if f.Algorithm != "" {
		return f.Of
	}
	return f.ID
}
