// Package version names this version of pgmpi.
//
// The name is made from what was built in, such as 0.2.0+4f3c2a1. The number is in the file VERSION here and
// nowhere else: the Makefile reads it for the rank program and for `make dist`. The package must never be asked
// whether two programs can talk: the protocol decides that.
package version

import (
	_ "embed"
	"strings"
)

//go:embed VERSION
var number string

// commit is set by the linker, or is "" where pgmpi is built without the Makefile.
var commit string

// String returns the number, and after a + the commit where it is known. This is the build metadata of Semantic
// Versioning 2.0.0, item 10.
func String() string {
	s := strings.TrimSpace(number)
	if commit == "" {
		return s
	}
	return s + "+" + commit
}
