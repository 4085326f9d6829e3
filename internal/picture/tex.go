package picture

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"strings"
)

// writeTeX writes a picture for \input, with its data in it.
func writeTeX(w io.Writer, p *Picture) error {
	var out bytes.Buffer
	if p.Heat != nil {
		texHeat(&out, p)
	} else {
		fmt.Fprint(&out, "% In the preamble: \\usepackage{pgfplots} \\pgfplotsset{compat=1.16}\n")
		x, y, ok := shared(p.Panels)
		for i := range p.Panels {
			f := &p.Panels[i]
			title := tex(f.Title)
			if len(p.Panels) > 1 {
				title = tex(p.Title) + `\\ ` + title
			}
			texPanel(&out, f, title, x, y, ok)
		}
	}
	_, err := w.Write(out.Bytes())
	return err
}

// texPanel writes a panel with the limits of all panels; ok is false where they have nothing to draw.
func texPanel(out *bytes.Buffer, f *Figure, title string, x, y [2]float64, ok bool) {
	fmt.Fprintf(out, "\\begin{tikzpicture}\n\\begin{axis}[\n  title={%s}, title style={align=center}, xlabel={%s}, ylabel={%s},\n", title, tex(f.X.Title), tex(f.Y.Title))
	if !ok {
		x, y = [2]float64{0, 1}, [2]float64{0, 1}
		fmt.Fprint(out, "  xmin=0, xmax=1, ymin=0, ymax=1, ticks=none,\n")
	} else {
		const most = 8
		x, y = texAxis(out, "x", f.X, x, xTicks(f, x, most)), texAxis(out, "y", f.Y, y, f.Y.Ticks(y[0], y[1], most))
	}
	if f.Y.Scale == Named {
		fmt.Fprint(out, "  y dir=reverse,\n")
	}
	fmt.Fprint(out, "  grid=major, clip mode=individual, legend style={font=\\footnotesize, at={(0.5,-0.24)}, anchor=north, legend columns=1, draw=none}, tick label style={font=\\footnotesize},\n]\n")
	for _, m := range f.Marks {
		at := texNumber(f.X, m.X)
		fmt.Fprintf(out, "\\draw[%s, line width=%s] (axis cs:%s,%s) -- (axis cs:%s,%s) node[below, black, font=\\footnotesize] {%s};\n",
			texShades[m.Tone], texMarkWidth(m.Tone), at, number(y[0]), at, number(y[1]), tex(m.Sign))
	}
	for i, s := range f.Series {
		texSeries(out, f, &s, looks[lookOf(f.Series, i)])
	}
	if f.Y.Level != 0 {
		at := texNumber(f.Y, f.Y.Level)
		fmt.Fprintf(out, "\\draw[dashed, gray] (axis cs:%s,%s) -- (axis cs:%s,%s);\n", number(x[0]), at, number(x[1]), at)
	}
	fmt.Fprint(out, "\\end{axis}\n\\end{tikzpicture}\n")
}

// xTicks are at sizes that were measured, where the axis has sizes.
func xTicks(f *Figure, l [2]float64, most int) []Tick {
	if f.X.Scale != Log2 {
		return f.X.Ticks(l[0], l[1], most)
	}
	const room = 0.08 // of the width, for a label
	lo, hi := f.X.At(l[0]), f.X.At(l[1])
	return f.SizeTicks(most, room, func(size float64) float64 { return (f.X.At(size) - lo) / max(hi-lo, 1) })
}

// texShades are the colours of marks, made of those that every xcolor has.
var texShades = map[Tone]string{Slow: "red!18", Open: "yellow!35", Possible: "green!18", Plain: "gray!50, densely dotted"}

func texMarkWidth(t Tone) string {
	if t == Plain {
		return "0.5pt"
	}
	return "8pt"
}

// texAxis sets scale, limits and ticks of an axis, and returns the limits: there is some room around all points. What is
// drawn and not plotted, such as bars and marks, would not widen an axis that finds its own.
func texAxis(out *bytes.Buffer, name string, a Axis, l [2]float64, ticks []Tick) [2]float64 {
	const room = 0.05
	switch a.Scale {
	case Log:
		fmt.Fprintf(out, "  %smode=log,\n", name)
	case Log2:
		fmt.Fprintf(out, "  %smode=log, log basis %s=2,\n", name, name)
	case Linear, Named:
	}
	var values, labels []string
	for _, t := range ticks {
		values, labels = append(values, texNumber(a, t.Value)), append(labels, "{"+tex(t.Label)+"}")
	}
	lo, hi := a.At(l[0]), a.At(l[1])
	pad := room * (hi - lo)
	if hi == lo || a.Scale == Named {
		pad = 0.5
	}
	wide := [2]float64{texBack(a, lo-pad), texBack(a, hi+pad)}
	fmt.Fprintf(out, "  %smin=%s, %smax=%s,\n", name, number(wide[0]), name, number(wide[1]))
	fmt.Fprintf(out, "  %stick={%s}, %sticklabels={%s},\n", name, strings.Join(values, ","), name, strings.Join(labels, ","))
	return wide
}

// texBack is the value that Axis.At puts at a place.
func texBack(a Axis, at float64) float64 {
	switch a.Scale {
	case Log:
		return math.Pow(10, at)
	case Log2:
		return math.Exp2(at)
	case Linear, Named:
	}
	return at
}

// texNumber is a value where pgfplots shall draw it: a logarithm has no 0.
func texNumber(a Axis, x float64) string {
	if a.Scale == Log2 {
		x = max(x, 0.5)
	}
	return number(x)
}

func texSeries(out *bytes.Buffer, f *Figure, s *Series, l look) {
	colour := fmt.Sprintf("color={rgb,255:red,%d;green,%d;blue,%d}", l.colour.R, l.colour.G, l.colour.B)
	if s.Form == Ranges {
		for _, k := range s.Points {
			fmt.Fprintf(out, "\\draw[%s, line width=5pt] (axis cs:%s,%s) -- (axis cs:%s,%s) node[right, black, font=\\footnotesize] {%s};\n",
				colour, texNumber(f.X, k.Lo), number(k.Y), texNumber(f.X, k.Hi), number(k.Y), tex(k.Text))
		}
		return
	}
	if len(s.Points) == 0 {
		return // TeX warns of a plot without a point
	}
	style := l.tex
	if s.Form == Dots {
		style = "only marks, mark size=1pt, " + style
	} else if len(s.Points) > fewPoints {
		style += ", mark=none"
	}
	fmt.Fprintf(out, "\\addplot[%s, %s, mark options={solid}, error bars/.cd, y dir=both, y explicit] coordinates {\n", colour, style)
	for _, k := range s.Points {
		if math.IsNaN(f.X.At(k.X)) || math.IsNaN(f.Y.At(k.Y)) {
			continue
		}
		fmt.Fprintf(out, "  (%s,%s)", texNumber(f.X, k.X), texNumber(f.Y, k.Y))
		if !math.IsNaN(k.Lo + k.Hi) {
			fmt.Fprintf(out, " += (0,%s) -= (0,%s)", number(k.Hi-k.Y), number(k.Y-k.Lo))
		}
		fmt.Fprintln(out)
	}
	fmt.Fprintf(out, "};\n\\addlegendentry{%s}\n", tex(s.Name))
}

// texHeat writes a heat map as a table.
func texHeat(out *bytes.Buffer, p *Picture) {
	fmt.Fprintf(out, "%% In the preamble: \\usepackage[table]{xcolor}\n%% %s\n\\begin{tabular}{l%s}\n%s", tex(p.Title), strings.Repeat("r", len(p.Heat.Columns)), tex(p.Heat.Corner))
	for _, name := range p.Heat.Columns {
		fmt.Fprintf(out, " & %s", tex(name))
	}
	fmt.Fprint(out, " \\\\\n")
	for _, r := range p.Heat.Rows {
		fmt.Fprint(out, tex(r.Name))
		for _, cell := range r.Cells {
			fmt.Fprint(out, " & ")
			if cell.Ratio > 0 {
				c := heatColour(cell.Ratio)
				fmt.Fprintf(out, "\\cellcolor[HTML]{%02X%02X%02X}", c.R, c.G, c.B)
			}
			fmt.Fprint(out, tex(cell.Sign+cell.Text))
		}
		fmt.Fprint(out, " \\\\\n")
	}
	fmt.Fprint(out, "\\end{tabular}\n")
}

// inTeX spells what TeX would obey, and what its fonts lack.
var inTeX = strings.NewReplacer(`\`, `\textbackslash{}`, "{", `\{`, "}", `\}`, "$", `\$`, "&", `\&`, "#", `\#`, "%", `\%`, "_", `\_`, "^", `\^{}`, "~", `\~{}`,
	"×", `$\times$`, "µ", `$\mu$`, "<", `$<$`, ">", `$>$`, "|", `$|$`, `"`, "''", "≤", `$\leq$`, "≥", `$\geq$`, "→", `$\to$`, "★", `$\star$`, "·", `$\cdot$`, "–", "--", "−", "$-$", "…", `\dots{}`, "✗", "x", "▲", "+", "▼", "$-$", "●", `$\bullet$`)

func tex(text string) string {
	return strings.Map(func(r rune) rune {
		if r > 0x7e {
			return '?'
		}
		return r
	}, inTeX.Replace(text))
}
