package document_test

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
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

func TestWhatCouldNotJudgeSaysSoOnce(t *testing.T) {
	for text, want := range map[string]int{"NOT JUDGED: no data.": 1, "3 columns": 2} {
		made := document.Kind[string]{NotJudged: func(*string) string { return "no data" }, Sections: func(s *string) []document.Section {
			return []document.Section{{Text: []document.Text{{Text: *s}}}}
		}}
		said := made.Document(&text).Sections[0].Text
		should.Hold(t, len(said) == want && said[0].Text == "NOT JUDGED: no data.", "%q: %v", text, said)
	}
}

func TestPartsStandOnTheirPages(t *testing.T) {
	part := func(title string) func(*int) []document.Section {
		return func(*int) []document.Section { return []document.Section{document.Titled("%s", title)} }
	}
	titles := func(sections []document.Section) (all string) {
		for _, s := range sections {
			all += s.Title
		}
		return all
	}
	for name, c := range map[string]struct {
		parts              []document.Part[int]
		screen, full, page string
	}{
		"the same": {[]document.Part[int]{document.Show(document.Everywhere, part("a"), part("b"))}, "ab", "ab", "ab"},
		"a screen of its own": {[]document.Part[int]{document.Show(document.Everywhere, part("a")), document.Show(document.Full, part("b")),
			document.Show(document.Screen, part("c"))}, "ac", "ab", "ab"},
		"a page of its own": {[]document.Part[int]{document.Show(document.Pictured, part("p")),
			document.Show(document.Screen|document.Printed, part("a"))}, "a", "a", "p"},
		"all of their own": {[]document.Part[int]{document.Show(document.Screen, part("s")), document.Show(document.Printed, part("t")),
			document.Show(document.Pictured, part("p"))}, "s", "t", "p"},
	} {
		d := document.Kind[int]{Name: "x", Parts: c.parts}.Document(new(int))
		got := []string{titles(d.Brief().Sections), titles(d.Sections), titles(d.Pictured)}
		should.Equal(t, got, []string{c.screen, c.full, c.page}, name)
	}
}

func TestTextCannotLeaveItsFenceInMarkdown(t *testing.T) {
	got := document.Fenced("a\n```\n# b\n````")
	should.Hold(t, strings.HasPrefix(got, "`````\n") && strings.HasSuffix(got, "\n`````\n"), "%s", got)
	for text, want := range map[string]string{"# b": `\# b`, "> b": `\> b`, "a&lt;": `a\&lt;`, "": ""} {
		should.Equal(t, document.Block(text), want, "%q became", text)
	}
}

func TestAFactorIsDrawnWithItsIntervalOnALogarithmicAxis(t *testing.T) {
	table := document.Table{Head: []string{"call", "slower"}, Align: "lr", Factor: 1, Factors: []document.Factor{{Ratio: 1}, {Ratio: 2, Lo: 1.5, Hi: 3}, {Ratio: 16, Lo: 12, Hi: 30}}, Limit: 1.05}
	for _, name := range []string{"a", "b", "c"} {
		table.Add(name, "")
	}
	page := documents.Written(t, "html", &document.Document{Name: "bars", Pictured: []document.Section{document.Titled("First"), {Title: "Bars", Table: &table}}})
	drawn := regexp.MustCompile(`<path class=axis d="M(\d+) 0V12M(\d+) 0V12"/>(?:<path d="M(\d+) 6H(\d+)"/>)?<path class=dot d="M(\d+) 6h0"/>`).FindAllStringSubmatch(page, -1)
	must.Hold(t, len(drawn) == 3, "%v", drawn)
	at := func(row, number int) int { return must.Get(strconv.Atoi(drawn[row][number]))(t) }
	should.Equal(t, at(0, 1), at(0, 5), "once as large is on the line")
	should.Equal(t, drawn[0][3], "", "no interval is known")
	should.Hold(t, at(1, 2) > at(1, 1) && at(1, 3) > at(1, 2) && at(1, 5) > at(1, 3) && at(1, 4) > at(1, 5), "in their order: %v", drawn[1])
	should.Hold(t, at(2, 5)-at(1, 5) > at(1, 5)-at(0, 5) && at(2, 4) <= 80, "the axis is logarithmic: %v", drawn)
}

func TestAHeatMapThatComesFirstStandsBelowTheTitle(t *testing.T) {
	first := document.Titled("Answer")
	first.Say("What was measured.")
	heat := document.Titled("How many times slower")
	heat.Heat = &picture.HeatMap{Columns: []string{"8"}, Rows: []picture.HeatRow{{Name: "GL8", Cells: []picture.HeatCell{{Ratio: 2, Sign: "★", Word: "violated", Text: "2.00"}}},
		{Name: "GL9", Cells: []picture.HeatCell{{Ratio: 3, Sign: "★", Word: "violated at 2 of 7 sizes", Text: "3.00"}}}}}
	page := documents.Written(t, "html", &document.Document{Name: "hero", Pictured: []document.Section{first, heat, document.Titled("Last")}})
	order := []int{strings.Index(page, "Answer</h1>"), strings.Index(page, `<table class="heat">`), strings.Index(page, "What was measured.")}
	should.Hold(t, slices.IsSorted(order) && order[0] > 0, "%v", order)
	should.Contain(t, page, `title="GL8, 8: violated 2.00"`, "How many times slower.")
	should.Equal(t, strings.Count(page, ` sure star"`), 2, "a phone shows only these cells")
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
