// Package selftest proves on this machine that pgmpi finds what is there, and nothing else.
//
// One check compares collectives with themselves, where any violation is false. Another runs with a library that
// delays chosen calls: guidelines about a collective that is made much slower at one size must find that size
// alone, and the small slowdowns of the others that are found are counted. A part with an error is repeated once,
// and fails only if the error comes back. In come a configuration and the collective; out comes a Result.
package selftest

import "pgmpi/internal/feature"

// Feature has `pgmpi selftest`.
var Feature = &feature.Feature{
	Commands: []feature.Command{{Group: "Trust", Before: "clocks", Make: newCommand}},
}
