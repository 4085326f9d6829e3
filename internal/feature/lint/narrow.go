package lint

import (
	"fmt"

	"pgmpi/internal/conf"
	"pgmpi/internal/conf/glfile"
	"pgmpi/internal/fail"
	"pgmpi/internal/settings"
)

// narrow declares --lint of pgmpi check.
var narrow = settings.Narrow{Flag: "lint", Usage: "check only the calls that the `TABLE` of algorithms makes suspect, as `pgmpi lint` does: openmpi, or a file",
	Last: true, Do: suspects}

// suspects makes a configuration check only calls that a table of algorithms makes suspect.
func suspects(table string, f *glfile.File) (note string, err error) {
	l := Lint{Table: table, Prices: usualPrices}
	calls, err := l.Suspected(f)
	if err != nil {
		return "", err
	}
	if len(calls) == 0 {
		return "", fail.Setupf("--lint: by its table nothing is suspected at these sizes and processes, which shows nothing: check without --lint")
	}
	f.Check.Calls = calls
	return fmt.Sprintf("%s suspected by the table of %s; the others are not checked.", conf.Plural(len(calls), "call"), table), nil
}
