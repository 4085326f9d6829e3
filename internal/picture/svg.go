package picture

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// The parts of a drawing, in its own units, which a page scales to the room it has.
const (
	drawingWidth  = 420
	drawingHeight = 290
	marginLeft    = 52
	marginRight   = 12
	marginTop     = 20
	marginBottom  = 38
	signRoom      = 32 // for the signs of marks, above all points
	signHeight    = 10
	rangeHeight   = 30 // of a bar with its name
	barHeight     = 9
	whisker       = 3   // half of its bar; one that is no longer than that is hidden by its point
	dotStep       = 2   // of the heights of dots
	letterHalf    = 3.2 // half of the usual width of a letter
)

// drawing is a Figure laid out: numbers and paths of SVG.
type Drawing struct {
	Width, Height float64
	Bands, Bars   []band // below and above the grid
	Grid, Level   string // paths
	Labels        []textGroup
	Series        []drawn
}

// band is a shaded part of the width.
type band struct {
	X, Y, Width, Height string
	Class, Text         string
}

// label is a text. With several X it has a character at each.
type label struct{ X, Y, Text string }

// textGroup is labels that have class and anchor in common.
type textGroup struct {
	Class, Anchor string
	Texts         []label
}

// drawn is a series as paths; those that are empty are not there.
type drawn struct {
	Class, Spot                 string
	Each, Whiskers, Line, Spots string
}

// frame maps values to the units of a drawing.
type frame struct {
	x, y                     Axis
	lo, hi                   [2]float64 // x and y, as Axis.At has them
	left, top, right, bottom float64
}

// draw lays a figure out; ok is false where there is nothing to draw.
func (f *Figure) Draw() (d Drawing, ok bool) {
	x, y, ok := f.Limits()
	if !ok {
		return d, false
	}
	if len(f.Series) > 0 && f.Series[0].Form == Ranges {
		return f.drawRanges(x), true
	}
	d = Drawing{Width: drawingWidth, Height: drawingHeight}
	m := frame{x: f.X, y: f.Y, left: marginLeft, top: marginTop, right: drawingWidth - marginRight, bottom: drawingHeight - marginBottom}
	m.limits(x, y, len(f.Marks) > 0)
	d.bands(f, m)
	d.axes(f, m, x, y)
	for i := range f.Series {
		d.Series = append(d.Series, m.series(&f.Series[i], i))
	}
	return d, true
}

// limits leaves room around all points, and above them for signs.
func (m *frame) limits(x, y [2]float64, signs bool) {
	for i, a := range []Axis{m.x, m.y} {
		of := [][2]float64{x, y}[i]
		lo, hi := a.At(of[0]), a.At(of[1])
		pad := 0.04 * (hi - lo)
		if hi == lo {
			pad = 0.5
		}
		m.lo[i], m.hi[i] = lo-pad, hi+pad
	}
	if signs {
		m.hi[1] += (m.hi[1] - m.lo[1]) * signRoom / (m.bottom - m.top - signRoom)
	}
}

// nowhere tells whether a coordinate is none.
func nowhere(x float64) bool { return math.IsNaN(x) || math.IsInf(x, 0) }

// px is where a value lies from the left, and py from the top; it may be nowhere.
func (m *frame) px(x float64) float64 {
	return m.left + (m.x.At(x)-m.lo[0])/(m.hi[0]-m.lo[0])*(m.right-m.left)
}

func (m *frame) py(y float64) float64 {
	return m.bottom - (m.y.At(y)-m.lo[1])/(m.hi[1]-m.lo[1])*(m.bottom-m.top)
}

// coordinate writes a whole number: a unit is about a pixel, and a page has many.
func coordinate(x float64) string { return strconv.Itoa(int(math.Round(x))) }

// path writes commands with their numbers: path("M", x, y, "h", 3).
func path(parts ...any) string {
	var out strings.Builder
	number := false
	for _, p := range parts {
		switch p := p.(type) {
		case string:
			out.WriteString(p)
			number = false
		case float64:
			text := coordinate(p)
			if number && !strings.HasPrefix(text, "-") {
				out.WriteByte(' ')
			}
			out.WriteString(text)
			number = true
		}
	}
	return out.String()
}

// bandClasses are those of the tones of marks.
var bandClasses = map[Tone]string{Plain: "plain", Slow: "slow", Possible: "possible", Open: "open"}

// bands shades what the marks are about, with their signs one below the other.
func (d *Drawing) bands(f *Figure, m frame) {
	for _, mark := range f.Marks {
		at := m.px(mark.X)
		if nowhere(at) {
			continue
		}
		half := m.halfWidth(f, mark.X)
		lo, hi := max(at-half, m.left), min(at+half, m.right)
		class := bandClasses[mark.Tone]
		d.Bands = append(d.Bands, band{coordinate(lo), coordinate(m.top), coordinate(hi - lo), coordinate(m.bottom - m.top), class, f.X.Label(mark.X) + ": " + mark.Text})
		for i, sign := range []rune(mark.Sign) {
			d.sign("sign "+class, at, m.top+signHeight*float64(i+1), string(sign))
		}
	}
}

// label adds a text; its anchor is start, middle or end.
func (d *Drawing) label(class, anchor string, x, y float64, text string) *textGroup {
	at := slices.IndexFunc(d.Labels, func(l textGroup) bool { return l.Class == class && l.Anchor == anchor })
	if at < 0 {
		at = len(d.Labels)
		d.Labels = append(d.Labels, textGroup{Class: class, Anchor: anchor})
	}
	d.Labels[at].Texts = append(d.Labels[at].Texts, label{coordinate(x), coordinate(y), text})
	return &d.Labels[at]
}

// sign adds a sign to those of its class and height: in a text with many x, each is of one character.
func (d *Drawing) sign(class string, x, y float64, text string) {
	of := d.label(class, "middle", x, y, text)
	n := len(of.Texts) - 1
	at := slices.IndexFunc(of.Texts[:n], func(l label) bool { return l.Y == of.Texts[n].Y })
	if at >= 0 {
		of.Texts[at].X += " " + of.Texts[n].X
		of.Texts[at].Text += text
		of.Texts = of.Texts[:n]
	}
}

// halfWidth is half of the way to the nearest other point.
func (m *frame) halfWidth(f *Figure, x float64) float64 {
	nearest := (m.right - m.left) / 8
	for _, s := range f.Series {
		for _, p := range s.Points {
			if way := math.Abs(m.px(p.X) - m.px(x)); way > 0.5 {
				nearest = min(nearest, way)
			}
		}
	}
	return max(nearest/2, 1.5)
}

// axes draws the grid, the level and all labels.
func (d *Drawing) axes(f *Figure, m frame, x, y [2]float64) {
	mostX, mostY := 11, 7
	if f.X.Scale == Named {
		longest := 1
		for _, name := range f.X.Names {
			longest = max(longest, len([]rune(name)))
		}
		mostX = max(2, int((m.right-m.left)/(2*letterHalf*float64(longest)+10)))
	}
	var grid strings.Builder
	ticks := f.X.Ticks(x[0], x[1], mostX)
	if f.X.Scale == Log2 {
		const room = 28
		ticks = f.SizeTicks(mostX, room, m.px)
	}
	for _, t := range ticks {
		at := m.px(t.Value)
		grid.WriteString(path("M", at, m.top, "V", m.bottom))
		d.label("tick", m.side(at, t.Label), at, m.bottom+14, t.Label)
	}
	for _, t := range f.Y.Ticks(y[0], y[1], mostY) {
		at := m.py(t.Value)
		grid.WriteString(path("M", m.left, at, "H", m.right))
		d.label("tick", "end", m.left-5, at+4, t.Label)
	}
	d.Grid = grid.String()
	if f.Y.Level != 0 {
		d.Level = path("M", m.left, m.py(f.Y.Level), "H", m.right)
	}
	d.label("axis", "middle", (m.left+m.right)/2, m.bottom+32, f.X.Title)
	d.label("axis", "start", 2, 12, f.Y.Title)
}

// side anchors a label so that it stays inside of the drawing.
func (m *frame) side(at float64, text string) string {
	half := letterHalf * float64(len([]rune(text)))
	switch {
	case at-half < 0:
		return "start"
	case at+half > m.right+marginRight:
		return "end"
	}
	return "middle"
}

// seriesClasses is how many kinds of lines a page tells apart.
const seriesClasses = 6

// class is that of the n-th series of a figure.
func (s *Series) Class(n int) string {
	kind := int(s.Role)
	if s.Role == Other {
		kind = max(n, kind) % seriesClasses
	}
	return fmt.Sprintf("s%d", kind)
}

// series draws the points of one; those that lie nowhere are left out.
func (m *frame) series(s *Series, n int) drawn {
	out := drawn{Class: s.Class(n), Spot: s.Role.Spot()}
	var each, whiskers, line, spots strings.Builder
	command := "M"
	for _, p := range s.Points {
		x, y := math.Round(m.px(p.X)), math.Round(m.py(p.Y))
		if nowhere(x) || nowhere(y) {
			continue
		}
		each.WriteString(m.each(x, p.Each))
		if lo, hi := math.Round(m.py(p.Lo)), math.Round(m.py(p.Hi)); !nowhere(lo) && !nowhere(hi) && max(lo-y, y-hi) >= whisker {
			whiskers.WriteString(path("M", x-whisker, lo, "h", 2.*whisker, "m", -1.*whisker, 0., "V", hi, "m", -1.*whisker, 0., "h", 2.*whisker))
		}
		line.WriteString(path(command, x, y))
		command = "L"
		spots.WriteString(Spot(s.Role, x, y))
	}
	out.Each, out.Whiskers, out.Spots = each.String(), whiskers.String(), spots.String()
	if s.Form == Line {
		out.Line = line.String()
	}
	return out
}

// each draws dots above each other, those in one place as one: each is moved to from the one before.
func (m *frame) each(x float64, values []float64) string {
	var heights []float64
	for _, v := range values {
		if at := dotStep * math.Round(m.py(v)/dotStep); !nowhere(at) {
			heights = append(heights, at)
		}
	}
	slices.Sort(heights)
	var out strings.Builder
	for i, at := range slices.Compact(heights) {
		if i == 0 {
			out.WriteString(path("M", x, at, "h", 0.))
		} else {
			out.WriteString(path("m", 0., at-heights[i-1], "h", 0.))
		}
	}
	return out.String()
}

// The marks of points, so that colours are not needed: a circle or a square is the end of a line that has no length.
func (r Role) Spot() string {
	switch r {
	case Call:
		return "round"
	case Instead:
		return "square"
	case Other:
	}
	return "spots"
}

// spot is the mark of a point, drawn by what its Role.spot says.
func Spot(of Role, x, y float64) string {
	if of == Call || of == Instead {
		return path("M", x, y, "h", 0.)
	}
	return path("M", x, y-4, "l", 4., 7., "h", -8., "z")
}

// drawRanges draws bars, each below its name.
func (f *Figure) drawRanges(x [2]float64) Drawing {
	points := f.Series[0].Points
	bottom := float64(len(points)*rangeHeight + 4)
	d := Drawing{Width: drawingWidth, Height: bottom + marginBottom}
	m := frame{x: f.X, y: Axis{}, left: 4, top: 0, right: drawingWidth - marginRight, bottom: bottom}
	m.limits(x, [2]float64{0, 1}, false)
	var grid strings.Builder
	for _, t := range f.X.Ticks(x[0], x[1], 7) {
		at := m.px(t.Value)
		grid.WriteString(path("M", at, m.top, "V", m.bottom))
		d.label("tick", m.side(at, t.Label), at, m.bottom+14, t.Label)
	}
	d.Grid = grid.String()
	d.label("axis", "middle", (m.left+m.right)/2, m.bottom+32, f.X.Title)
	for i, p := range points {
		top := float64(i*rangeHeight) + 17
		lo, hi := m.px(p.Lo), m.px(p.Hi)
		name := f.Y.Label(p.Y)
		d.Bars = append(d.Bars, band{coordinate(lo), coordinate(top), coordinate(max(hi-lo, 1)), fmt.Sprint(barHeight), "bar", name + ": " + p.Text})
		d.label("name", "start", m.left, top-4, name)
		d.label("name", "end", m.right, top-4, p.Text)
	}
	return d
}
