package analyze

import (
	"pgmpi/analyze/judge"
	"pgmpi/internal/exitcode"
)

// ExitCode sums the report up.
func (r *Report) ExitCode() int {
	slow := false
	for i := range r.Verdicts {
		slow = slow || r.Verdicts[i].Verdict == judge.Violated
	}
	return exitCode(len(r.Wrong) > 0, slow, r.Refused != nil || len(r.Incomplete) > 0)
}

// ExitCode sums the comparison up.
func (c *Comparison) ExitCode() int {
	slow, incomplete := false, c.Refused != nil
	for _, k := range c.Cases {
		slow = slow || k.Change == Slower
		incomplete = incomplete || k.Change == NotCompared
	}
	for _, g := range c.Guidelines {
		slow = slow || g.Change == NewlyViolated
	}
	return exitCode(len(c.Wrong) > 0, slow, incomplete)
}

// exitCode is that of the first that holds.
func exitCode(wrong, slow, incomplete bool) int {
	switch {
	case wrong:
		return exitcode.Failed
	case slow:
		return exitcode.Violated
	case incomplete:
		return exitcode.NoVerdict
	}
	return exitcode.OK
}
