package report

import (
	"regexp"
	"strings"
	"testing"

	"pgmpi/analyze/report/check"
	"pgmpi/testkit/documents"
	"pgmpi/testkit/should"
)

func TestAnnotationsAreOneLineEachAndEscaped(t *testing.T) {
	text := documents.Written(t, "github", check.Reports.Document(hostileReport(t)))
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
