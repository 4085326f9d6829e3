package figures

import (
	"bytes"
	"encoding/csv"
	"encoding/xml"
	"errors"
	"image/png"
	"io"
	"math"
	"strings"
	"testing"

	"pgmpi/analyze/report"
)

func point(x, y float64, each ...float64) report.Point {
	return report.Point{X: x, Y: y, Lo: y * 0.9, Hi: y * 1.1, Each: each}
}

const hostile = `</text><script>\input{/etc/passwd} $x$ % & # _ {` + "\u202e=1+1 ★ 語"

// examples have everything that a figure can have, and what none should.
func examples() map[string]*report.Picture {
	nan := math.NaN()
	times := report.Axis{Title: "run-time", Scale: report.Log, Unit: report.Seconds}
	sizes := report.Axis{Title: "msize", Scale: report.Log2, Unit: report.Bytes}
	pattern := report.Figure{ID: "gl8", Title: "GL8: Reduce", X: sizes, Y: times, Series: []report.Series{
		{Name: "Reduce", Role: report.Call, Points: []report.Point{point(0, 1e-6, 0.9e-6, 1.1e-6), point(8, 2e-6), point(1<<20, 3e-3)}},
		{Name: "Allreduce", Role: report.Instead, Points: []report.Point{point(0, 2e-6), {X: 8, Y: nan, Lo: nan, Hi: nan}}}},
		Marks: []report.Mark{{X: 8, Tone: report.Slow, Sign: "★★", Text: "violated"}, {X: 0, Tone: report.Open, Sign: "?"}, {X: 1 << 20}}}
	losses := report.Figure{Title: "losses", X: times, Y: report.Axis{Scale: report.Named, Names: []string{"Scan 8 B", hostile}}, Series: []report.Series{
		{Form: report.Ranges, Points: []report.Point{{X: 1, Y: 0, Lo: 1e-6, Hi: 2e-6, Text: "1 µs"}, {X: 1, Y: 1, Lo: 1e-6, Hi: 3e-6, Text: hostile}}}}}
	dots := report.Figure{Title: "dots", X: report.Axis{}, Y: report.Axis{Scale: report.Log, Level: 0.025}, Series: []report.Series{
		{Name: hostile, Role: report.Other, Form: report.Dots, Points: []report.Point{point(1, 0.1), point(2, 0)}}, {Name: "none", Role: report.Other}}}
	other := pattern
	other.Title = hostile
	return map[string]*report.Picture{
		"pattern": {Title: "GL8", Panels: []report.Figure{pattern}},
		"panels":  {Title: hostile, Panels: []report.Figure{pattern, other, pattern, pattern}},
		"losses":  {Title: "losses", Panels: []report.Figure{losses}},
		"dots":    {Title: strings.Repeat("a very long title ", 20), Panels: []report.Figure{dots}},
		"empty":   {Title: "empty", Panels: []report.Figure{{Title: "empty"}}},
		"heat": {Title: hostile, Heat: &report.HeatMap{Corner: "guideline", Columns: []string{"8", "1K", hostile}, Rows: []report.HeatRow{
			{Name: "GL8", Cells: []report.HeatCell{{Ratio: 2.5, Sign: "★", Text: "2.50", Word: "violated"}, {}, {Sign: "?", Word: "undecided"}}},
			{Name: hostile, Cells: []report.HeatCell{{Ratio: 0.01}, {Ratio: 100}, {Ratio: nan}}}}}},
	}
}

// checks are what programs that read a format ask of a file.
var checks = map[string]func(t *testing.T, file []byte){
	"pdf": func(t *testing.T, file []byte) {
		if !bytes.HasPrefix(file, []byte("%PDF-")) || !bytes.Contains(file[len(file)-20:], []byte("%%EOF")) {
			t.Error("no PDF")
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
	"tex": checkTeX,
}

// checkTeX wants every group and environment closed, and nothing of a text obeyed.
func checkTeX(t *testing.T, file []byte) {
	text := string(file)
	if strings.Count(text, `\begin{`) != strings.Count(text, `\end{`) || strings.Contains(text, `\input`) {
		t.Errorf("%s", text)
	}
	depth := 0
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "%") {
			continue
		}
		for i := 0; i < len(line); i++ {
			switch line[i] {
			case '\\':
				i++
			case '{':
				depth++
			case '}':
				depth--
			case '%':
				t.Errorf("a comment in %q", line)
			}
			if line[i] > 0x7e || depth < 0 {
				t.Fatalf("%q", line)
			}
		}
	}
	if depth != 0 {
		t.Errorf("%d groups are open:\n%s", depth, text)
	}
}

func TestEveryPictureCanBeReadInEveryFormat(t *testing.T) {
	for name, p := range examples() {
		for _, f := range Formats {
			t.Run(name+"."+f.Ext, func(t *testing.T) {
				var out bytes.Buffer
				if err := f.Write(&out, p); err != nil {
					t.Fatal(err)
				}
				checks[f.Ext](t, out.Bytes())
			})
		}
	}
}

func TestDataOfAPictureHaveARowForEveryPointValueAndMark(t *testing.T) {
	var out bytes.Buffer
	if err := writeCSV(&out, examples()["pattern"]); err != nil {
		t.Fatal(err)
	}
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
		seen[l.tex] = true
	}
	if len(seen) != len(looks) {
		t.Errorf("%d of %d looks", len(seen), len(looks))
	}
	all := []report.Series{{Role: report.Call}, {Role: report.Instead}, {Role: report.Other}, {Role: report.Other}}
	if a, b := paletteOf(all, 2), paletteOf(all, 3); a.tex == b.tex {
		t.Error("two others look alike")
	}
}

func TestOnlySizesThatWereMeasuredAreLabelled(t *testing.T) {
	f := &examples()["pattern"].Panels[0]
	var labels []string
	for _, tick := range xTicksOf(f, limits{0, 1 << 20}, 8) {
		labels = append(labels, tick.Label)
	}
	if got := strings.Join(labels, " "); got != "0 8 1M" {
		t.Errorf("labels %s", got)
	}
}

func TestPanelsForTeXShareTitleAndAxes(t *testing.T) {
	p := examples()["pattern"]
	low := p.Panels[0]
	low.Title, low.Series = "other", []report.Series{{Name: "Reduce", Points: []report.Point{point(8, 1e-9)}}}
	p.Panels, p.Title = append(p.Panels, low), "GL8 in two folders"
	var out bytes.Buffer
	if err := writeTeX(&out, p); err != nil {
		t.Fatal(err)
	}
	for _, of := range []string{"xmin=", "ymin=", "title={GL8 in two folders\\\\ "} {
		parts := strings.Split(out.String(), of)
		if len(parts) != 3 {
			t.Fatalf("%q is there %d times:\n%s", of, len(parts)-1, out.String())
		}
		if first, second := parts[1][:20], parts[2][:20]; strings.HasSuffix(of, "=") && first != second {
			t.Errorf("%s%s and %s", of, first, second)
		}
	}
}
