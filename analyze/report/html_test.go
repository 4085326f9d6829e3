package report

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgmpi/analyze"
	"pgmpi/analyze/judge"
	"pgmpi/analyze/medians"
	"pgmpi/analyze/report/check"
	"pgmpi/analyze/report/checks"
	"pgmpi/analyze/series"
	"pgmpi/guidelines"
	"pgmpi/internal/document"
	"pgmpi/internal/picture"
	"pgmpi/measure/protocol"
	"pgmpi/testkit/documents"
	"pgmpi/testkit/fixture"
	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

// largeReport has 21 sizes, 2 shapes, 17 patterns of 11 collectives and 24 mpiruns; every second pattern is
// violated, and the others are too noisy to be decided.
func largeReport(t *testing.T) *analyze.Report {
	t.Helper()
	var sizes []int64
	for s := int64(1); s <= 1<<20; s *= 2 {
		sizes = append(sizes, s)
	}
	var patterns []fixture.Pattern
	for i := range 17 {
		f := fmt.Sprintf("Collective_%d", i%11)
		patterns = append(patterns, fixture.Pattern{ID: fmt.Sprintf("GL%d", i+1), Function: "MPI_" + f, Mockup: fmt.Sprintf("%s_as_mockup_%d", strings.ToLower(f), i)})
	}
	m, runs := measured([]guidelines.Shape{{NP: 2}, {NP: 4}}, sizes, patterns, 24, func(function string, size int64, run int) []protocol.Sample {
		ns := 1000 + 2*size
		if strings.HasPrefix(function, "MPI_") && len(function)%2 == 0 {
			ns *= 2
		}
		ns += ns * int64(run*7919%97) / 300
		return []protocol.Sample{{NS: ns}, {NS: ns + 1}, {NS: ns + 2}}
	})
	a := must.Get(analyze.Analyze(m, runs, config()))(t)
	return a.Report
}

func TestThePageOfALargeCheckIsSmall(t *testing.T) {
	r := largeReport(t)
	page := documents.Written(t, "html", check.Reports.Document(r))
	n := strings.Count(page, "<figure ")
	should.Hold(t, n >= 2*17+11, "only %d pictures: this is about a page with many", n)
	should.Hold(t, len(page) < 640<<10, "%d KiB", len(page)>>10) // a page of 21 sizes and 2 shapes is to stay far below a megabyte
}

// figureOf is the source of the picture with an ID.
func figureOf(t *testing.T, page, id string) string {
	t.Helper()
	_, rest, found := strings.Cut(page, `<figure id="`+id+`"`)
	figure, _, ends := strings.Cut(rest, "</figure>")
	must.Hold(t, found && ends, "no picture %s", id)
	return figure
}

func TestEveryViolatedSizeIsShadedAndStarredInItsPicture(t *testing.T) {
	r := synthetic(t, []guidelines.Shape{{NP: 2}}, []int64{1, 1024, 65536, 1 << 20}, few, 12, config(), planted)
	page := documents.Written(t, "html", check.Reports.Document(r))
	violated := map[string]int{}
	for i := range r.Verdicts {
		if v := &r.Verdicts[i]; v.Type == guidelines.Pattern && v.Verdict == judge.Violated {
			violated[check.PatternIDs(r)[check.PatternOf(v)]]++
		}
	}
	must.Hold(t, len(violated) == 3, "%v", violated)
	for _, f := range check.PatternFigures(r) {
		for _, s := range f.Series {
			for _, p := range s.Points {
				should.Hold(t, len(p.Each) == r.R && p.Lo <= p.Y && p.Y <= p.Hi,
					"%s, %s at %v: %d run medians, %v in %v to %v", f.ID, s.Name, p.X, len(p.Each), p.Y, p.Lo, p.Hi)
			}
		}
	}
	for id, want := range violated {
		figure := figureOf(t, page, id)
		count := func(element, what string) int {
			return strings.Count(strings.Join(regexp.MustCompile(element).FindAllString(figure, -1), ""), what)
		}
		bands, stars, each := count(`<rect class="?slow`, "<rect"), count(`<g class="sign slow"[^>]*>.*?</g>`, "★"), count(`<path class="each" d="[^"]*"`, "M")
		should.Hold(t, bands == want && stars >= want && each >= 2*4, "%s: %d sizes are shaded, with %d stars; want %d; %d dots", id, bands, stars, want, each)
	}
}

func TestEveryTestHasACellOfTheHeatMapWithItsRatio(t *testing.T) {
	r := synthetic(t, []guidelines.Shape{{NP: 2}, {NP: 4}}, []int64{1, 1024, 65536, 1 << 20}, few, 12, config(), planted)
	cells := 0
	for _, s := range check.HeatMaps(r) {
		if s.Heat == nil {
			continue
		}
		for _, row := range s.Heat.Rows {
			for _, c := range row.Cells {
				if c.Text != "" || c.Sign != "" {
					cells++
					should.Hold(t, c.Link != "" && (c.Sign == "" || c.Word != ""), "%s: %+v", row.Name, c)
				}
			}
		}
	}
	should.Hold(t, cells == len(r.Verdicts), "%d cells for %d tests", cells, len(r.Verdicts))
}

// Answer first, from where it is, and what explains it last.
func TestAPageBeginsWithItsAnswer(t *testing.T) {
	r := noisyReport(t)
	r.Created, r.Host = "2026-01-02T03:04:05Z", "node17"
	d := check.Reports.Document(r)
	d.MadeBy([]string{"pgmpi", "check", "--out", "a b"})
	page := documents.Written(t, "html", d)
	at := 0
	for _, text := range []string{"<h1", `<table class="heat">`, "2 January 2026, 03:04 UTC", "node17", "pgmpi check --out &#39;a b&#39;", "</header>", "the largest loss per call first</h2>", ">Not sure</h2>",
		">Pictures of the patterns", ">How it was measured</h2>"} {
		next := strings.Index(page[at:], text)
		must.Hold(t, next >= 0, "%q does not follow", text)
		at += next
	}
}

func TestThePageOfEveryDocumentHasTheCommandThatMadeItOnTop(t *testing.T) {
	for name, e := range examples(t) {
		if !slices.Contains(e.Formats, "html") {
			continue
		}
		e.Document.MadeBy([]string{"pgmpi", name, "a b\x1b[2J", "<b>"})
		head, _, _ := strings.Cut(documents.Written(t, "html", e.Document), "</header>")
		should.Contain(t, head, "pgmpi "+name+" &#39;a b")
		should.Hold(t, !strings.Contains(head, "<b>") && !strings.Contains(documents.Written(t, "table", e.Document), "pgmpi "+name+" 'a b"), "%s: %s", name, head)
	}
}

func TestTicksAreRoundAndNotTooMany(t *testing.T) {
	seconds, sizes := picture.Axis{Scale: picture.Log, Unit: picture.Seconds}, check.SizeAxis()
	for _, c := range []struct {
		a      picture.Axis
		lo, hi float64
		most   int
		want   string
	}{
		{seconds, 9e-7, 2.2e-5, 7, "1 µs, 2 µs, 5 µs, 10 µs, 20 µs"},
		{seconds, 9e-7, 2e-3, 7, "1 µs, 3 µs, 10 µs, 30 µs, 100 µs, 300 µs, 1 ms"},
		{sizes, 1, 1 << 20, 11, "1, 4, 16, 64, 256, 1K, 4K, 16K, 64K, 256K, 1M"},
		{sizes, 0, 8, 11, "0, 1, 2, 4, 8"},
		{picture.Axis{}, 1, 24, 7, "5, 10, 15, 20"},
		{picture.Axis{Scale: picture.Log, Unit: picture.Factor}, 0.9, 3, 7, "1×, 1.5×, 2×, 2.5×, 3×"},
	} {
		var got []string
		for _, tick := range c.a.Ticks(c.lo, c.hi, c.most) {
			got = append(got, tick.Label)
		}
		should.Equal(t, strings.Join(got, ", "), c.want, "%v to %v", c.lo, c.hi)
	}
}

func TestClassesOfAPageHaveRules(t *testing.T) {
	page := documents.Written(t, "html", examples(t)["planted"].Document)
	for _, class := range []string{"h4", "slow", "s0", "s1", "each", "whiskers"} {
		should.Hold(t, slices.ContainsFunc([]string{"." + class + " ", "." + class + ".", "." + class + ",", "." + class + "{"}, func(rule string) bool { return strings.Contains(document.HtmlStyle, rule) }) && strings.Contains(page, class),
			"%s: no rule, or not used", class)
	}
}

// Names that differ in a character that no ID has: each has a picture of its own, to which its cells lead.
func TestGuidelinesWithSimilarNamesHavePicturesOfTheirOwn(t *testing.T) {
	half, slow := 1., 2.
	r := &analyze.Report{Shapes: []analyze.Shape{{Name: "p2"}}}
	for _, id := range []string{"my-bcast", "my_bcast", "other"} {
		for _, msize := range []int64{8, 64} {
			r.Verdicts = append(r.Verdicts, analyze.Verdict{Guideline: id, Type: guidelines.Pattern, Function: "MPI_Bcast", Mockup: "bcast_as_" + id,
				Msize: msize, Shape: "p2", Verdict: judge.Violated, Tested: analyze.Tested{Effect: analyze.Effect{Ratio: &slow}}, MedianS: &slow, OtherMedianS: &half})
		}
	}
	figures := check.PatternFigures(r)
	must.Hold(t, len(figures) == 3, "%d pictures", len(figures))
	drawn := map[string]bool{}
	for _, f := range figures {
		drawn[f.ID] = true
		should.Hold(t, len(f.Series[0].Points) == 2, "%s has %d points", f.ID, len(f.Series[0].Points))
	}
	found, _ := check.HeatRows(r, "p2", drawn)
	links := map[string]bool{}
	for _, row := range found.Rows {
		links[row.Cells[0].Link] = true
	}
	should.Hold(t, len(drawn) == 3 && len(links) == 3, "IDs %v, links %v", drawn, links)
	c := &series.Comparison{AllRows: true}
	for _, function := range []string{"bcast_as_my-own", "bcast_as_my_own"} {
		c.Cases = append(c.Cases, series.CaseChange{Cell: medians.Cell{Function: function, Msize: 8, Shape: "p2"}, AMedianS: &half, BMedianS: &slow})
	}
	changed := checks.ChangeFigures(c)
	should.Hold(t, len(changed) == 2 && changed[0].ID != changed[1].ID, "%d pictures of two functions", len(changed))
}
