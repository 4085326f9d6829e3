// Package version names this version of pgmpi.
//
// Nothing goes in but what was built in; the name comes out, such as
// 0.2.0+4f3c2a1. The number is in VERSION beside this file and nowhere else: the
// Makefile reads it for the rank program and for `make dist`. The package must
// never be asked whether two programs can talk: that is the protocol's.
package version

import (
	_ "embed"
	"strings"
)

//go:embed VERSION
var number string

// commit is set by the linker; "" where pgmpi is built without the Makefile.
var commit string

// String is the number, and behind a + the commit where it is known (the build
// metadata of Semantic Versioning 2.0.0, item 10).
func String() string {
	s := strings.TrimSpace(number)
	if commit == "" {
		return s
	}
	return s + "+" + commit
}
