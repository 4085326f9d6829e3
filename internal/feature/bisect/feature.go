// Package bisect finds the first commit since which an MPI library is slower, or faster.
//
// In come two commits, how a commit is built into a folder, and a configuration. Each commit that the search
// chooses is built and measured in turns with both ends, in the calls in which these differ. Out comes a Result,
// which is kept so that the search can go on. The package works in a clone of its own and changes nothing in the
// user's repository.
package bisect

import "pgmpi/internal/feature"

// Feature is `pgmpi bisect`.
var Feature = &feature.Feature{
	Commands: []feature.Command{{Group: "Watch", Before: "expect", Make: newCommand}},
}
