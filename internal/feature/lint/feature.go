// Package lint judges what a library chooses, without measuring.
//
// A table of algorithms (Open MPI's own, MPICH's tree, a which.json, a text) says which one a call takes. Its
// messages and bytes times prices give a time for every call, and guidelines are held against these times. Findings
// are suspected, never violated: `pgmpi check --lint` measures only them. Package table has the model; this one has
// folders and documents.
package lint

import (
	"pgmpi/internal/document"
	"pgmpi/internal/feature"
	"pgmpi/internal/settings"
)

// Feature has `pgmpi lint` and --lint of `pgmpi check`.
var Feature = &feature.Feature{
	Commands:  []feature.Command{{Group: "Mend", Before: "explore", Make: newCommand}},
	Narrows:   []settings.Narrow{narrow},
	Documents: []document.Forms{kind},
}
