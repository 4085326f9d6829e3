package picture

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"pgmpi/internal/conf"
	"pgmpi/internal/lists"
	"pgmpi/internal/phrase"
)

type Figure struct {
	ID      string // letters, digits, "-" and ".": for links and the names of files
	Title   string
	Text    string // what there is to see, for readers who cannot see it
	X, Y    Axis
	Series  []Series
	Marks   []Mark
	Numbers *Numbers // a table below the figure; nil if they are elsewhere
}

type Numbers struct {
	Head  []string
	Align string // "l" or "r" for each column
	Rows  [][]string
}

func (n *Numbers) Add(cells ...string) { n.Rows = append(n.Rows, cells) }

type Axis struct {
	Title string
	Scale Scale
	Unit  Unit
	Names []string  // of 0, 1, 2, …, where the scale is Named
	Level float64   // a line across, such as where both sides take equally long, or 0
	Holds []float64 // values that it reaches in any case
}

// Scale says where a value lies on an axis.
type Scale int

const (
	Linear Scale = iota
	Log
	Log2  // of sizes: 0 is a step before 1
	Named // the values are indices into the names of the axis
)

type Unit int

const (
	Number Unit = iota
	Bytes
	Seconds
	Factor // ratio of times
)

// MostPoints limits the points that a series should have: more only hide each other.
const MostPoints = 1000

type Series struct {
	Name   string
	Role   Role
	Form   Form
	Points []Point
}

// Role says what a series is to the others. Each role is drawn in its own way.
type Role int

const (
	Call    Role = iota // the call that is judged
	Instead             // its other side
	Other               // besides them: a second shape, a third library, …
)

type Form int

const (
	Line   Form = iota // points, joined
	Dots               // points alone
	Ranges             // bars from Lo to Hi along the x axis, one for each name of the y axis
)

// Point holds a value with what it was made from.
type Point struct {
	X, Y   float64
	Lo, Hi float64   // of its interval, or NaN without one
	Each   []float64 // values of which Y is the middle, such as run medians
	Text   string    // next to it, or ""
}

func Bare(x, y float64) Point { return Point{X: x, Y: y, Lo: math.NaN(), Hi: math.NaN()} }

// Mark describes a place on the x axis.
type Mark struct {
	X    float64
	Tone Tone
	Sign string // above it, such as "★★"
	Text string // its meaning
}

// At returns where a value lies on the axis, in any steps, or NaN.
func (a Axis) At(x float64) float64 {
	switch a.Scale {
	case Log2:
		return math.Log2(max(x, 0.5))
	case Log:
		if x <= 0 {
			return math.NaN()
		}
		return math.Log10(x)
	case Linear, Named:
	}
	return x
}

type Tick struct {
	Value float64
	Label string
}

// Ticks returns at most `most` round values from lo to hi, both included.
func (a Axis) Ticks(lo, hi float64, most int) []Tick {
	var values []float64
	switch a.Scale {
	case Named:
		step := max(1, (len(a.Names)+most-1)/most)
		for i := 0; i < len(a.Names); i += step {
			values = append(values, float64(i))
		}
	case Log2:
		values = powersOfTwo(lo, hi, most)
	case Log:
		if values = logTicks(lo, hi, most); len(values) < 3 { // less than a decade
			values = linearTicks(lo, hi, most)
		}
	case Linear:
		values = linearTicks(lo, hi, most)
	}
	return lists.Map(values, func(v float64) Tick { return Tick{v, a.Label(v)} })
}

func (f *Figure) sizeTicks(most int) (out []Tick) {
	var sizes []float64
	for _, s := range f.Series {
		sizes = append(sizes, lists.Map(s.Points, func(p Point) float64 { return p.X })...)
	}
	slices.Sort(sizes)
	sizes = slices.Compact(sizes)
	step := (len(sizes) + most - 1) / most
	for i := 0; i < len(sizes); i += step {
		out = append(out, Tick{sizes[i], f.X.Label(sizes[i])})
	}
	return out
}

func (a Axis) Label(x float64) string {
	if i := int(x); a.Scale == Named && i >= 0 && i < len(a.Names) {
		return a.Names[i]
	}
	switch a.Unit {
	case Bytes:
		return conf.ShortSize(int64(x))
	case Seconds:
		return tidy(phrase.Duration(&x))
	case Factor:
		return tidy(phrase.Ratio(&x))
	case Number:
	}
	return fmt.Sprintf("%.6g", x)
}

// tidy writes a round number without the zeros that a measured one would have: "5 µs" for "5.00
// µs".
func tidy(text string) string {
	end := strings.IndexFunc(text, func(r rune) bool { return r != '.' && (r < '0' || r > '9') })
	if end < 0 || !strings.Contains(text[:end], ".") {
		return text
	}
	return strings.TrimRight(strings.TrimRight(text[:end], "0"), ".") + text[end:]
}

func powersOfTwo(lo, hi float64, most int) []float64 {
	var out []float64
	first, last := int(math.Floor(math.Log2(max(lo, 1)))), int(math.Ceil(math.Log2(max(hi, 1))))
	step := 1
	for (last-first)/step+1 > most {
		step++
	}
	for e := first; e <= last; e += step {
		if x := math.Exp2(float64(e)); x >= lo && x <= hi {
			out = append(out, x)
		}
	}
	if lo == 0 {
		out = append([]float64{0}, out...)
	}
	return out
}

// logTicks returns 1, 2 and 5 of every decade, or fewer: 1 and 3, or 1, or 1 of every second, …
func logTicks(lo, hi float64, most int) []float64 {
	if lo <= 0 || hi < lo || math.IsInf(hi, 0) {
		return nil
	}
	first, last := int(math.Floor(math.Log10(lo))), int(math.Floor(math.Log10(hi)))
	for step := 1; ; step++ {
		for _, of := range [][]float64{{1, 2, 5}, {1, 3}, {1}} {
			var out []float64
			for e := first; e <= last; e += step {
				for _, n := range of {
					if x := n * math.Pow(10, float64(e)); x >= lo*(1-1e-9) && x <= hi*(1+1e-9) {
						out = append(out, x)
					}
				}
			}
			if len(out) <= max(most, 1) {
				return out
			}
		}
	}
}

// linearTicks returns multiples of 1, 2 or 5 times a power of ten.
func linearTicks(lo, hi float64, most int) []float64 {
	if !(hi > lo) || math.IsInf(hi-lo, 0) {
		return nil
	}
	step := math.Pow(10, math.Floor(math.Log10((hi-lo)/float64(max(most, 1)))))
	for _, times := range []float64{1, 2, 5, 10, 20} {
		if (hi-lo)/(step*times) <= float64(max(most-1, 1)) {
			step *= times
			break
		}
	}
	var out []float64
	for n := math.Ceil(lo/step - 1e-9); n*step <= hi*(1+1e-9) && len(out) <= most; n++ {
		out = append(out, n*step+0) // no −0
	}
	return out
}

// Limits returns the least and the largest value on each axis. ok is false if there is nothing to
// draw.
func (f *Figure) Limits() (x, y [2]float64, ok bool) {
	var xs, ys []float64
	for _, s := range f.Series {
		for _, p := range s.Points {
			if s.Form == Ranges {
				xs, ys = append(xs, p.Lo, p.Hi), append(ys, p.Y)
				continue
			}
			xs, ys = append(xs, p.X), append(ys, p.Y, p.Lo, p.Hi)
			ys = append(ys, p.Each...)
		}
	}
	if f.Y.Level != 0 {
		ys = append(ys, f.Y.Level)
	}
	xs, ys = append(xs, f.X.Holds...), append(ys, f.Y.Holds...)
	x, okX := f.X.limits(xs)
	y, okY := f.Y.limits(ys)
	return x, y, okX && okY
}

func (a Axis) limits(values []float64) (of [2]float64, ok bool) {
	if a.Scale == Named && len(a.Names) > 0 {
		return [2]float64{0, float64(len(a.Names) - 1)}, true
	}
	values = slices.DeleteFunc(values, func(v float64) bool { return math.IsNaN(a.At(v)) || math.IsInf(a.At(v), 0) })
	if len(values) == 0 {
		return of, false
	}
	return [2]float64{slices.Min(values), slices.Max(values)}, true
}

// HeatMap is a table with the colour of a ratio next to each number.
type HeatMap struct {
	Corner  string // above the names of the rows
	Columns []string
	Rows    []HeatRow
}

type HeatRow struct {
	Name  string
	Cells []HeatCell // one for each column
}

// HeatCell holds a ratio; the zero value stands for a cell that was not planned.
type HeatCell struct {
	Ratio float64 // 0 without one
	Sign  string  // before the number, such as "★"
	Word  string  // the sign in words, for readers who cannot see it
	Text  string  // the number
	Link  string  // ID of the figure that shows it, or ""
	Spark string  // path of the ratio over time, see Spark
}

// Limits of Spark, on a logarithmic axis, and its extent.
const (
	sparkLeast, sparkMost = .5, 8
	sparkWidth            = 40
	sparkHeight           = 10
)

// Spark returns the path of ratios over time, NaN where one is not known. It returns "" for fewer than two.
func Spark(ratios []float64) string {
	known, out := 0, ""
	for i, ratio := range ratios {
		if math.IsNaN(ratio) || ratio <= 0 {
			continue
		}
		x := math.Round(10*sparkWidth*float64(i)/float64(max(1, len(ratios)-1))) / 10
		y := sparkHeight * (1 - math.Log(min(max(ratio, sparkLeast), sparkMost)/sparkLeast)/math.Log(sparkMost/sparkLeast))
		out += fmt.Sprintf("%s%g %.1f", phrase.Either(known == 0, "M", "L"), x, y)
		known++
	}
	if known < 2 {
		return ""
	}
	return out
}

// Rewrite puts every text of the figure through a function: line for texts on one line, and cell
// for cells.
func (f *Figure) Rewrite(line, cell func(string) string) {
	f.Title, f.Text = line(f.Title), line(f.Text)
	for _, a := range []*Axis{&f.X, &f.Y} {
		a.Title, a.Names = line(a.Title), lists.Map(a.Names, line)
	}
	f.Series, f.Marks = slices.Clone(f.Series), slices.Clone(f.Marks)
	for i, s := range f.Series {
		f.Series[i].Name, f.Series[i].Points = line(s.Name), slices.Clone(s.Points)
		for j, p := range s.Points {
			f.Series[i].Points[j].Text = line(p.Text)
		}
	}
	for i, m := range f.Marks {
		f.Marks[i].Sign, f.Marks[i].Text = line(m.Sign), line(m.Text)
	}
	if n := f.Numbers; n != nil {
		f.Numbers = &Numbers{lists.Map(n.Head, line), n.Align, lists.Map(n.Rows, func(row []string) []string { return lists.Map(row, cell) })}
	}
}

func (h *HeatMap) Rewritten(line func(string) string) *HeatMap {
	out := HeatMap{line(h.Corner), lists.Map(h.Columns, line), slices.Clone(h.Rows)}
	for i, row := range h.Rows {
		out.Rows[i].Name, out.Rows[i].Cells = line(row.Name), slices.Clone(row.Cells)
		for j, c := range row.Cells {
			out.Rows[i].Cells[j].Sign, out.Rows[i].Cells[j].Word, out.Rows[i].Cells[j].Text = line(c.Sign), line(c.Word), line(c.Text)
		}
	}
	return &out
}

// Anchor makes an ID of words: small letters, digits, and "-" for all else.
func Anchor(words ...string) string {
	parts := strings.FieldsFunc(strings.Join(words, " "), func(r rune) bool {
		return !(r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z' || r >= '0' && r <= '9')
	})
	id := strings.ToLower(strings.Join(parts, "-"))
	const most = 80
	return cmp.Or(id[:min(len(id), most)], "figure")
}
