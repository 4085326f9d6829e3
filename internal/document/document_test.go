package document_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"pgmpi/internal/document"
	"pgmpi/internal/picture"
	"pgmpi/testkit/documents"
	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

func TestTenAnnotationsAtMostAndTheWorstFirst(t *testing.T) {
	d := &document.Document{Outcomes: &document.Outcomes{Suites: []document.Suite{{Outcomes: []document.Outcome{{Title: "passed"}, {Result: document.Skipped, Title: "known"}}}}}}
	should.Equal(t, documents.Written(t, "github", d), "", "nothing failed")
	s := &d.Outcomes.Suites[0]
	for i := range 12 {
		s.Outcomes = append(s.Outcomes, document.Outcome{Result: document.Failed, Title: fmt.Sprint("call ", i), Text: "slow", Ratio: float64(i)})
	}
	s.Outcomes = append(s.Outcomes, document.Outcome{Result: document.Errored, Title: "wrong, 8 B", Text: "100 %\nwrong"})
	lines := strings.Split(documents.Written(t, "github", d), "\n")
	should.Hold(t, len(lines) == 12 && lines[0] == "::error title=wrong%2C 8 B::100 %25%0Awrong" && lines[1] == "::error title=call 11::slow" && lines[9] == "::error title=call 3::slow" && lines[10] == "::notice title=pgmpi%3A 13 findings::and 3 more: see the report",
		"%q", lines)
}

func TestTextCannotLeaveItsFenceInMarkdown(t *testing.T) {
	got := document.Fenced("a\n```\n# b\n````")
	should.Hold(t, strings.HasPrefix(got, "`````\n") && strings.HasSuffix(got, "\n`````\n"), "%s", got)
	for text, want := range map[string]string{"# b": `\# b`, "> b": `\> b`, "a&lt;": `a\&lt;`, "": ""} {
		should.Equal(t, document.Block(text), want, "%q became", text)
	}
}

func TestABarIsAsLongAsItsFactor(t *testing.T) {
	table := document.Table{Head: []string{"call", "slower"}, Align: "lr", Factor: 1, Factors: []float64{1, 2, 16}}
	for _, name := range []string{"a", "b", "c"} {
		table.Add(name, "")
	}
	page := documents.Written(t, "html", &document.Document{Name: "bars", Pictured: []document.Section{document.Titled("First"), {Title: "Bars", Table: &table}}})
	bars := regexp.MustCompile(`<path d="M0 5H(\d+)"/></svg>`).FindAllStringSubmatch(page, -1)
	must.Hold(t, len(bars) == 2, "%v", bars)
	should.Equal(t, bars[0][1]+" "+bars[1][1], "16 64", "2 and 16 times")
}

func TestSectionsAndPicturesOfOneNameHaveIDsOfTheirOwn(t *testing.T) {
	f := picture.Figure{ID: "same", Title: "one of two", Series: []picture.Series{{Points: []picture.Point{picture.Bare(1, 2), picture.Bare(2, 3)}}}}
	s := document.Titled("Same")
	s.Figures = []picture.Figure{f, f}
	page := documents.Written(t, "html", &document.Document{Name: "two", Pictured: []document.Section{document.Titled("First"), s, s}})
	for _, id := range []string{"part-same", "part-same-2", "same", "same-2", "same-3", "same-4"} {
		should.Equal(t, strings.Count(page, ` id="`+id+`"`), 1, "elements are called %s", id)
	}
}

func TestColoursAreThereForLightAndForDark(t *testing.T) {
	used := regexp.MustCompile(`var\((--[a-z0-9-]+)\)`).FindAllStringSubmatch(document.HtmlStyle, -1)
	for _, u := range used {
		should.Hold(t, strings.Count(document.HtmlStyle, u[1]+":") == 2, "%s is not there twice, for light and for dark", u[1])
	}
}
