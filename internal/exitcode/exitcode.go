// Package exitcode names the exit codes of pgmpi (docs/guide.md, "Exit codes"), which are also in report.json and
// compare.json. It imports nothing.
package exitcode

const (
	OK          = 0
	Violated    = 1 // a guideline is violated; compared: newly, or a function became slower
	Setup       = 2 // what was asked for cannot be done
	Failed      = 3 // a function gave wrong data or did not return, or something broke
	NoVerdict   = 4 // no verdict is possible for at least some tests
	Interrupted = 130
)
