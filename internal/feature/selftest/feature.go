// Package selftest proves on the machine at hand that pgmpi finds what is there, and nothing else.
//
// A check compares collectives with themselves, where any violation is false. Another one runs with a library that delays
// chosen calls: guidelines about a collective that is made much slower at one size must find that size alone, and how many
// small slowdowns of the others are found is counted. A part with an error is repeated once, and fails only if the error
// comes back. In come a configuration and the collective; out comes a Result.
package selftest

import "pgmpi/internal/feature"

// Feature is `pgmpi selftest`.
var Feature = &feature.Feature{
	Commands: []feature.Command{{Group: "Trust", Before: "clocks", Make: newCommand}},
}
