package report

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"pgmpi/analyze/report/check"
	"pgmpi/internal/document"
)

func TestAnnotationsAreOneLineEachAndEscaped(t *testing.T) {
	text := written(t, "github", check.Reports.Document(hostileReport(t)))
	escape := regexp.MustCompile(`%(25|0D|0A|3A|2C)`)
	answer, text, _ := strings.Cut(text, "\n")
	if answer != "::notice title=pgmpi::ALARM: 3 new" {
		t.Errorf("the first line is %q", answer)
	}
	line := regexp.MustCompile(`^::error title=[^:,\r\n]+::[^\r\n]+\n$`)
	n := 0
	for l := range strings.Lines(text) {
		n++
		if !line.MatchString(l) || strings.Contains(escape.ReplaceAllString(l, ""), "%") {
			t.Errorf("%q", l)
		}
	}
	if n == 0 || strings.ContainsAny(text, "\x1b\x00") || !strings.Contains(text, `%250A%2C%3A;`) || !strings.Contains(text, `%250A,:;`) {
		t.Errorf("%q", text)
	}
}

func TestTenAnnotationsAtMostAndTheWorstFirst(t *testing.T) {
	d := &document.Document{Outcomes: &document.Outcomes{Suites: []document.Suite{{Outcomes: []document.Outcome{{Title: "passed"}, {Result: document.Skipped, Title: "known"}}}}}}
	if text := written(t, "github", d); text != "" {
		t.Errorf("nothing failed: %q", text)
	}
	s := &d.Outcomes.Suites[0]
	for i := range 12 {
		s.Outcomes = append(s.Outcomes, document.Outcome{Result: document.Failed, Title: fmt.Sprint("call ", i), Text: "slow", Ratio: float64(i)})
	}
	s.Outcomes = append(s.Outcomes, document.Outcome{Result: document.Errored, Title: "wrong, 8 B", Text: "100 %\nwrong"})
	lines := strings.Split(written(t, "github", d), "\n")
	if len(lines) != 12 || lines[0] != "::error title=wrong%2C 8 B::100 %25%0Awrong" || lines[1] != "::error title=call 11::slow" ||
		lines[9] != "::error title=call 3::slow" || lines[10] != "::notice title=pgmpi%3A 13 findings::and 3 more: see the report" {
		t.Errorf("%q", lines)
	}
}
