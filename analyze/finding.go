package analyze

import "pgmpi/analyze/judge"

// Finding is what a report or a comparison comes to as a whole.
type Finding int

// The findings; the first that holds counts.
const (
	WrongData Finding = iota // a function gave wrong data
	Slow                     // a guideline is violated; compared: newly, or a function became slower
	NoVerdict                // none is possible for at least some tests
	Clean
)

// ExitCode is the exit code of docs/guide.md for the Finding.
func (f Finding) ExitCode() int { return [...]int{WrongData: 3, Slow: 1, NoVerdict: 4, Clean: 0}[f] }

// Finding sums the report up.
func (r *Report) Finding() Finding {
	slow := false
	for i := range r.Verdicts {
		slow = slow || r.Verdicts[i].Verdict == judge.Violated
	}
	return findingOf(len(r.Wrong) > 0, slow, r.Refused != nil || len(r.Incomplete) > 0)
}

// Finding sums the comparison up.
func (c *Comparison) Finding() Finding {
	slow, incomplete := false, c.Refused != nil
	for _, k := range c.Cases {
		slow = slow || k.Change == Slower
		incomplete = incomplete || k.Change == NotCompared
	}
	for _, g := range c.Guidelines {
		slow = slow || g.Change == NewlyViolated
	}
	return findingOf(len(c.Wrong) > 0, slow, incomplete)
}

func findingOf(wrong, slow, incomplete bool) Finding {
	switch {
	case wrong:
		return WrongData
	case slow:
		return Slow
	case incomplete:
		return NoVerdict
	}
	return Clean
}
