package picture

import (
	"bytes"
	"compress/zlib"
	"encoding/csv"
	"encoding/xml"
	"errors"
	"fmt"
	"image/png"
	"io"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

func point(x, y float64, each ...float64) Point {
	return Point{X: x, Y: y, Lo: y * 0.9, Hi: y * 1.1, Each: each}
}

const hostile = `</text><script> & "` + "\u202e=1+1 ★ 語"

// examples have everything that a figure can have, and what none should.
func examples() map[string]*Picture {
	nan := math.NaN()
	times := Axis{Title: "run-time", Scale: Log, Unit: Seconds}
	sizes := Axis{Title: "msize", Scale: Log2, Unit: Bytes}
	pattern := Figure{ID: "gl8", Title: "GL8: Reduce", X: sizes, Y: times, Series: []Series{
		{Name: "Reduce", Role: Call, Points: []Point{point(0, 1e-6, 0.9e-6, 1.1e-6), point(8, 2e-6), point(1<<20, 3e-3)}},
		{Name: "Allreduce", Role: Instead, Points: []Point{point(0, 2e-6), {X: 8, Y: nan, Lo: nan, Hi: nan}}}},
		Marks: []Mark{{X: 8, Tone: Slow, Sign: "★★", Text: "violated"}, {X: 0, Tone: Open, Sign: "?"}, {X: 1 << 20}}}
	losses := Figure{Title: "losses", X: times, Y: Axis{Scale: Named, Names: []string{"Scan 8 B", hostile}}, Series: []Series{
		{Form: Ranges, Points: []Point{{X: 1, Y: 0, Lo: 1e-6, Hi: 2e-6, Text: "1 µs"}, {X: 1, Y: 1, Lo: 1e-6, Hi: 3e-6, Text: hostile}}}}}
	dots := Figure{Title: "dots", X: Axis{}, Y: Axis{Scale: Log, Level: 0.025}, Series: []Series{
		{Name: hostile, Role: Other, Form: Dots, Points: []Point{point(1, 0.1), point(2, 0)}}, {Name: "none", Role: Other}}}
	other := pattern
	other.Title = hostile
	return map[string]*Picture{
		"pattern": {Title: "GL8", Panels: []Figure{pattern}},
		"panels":  {Title: hostile, Panels: []Figure{pattern, other, pattern, pattern}},
		"losses":  {Title: "losses", Panels: []Figure{losses}},
		"dots":    {Title: strings.Repeat("a very long title ", 20), Panels: []Figure{dots}},
		"empty":   {Title: "empty", Panels: []Figure{{Title: "empty"}}},
		"heat": {Title: hostile, Heat: &HeatMap{Corner: "guideline", Columns: []string{"8", "1K", hostile}, Rows: []HeatRow{
			{Name: "GL8", Cells: []HeatCell{{Ratio: 2.5, Sign: "★", Text: "2.50", Word: "violated"}, {}, {Sign: "?", Word: "undecided"}}},
			{Name: hostile, Cells: []HeatCell{{Ratio: 0.01}, {Ratio: 100}, {Ratio: nan}}}}}},
	}
}

// checks are what programs that read a format ask of a file.
var checks = map[string]func(t *testing.T, file []byte){
	"pdf": func(t *testing.T, file []byte) {
		if !bytes.HasPrefix(file, []byte("%PDF-")) || !bytes.Contains(file[len(file)-20:], []byte("%%EOF")) {
			t.Error("no PDF")
		}
		for _, text := range pdfTexts(t, file) {
			if utf8.ValidString(text) && len(text) != utf8.RuneCountInString(text) {
				t.Errorf("%q is not in the encoding of the font", text)
			}
		}
	},
	"svg": func(t *testing.T, file []byte) {
		for d := xml.NewDecoder(bytes.NewReader(file)); ; {
			token, err := d.Token()
			if errors.Is(err, io.EOF) {
				return
			} else if err != nil {
				t.Fatal(err)
			}
			if start, ok := token.(xml.StartElement); ok && start.Name.Local == "script" {
				t.Error("a script")
			}
		}
	},
	"png": func(t *testing.T, file []byte) {
		if _, err := png.Decode(bytes.NewReader(file)); err != nil {
			t.Error(err)
		}
	},
	"csv": func(t *testing.T, file []byte) {
		if _, err := csv.NewReader(bytes.NewReader(file)).ReadAll(); err != nil {
			t.Error(err)
		}
	},
}

var (
	pdfStream = regexp.MustCompile(`(?s)stream\n(.*?)\nendstream`)
	pdfText   = regexp.MustCompile(`\((.*?)\) ?Tj`)
)

// pdfTexts returns the texts that a PDF file shows, in the encoding of its font.
func pdfTexts(t *testing.T, file []byte) (out []string) {
	for _, stream := range pdfStream.FindAllSubmatch(file, -1) {
		from, err := zlib.NewReader(bytes.NewReader(stream[1]))
		if err != nil {
			continue // of a font
		}
		content := must.Get(io.ReadAll(from))(t)
		for _, text := range pdfText.FindAllSubmatch(content, -1) {
			out = append(out, string(text[1]))
		}
	}
	return out
}

func TestLettersOfAPDFAreThoseOfTheFigure(t *testing.T) {
	p := &Picture{Title: "2.5× – 1 µs…", Panels: examples()["pattern"].Panels}
	var out bytes.Buffer
	must.Do(t, writePDF(&out, p))
	texts := pdfTexts(t, out.Bytes())
	for _, want := range []string{"2.5\xd7 \x96 1 \xb5s\x85", "1 \xb5s"} {
		should.Hold(t, slices.Contains(texts, want), "%q is missing in %q", want, texts)
	}
}

func TestEveryPictureCanBeReadInEveryFormat(t *testing.T) {
	for name, p := range examples() {
		for _, f := range Formats {
			t.Run(name+"."+f.Ext, func(t *testing.T) {
				var out bytes.Buffer
				must.Do(t, f.Write(&out, p))
				checks[f.Ext](t, out.Bytes())
			})
		}
	}
}

func TestDataOfAPictureHaveARowForEveryPointValueAndMark(t *testing.T) {
	var out bytes.Buffer
	must.Do(t, writeCSV(&out, examples()["pattern"]))
	want := `panel,series,name,x,each,y,lo,hi,sign,text
GL8: Reduce,Reduce,,0,,1e-06,9e-07,1.1e-06,,
GL8: Reduce,Reduce,,0,1,9e-07,,,,
GL8: Reduce,Reduce,,0,2,1.1e-06,,,,
GL8: Reduce,Reduce,,8,,2e-06,1.8e-06,2.2e-06,,
GL8: Reduce,Reduce,,1048576,,0.003,0.0027,0.0033,,
GL8: Reduce,Allreduce,,0,,2e-06,1.8e-06,2.2e-06,,
GL8: Reduce,Allreduce,,8,,,,,,
GL8: Reduce,,,8,,,,,**,violated
GL8: Reduce,,,0,,,,,?,
GL8: Reduce,,,1048576,,,,,,
`
	if got := out.String(); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

func TestSeriesAreToldApartByMoreThanColour(t *testing.T) {
	seen := map[string]bool{}
	for _, l := range looks {
		seen[fmt.Sprint(l.spot, l.dashes)] = true
	}
	if len(seen) != len(looks) {
		t.Errorf("%d of %d looks", len(seen), len(looks))
	}
	all := []Series{{Role: Call}, {Role: Instead}, {Role: Other}, {Role: Other}}
	if a, b := lookOf(all, 2), lookOf(all, 3); a == b {
		t.Error("two others look alike")
	}
}

// boxOf is where the letters of a label are.
func boxOf(l Label) Box {
	left := l.X - map[string]float64{"start": 0, "middle": 0.5, "end": 1}[l.Anchor]*textWidth(l.Text)
	return Box{left, l.Y - 0.75*letterSize, left + textWidth(l.Text), l.Y}
}

func (b Box) touches(o Box) bool {
	return b.Left < o.Right && o.Left < b.Right && b.Top < o.Bottom && o.Top < b.Bottom
}

func TestLabelsTouchNothing(t *testing.T) {
	all := examples()
	for hi := 1.2; hi < 1e4; hi *= 1.7 { // any ticks
		x := Axis{Scale: Log, Unit: Seconds}
		points := []Point{{Lo: 0.97e-6, Hi: 1e-6 * hi, Text: "12.3 ms, 1.23×"}, {Y: 1, Lo: 1e-6, Hi: 1.1e-6}}
		all[fmt.Sprint("bars to ", hi)] = &Picture{Panels: []Figure{{X: x, Y: Axis{Scale: Named, Names: []string{"Reduce_scatter_block 256 KiB", "Scan 8 B"}}, Series: []Series{{Form: Ranges, Points: points}}}}}
		all[fmt.Sprint("line to ", hi)] = &Picture{Panels: []Figure{{X: x, Series: []Series{{Points: []Point{Bare(0.97e-6, 1), Bare(1e-6*hi, 2)}}}}}}
	}
	for name, p := range all {
		for i := range p.Panels {
			d, _ := p.Panels[i].Draw()
			things := []Box{}
			for _, x := range d.Columns {
				things = append(things, Box{x, d.Top, x, d.Frame.Bottom})
			}
			for _, b := range d.Bars {
				things = append(things, b.Box)
			}
			for _, l := range d.Labels {
				box := boxOf(l)
				should.Hold(t, box.Left >= 0 && box.Right <= d.Width, "%s: %q is cut", name, l.Text)
				for _, other := range things {
					should.Hold(t, !box.touches(other), "%s: %q touches something", name, l.Text)
				}
				things = append(things, box)
			}
		}
	}
}

func TestFilesHaveTheColoursAndWidthsOfPages(t *testing.T) {
	var out bytes.Buffer
	must.Do(t, writeSVG(&out, examples()["pattern"]))
	must.Do(t, writeSVG(&out, examples()["heat"]))
	file := strings.ToLower(out.String())
	for _, name := range []string{"s0", "s1", "rule", "slow-band", "open-band", "plain-band", "h3", "c4", "text"} {
		_, rest, found := strings.Cut(Style(), " --"+name+": ")
		must.Hold(t, found, "no %s", name)
		should.Hold(t, strings.Contains(file, rest[:7]), "%s is %q on pages", name, rest[:7])
	}
}

func TestOnlySizesThatWereMeasuredAreLabelled(t *testing.T) {
	f := &examples()["pattern"].Panels[0]
	var labels []string
	for _, tick := range f.sizeTicks(8) {
		labels = append(labels, tick.Label)
	}
	if got := strings.Join(labels, " "); got != "0 8 1M" {
		t.Errorf("labels %s", got)
	}
}

func TestPanelsHaveTheSameAxes(t *testing.T) {
	p := examples()["pattern"]
	low := p.Panels[0]
	low.Title, low.Series = "other", []Series{{Name: "Reduce", Points: []Point{point(8, 1e-9)}}}
	p.Panels = append(p.Panels, low)
	var out bytes.Buffer
	must.Do(t, writeSVG(&out, p))
	for _, label := range []string{">10 ns<", ">1 ms<"} {
		if n := strings.Count(out.String(), label); n != len(p.Panels) {
			t.Errorf("%q is there %d times", label, n)
		}
	}
}

// A browser without the font takes another one, which is up to a sixth wider.
func TestANameAtTheEdgeIsNotCut(t *testing.T) {
	f := Figure{ID: "edge", X: Axis{Title: "check", Scale: Named, Names: []string{"2026-11-23 06:40", "2026-11-23 06:58"}}, Y: Axis{Title: "ratio", Unit: Factor},
		Series: []Series{{Name: "ratio", Points: []Point{Bare(0, 1), Bare(1, 2)}}}}
	d, ok := f.Draw()
	must.Hold(t, ok, "nothing is drawn")
	for _, l := range d.Labels {
		if l.Anchor == "middle" {
			should.Hold(t, l.X+textWidth(l.Text)*7/12 <= d.Width, "%s is at %g of %g", l.Text, l.X, d.Width)
		}
	}
}

func TestAColourStandsForARatio(t *testing.T) {
	for ratio, want := range map[float64]string{1: "h0", 1.1: "h0", 1.5: "h1", 2: "h2", 4: "h4", 100: "h4", 0.5: "c2", 0.01: "c4", 0: "h0"} {
		should.Equal(t, HeatClass(ratio), want, "%v", ratio)
	}
}

func TestASparkHasAPointForEachKnownRatioAndStaysInItsCell(t *testing.T) {
	for _, c := range []struct {
		ratios []float64
		want   string
	}{
		{[]float64{.5, 2, 8}, "M0 10.0L20 5.0L40 0.0"},
		{[]float64{.1, math.NaN(), 100}, "M0 10.0L40 0.0"},
		{[]float64{math.NaN(), 2}, ""},
		{nil, ""},
	} {
		should.Equal(t, Spark(c.ratios), c.want)
	}
}
