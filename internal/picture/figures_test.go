package picture

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

	"pgmpi/internal/fixture/must"
	"pgmpi/internal/fixture/should"
)

func point(x, y float64, each ...float64) Point {
	return Point{X: x, Y: y, Lo: y * 0.9, Hi: y * 1.1, Each: each}
}

const hostile = `</text><script>\input{/etc/passwd} $x$ % & # _ {` + "\u202e=1+1 ★ 語"

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
		should.Hold(t, bytes.HasPrefix(file, []byte("%PDF-")) && bytes.Contains(file[len(file)-20:], []byte("%%EOF")), "no PDF")
	},
	"svg": func(t *testing.T, file []byte) {
		for d := xml.NewDecoder(bytes.NewReader(file)); ; {
			token, err := d.Token()
			if errors.Is(err, io.EOF) {
				return
			} else if err != nil {
				t.Fatal(err)
			}
			start, ok := token.(xml.StartElement)
			should.Hold(t, !ok || start.Name.Local != "script", "a script")
		}
	},
	"png": func(t *testing.T, file []byte) {
		_, err := png.Decode(bytes.NewReader(file))
		should.Do(t, err)
	},
	"csv": func(t *testing.T, file []byte) {
		_, err := csv.NewReader(bytes.NewReader(file)).ReadAll()
		should.Do(t, err)
	},
	"tex": checkTeX,
}

// checkTeX wants every group and environment closed, and nothing of a text obeyed.
func checkTeX(t *testing.T, file []byte) {
	text := string(file)
	should.Hold(t, strings.Count(text, `\begin{`) == strings.Count(text, `\end{`) && !strings.Contains(text, `\input`), "%s", text)
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
			must.Hold(t, line[i] <= 0x7e && depth >= 0, "%q", line)
		}
	}
	should.Equal(t, depth, 0, "groups are open: %s", text)
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
	should.Equal(t, out.String(), want)
}

func TestSeriesAreToldApartByMoreThanColour(t *testing.T) {
	seen := map[string]bool{}
	for _, l := range looks {
		seen[l.tex] = true
	}
	should.Hold(t, len(seen) == len(looks), "%d of %d looks", len(seen), len(looks))
	all := []Series{{Role: Call}, {Role: Instead}, {Role: Other}, {Role: Other}}
	should.Hold(t, lookOf(all, 2) != lookOf(all, 3), "two others look alike")
}

func TestOnlySizesThatWereMeasuredAreLabelled(t *testing.T) {
	f := &examples()["pattern"].Panels[0]
	var labels []string
	for _, tick := range xTicks(f, [2]float64{0, 1 << 20}, 8) {
		labels = append(labels, tick.Label)
	}
	should.Equal(t, strings.Join(labels, " "), "0 8 1M", "labels")
}

func TestPanelsForTeXShareTitleAndAxes(t *testing.T) {
	p := examples()["pattern"]
	low := p.Panels[0]
	low.Title, low.Series = "other", []Series{{Name: "Reduce", Points: []Point{point(8, 1e-9)}}}
	p.Panels, p.Title = append(p.Panels, low), "GL8 in two folders"
	var out bytes.Buffer
	must.Do(t, writeTeX(&out, p))
	for _, of := range []string{"xmin=", "ymin=", "title={GL8 in two folders\\\\ "} {
		parts := strings.Split(out.String(), of)
		must.Hold(t, len(parts) == 3, "%q is there %d times:\n%s", of, len(parts)-1, out.String())
		first, second := parts[1][:20], parts[2][:20]
		should.Hold(t, !strings.HasSuffix(of, "=") || first == second, "%s%s and %s", of, first, second)
	}
}
