package report

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"pgmpi/analyze/report/check"
	"pgmpi/internal/document"
	"pgmpi/internal/fixture/should"
)

func TestAnnotationsAreOneLineEachAndEscaped(t *testing.T) {
	text := written(t, "github", check.Reports.Document(hostileReport(t)))
	escape := regexp.MustCompile(`%(25|0D|0A|3A|2C)`)
	answer, text, _ := strings.Cut(text, "\n")
	should.Equal(t, answer, "::notice title=pgmpi::ALARM: 3 new", "the first line")
	line := regexp.MustCompile(`^::error title=[^:,\r\n]+::[^\r\n]+\n$`)
	n := 0
	for l := range strings.Lines(text) {
		n++
		should.Hold(t, line.MatchString(l) && !strings.Contains(escape.ReplaceAllString(l, ""), "%"), "%q", l)
	}
	should.Hold(t, n != 0 && !strings.ContainsAny(text, "\x1b\x00") && strings.Contains(text, `%250A%2C%3A;`) && strings.Contains(text, `%250A,:;`), "%q", text)
}

func TestTenAnnotationsAtMostAndTheWorstFirst(t *testing.T) {
	d := &document.Document{Outcomes: &document.Outcomes{Suites: []document.Suite{{Outcomes: []document.Outcome{{Title: "passed"}, {Result: document.Skipped, Title: "known"}}}}}}
	should.Equal(t, written(t, "github", d), "", "nothing failed")
	s := &d.Outcomes.Suites[0]
	for i := range 12 {
		s.Outcomes = append(s.Outcomes, document.Outcome{Result: document.Failed, Title: fmt.Sprint("call ", i), Text: "slow", Ratio: float64(i)})
	}
	s.Outcomes = append(s.Outcomes, document.Outcome{Result: document.Errored, Title: "wrong, 8 B", Text: "100 %\nwrong"})
	lines := strings.Split(written(t, "github", d), "\n")
	should.Hold(t, len(lines) == 12 && lines[0] == "::error title=wrong%2C 8 B::100 %25%0Awrong" && lines[1] == "::error title=call 11::slow" && lines[9] == "::error title=call 3::slow" && lines[10] == "::notice title=pgmpi%3A 13 findings::and 3 more: see the report",
		"%q", lines)
}
