package check

import (
	"fmt"

	"pgmpi/analyze"
	"pgmpi/internal/clean"
	"pgmpi/internal/conf"
	"pgmpi/internal/exitcode"
	"pgmpi/internal/fail"
	"pgmpi/internal/phrase"
)

func reportExit(r *analyze.Report) error {
	switch r.ExitCode() {
	case exitcode.Violated:
		return fail.ErrFound
	case exitcode.Failed:
		w := r.Wrong[0]
		return fmt.Errorf("%s at %s %s (%s). Leave it out with:\n  exclude = [%s]",
			clean.Line(w.Function), conf.HumanSize(w.Msize), w.Did(), clean.Line(w.Message), phrase.Join(", ", "%q", r.Exclude))
	case exitcode.NoVerdict:
		switch {
		case r.Refused != nil:
			return &fail.Refused{Reason: r.Refused.Reason}
		case len(r.Verdicts) == 0:
			return &fail.Refused{Reason: "no verdict: nothing was tested"}
		}
		return &fail.Refused{Reason: fmt.Sprintf("no verdict for %d planned tests: they lack valid run medians; see the report", len(r.Incomplete))}
	}
	return nil
}
