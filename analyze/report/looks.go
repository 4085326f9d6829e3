package report

import (
	"fmt"
	"strings"
	"time"

	"pgmpi/analyze"
)

// experiments says what looking early and the split experiment rest on.
func experiments(s *Section, r *analyze.Report) {
	if l := r.Looks; l != nil {
		saved := l.FullS - l.SpentS
		s.Fact("Looks", "after %s mpiruns with weights %s; %s of m = %s decided there; stage 2 took %s, about %s less than without looking",
			join(l.Looks), join(l.Weights), join(l.Decided), plural(r.M, "test"), wallClock(l.SpentS), wallClock(max(0, saved)))
	}
	x := r.Split
	switch {
	case x == nil:
	case x.Refused != nil:
		s.Fact("Split", "%s not tested: %s", plural(x.M, "suspicion"), x.Refused.Reason)
	default:
		s.Fact("Split", "%s tested in %d mpiruns of their own: %s, %s, m = %d; total error of both families at most %g",
			plural(x.M, "suspicion"), x.R, x.Test.Title(x.R), adjustNames[x.Adjust], x.M, x.TotalError)
	}
}

func join[T any](values []T) string {
	text := make([]string, len(values))
	for i, v := range values {
		text[i] = fmt.Sprint(v)
	}
	return strings.Join(text, ", ")
}

// wallClock rounds seconds for reading.
func wallClock(seconds float64) string {
	d := time.Duration(seconds * float64(time.Second))
	if d < 10*time.Second {
		return d.Round(100 * time.Millisecond).String()
	}
	return d.Round(time.Second).String()
}
