package checks

import (
	"fmt"

	"pgmpi/analyze/series"
	"pgmpi/internal/clean"
	"pgmpi/internal/conf"
	"pgmpi/internal/exitcode"
	"pgmpi/internal/fail"
)

func compareExit(c *series.Comparison) error {
	switch c.ExitCode() {
	case exitcode.Violated:
		return fail.ErrFound
	case exitcode.Failed:
		w := c.Wrong[0]
		return fmt.Errorf("%s at %s %s (%s): leave it out of both with check.exclude", clean.Line(w.Function), conf.HumanSize(w.Msize), w.Did(), clean.Line(w.Message))
	case exitcode.NoVerdict:
		switch {
		case c.Refused != nil:
			return &fail.Refused{Reason: c.Refused.Reason}
		case c.Blind > 0:
			return &fail.Refused{Reason: fmt.Sprintf("%s could not have shown a change by %g (--need): more mpiruns in both (--mpiruns)", conf.Plural(c.Blind, "case"), c.Need)}
		}
		return &fail.Refused{Reason: "some cases lack valid run medians in one of the folders; see the report"}
	}
	return nil
}
