package report

import (
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"pgmpi/analyze"
	"pgmpi/analyze/judge"
	"pgmpi/analyze/report/check"
	"pgmpi/analyze/report/checks"
	"pgmpi/guidelines"
	"pgmpi/internal/document"
	"pgmpi/testkit/documents"
	"pgmpi/testkit/should"
	"pgmpi/testkit/shown"
)

var (
	pattern  = shown.Pattern
	reportOf = shown.ReportOf
)

// onScreen is the screen of a report, as a page shows it.
func onScreen(t *testing.T, r *analyze.Report, p document.Page) string {
	t.Helper()
	d := check.Reports.Document(r).Brief()
	d.Page = p
	return documents.Written(t, "table", d)
}

func TestScreensMatchGoldenFiles(t *testing.T) {
	p2 := []guidelines.Shape{{NP: 2}}
	sizes := []int64{1, 1024, 65536, 1 << 20}
	_, _, inStates := stated(t)
	for name, r := range map[string]*analyze.Report{
		"planted": synthetic(t, p2, sizes, few, 12, config(), planted),
		"clean":   synthetic(t, p2, sizes, few, 12, config(), func(string, int64) int64 { return 5000 }),
		"refused": synthetic(t, p2, sizes, few, 3, config(), planted),
		"noisy":   noisyReport(t),
		"states":  inStates.Report,
	} {
		documents.Golden(t, name+"-screen.txt", onScreen(t, r, document.Page{Width: document.LeastWidth}))
	}
	all := examples(t)
	// The answer comes first in every document, and legends are not shown.
	for _, name := range []string{"compare", "env", "history", "levels", "shift", "spread"} {
		d := all[name].Document.Brief()
		d.Page.Width = document.LeastWidth
		text := documents.Written(t, "table", d)
		should.Hold(t, !strings.Contains(text, "bytes of one block of the MPI") && !strings.Contains(text, "How it was"), "%s", text)
		documents.Golden(t, name+"-screen.txt", text)
	}
	documents.Golden(t, "planted-screen-colour.txt", onScreen(t, synthetic(t, p2, sizes, few, 12, config(), planted), document.Page{Width: document.LeastWidth, Colour: true, ASCII: true}))
}

// everyDocument has what is wide besides the examples.
func everyDocument(t *testing.T) map[string]*document.Document {
	wide := check.Reports.Document(wideReport(t))
	out := map[string]*document.Document{"wide": wide, "wide-screen": wide.Brief(), "wide-compare": checks.Comparisons.Document(shown.WideComparison()),
		"wide-spread": checks.Spreads.Document(shown.WideSpread(6)), "spread-of-many": checks.Spreads.Document(shown.WideSpread(20))}
	for name, e := range examples(t) {
		out[name] = e.Document
		out[name+"-screen"] = e.Document.Brief()
	}
	return out
}

func TestNoLineIsWiderThanItsPage(t *testing.T) {
	for name, d := range everyDocument(t) {
		documents.Fits(t, name, d)
	}
}

func TestAWideTerminalIsUsed(t *testing.T) {
	d := everyDocument(t)["explain"]
	d.Page.Width = 160
	text := documents.Written(t, "table", d)
	should.Hold(t, regexp.MustCompile(`(?m)^.{140,160}$`).MatchString(text), "no line is wide:\n%s", text)
}

func TestNamesOfCollectivesStayWhole(t *testing.T) {
	d := check.Reports.Document(wideReport(t))
	d.Page.Width = document.LeastWidth
	for line := range strings.Lines(documents.Written(t, "table", d)) {
		should.Equal(t, regexp.MustCompile(`\b(Reduce_|scatter_)(\s|$)`).FindString(line), "", "a name is broken: %s", line)
	}
}

func TestInASCIIThereIsNothingElse(t *testing.T) {
	r := reportOf(pattern(judge.Violated, "GL8", "MPI_Reduce", "reduce_as_allreduce", 8, 2, 1, 3))
	r.Library.Version = "größer 库"
	all := everyDocument(t)
	all["foreign"] = check.Reports.Document(r)
	for name, d := range all {
		d.Page = document.Page{}
		unspelt := strings.Count(documents.Written(t, "table", d), "?")
		d.Page.ASCII = true
		text := documents.Written(t, "table", d)
		should.Hold(t, !strings.ContainsFunc(text, func(r rune) bool { return r >= utf8.RuneSelf }), "%s:\n%s", name, text)
		should.Hold(t, name == "foreign" || strings.HasPrefix(name, "env") || strings.Count(text, "?") == unspelt, "%s: a character has no spelling:\n%s", name, text)
	}
	text := documents.Written(t, "table", all["foreign"])
	should.Hold(t, strings.Contains(text, "gr??er ?") && strings.Contains(text, "3.00x [3.00, 3.00]"), "%s", text)
}

func TestColourIsThereWhereItIsWantedAndSaysNothingByItself(t *testing.T) {
	codes := regexp.MustCompile("\x1b\\[[0-9]*m")
	for name, d := range everyDocument(t) {
		d.Page = document.Page{Width: document.LeastWidth}
		plain := documents.Written(t, "table", d)
		d.Page.Colour = true
		colourful := documents.Written(t, "table", d)
		should.Hold(t, !strings.Contains(plain, "\x1b") && codes.ReplaceAllString(colourful, "") == plain,
			"%s: without colours it is another text:\n%s", name, codes.ReplaceAllString(colourful, ""))
	}
	text := onScreen(t, reportOf(pattern(judge.Violated, "GL8", "MPI_Reduce", "reduce_as_allreduce", 8, 2, 1, 2),
		pattern(judge.Undecided, "GL8", "MPI_Reduce", "reduce_as_allreduce", 16, 3, 2, 1.5)), document.Page{Colour: true})
	should.Contain(t, text, "\x1b[31mVIOLATED: 1 of 2 tests", "\x1b[31m2.00 µs\x1b[0m", "\x1b[32m1.00 µs\x1b[0m", "\x1b[33mNot sure\x1b[0m")
}

func TestMarkdownHasTheSameSections(t *testing.T) {
	r := noisyReport(t)
	d := check.Reports.Document(r).Brief()
	markdown := documents.Written(t, "markdown", d)
	for _, s := range d.Sections {
		should.Hold(t, s.Title == "" || strings.Contains(markdown, "## "+document.Escaped(s.Title)), "no %q in\n%s", s.Title, markdown)
	}
	should.Hold(t, !strings.Contains(markdown, "How it was measured\n") && strings.Contains(documents.Written(t, "markdown", check.Reports.Document(r)), "How it was measured\n"),
		"the design is in the full document only")
}
