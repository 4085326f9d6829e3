package picture

import (
	"math"
	"slices"

	"pgmpi/internal/lists"
)

// The parts of a drawing are measured in its own units: about a pixel of a page.
const (
	drawingWidth  = 420
	drawingHeight = 290
	marginLeft    = 52
	marginRight   = 12
	marginTop     = 20
	marginBottom  = 38
	signRoom      = 32 // for the signs of marks, above all points
	signHeight    = 10
	rangeHeight   = 16 // of a row with a bar
	barHeight     = 9
	apart         = 8 // least distance of neighbouring labels
)

// Drawing holds a Figure laid out, whatever paints it. Places count from the upper left corner,
// downwards, and may be NaN.
type Drawing struct {
	Width, Height float64
	Frame         Box
	Bands, Bars   []Band    // below and above the grid
	Columns, Rows []float64 // of the grid: x and y of its lines
	Top           float64   // of its columns, below all signs
	Level         float64   // y of the line across, or NaN without one
	Labels        []Label
	Series        []Drawn
}

type Box struct{ Left, Top, Right, Bottom float64 }

// Band marks a filled part, and what a page says about it.
type Band struct {
	Box
	Tone Tone
	Text string
}

// Label holds a text. Its role is tick, axis, name or sign, and a sign has a tone.
type Label struct {
	Role, Anchor string // Anchor: start, middle or end, as in SVG
	Tone         Tone
	X, Y         float64 // Y of the line that letters stand on
	Text         string
}

// Drawn holds a series with the places of its points.
type Drawn struct {
	*Series
	Look   int // index into the looks
	Points []Placed
}

type Placed struct {
	X, Y, Lo, Hi float64
	Each         []float64
}

type frame struct {
	Box
	x, y   Axis
	lo, hi [2]float64 // x and y, as Axis.At has them
}

// Draw lays a figure out; ok is false where there is nothing to draw.
func (f *Figure) Draw() (d Drawing, ok bool) {
	x, y, ok := f.Limits()
	if !ok {
		return d, false
	}
	return f.within(x, y), true
}

// within lays a figure out with axes that show these limits, which panels share.
func (f *Figure) within(x, y [2]float64) Drawing {
	if len(f.Series) > 0 && f.Series[0].Form == Ranges {
		return f.drawRanges(x)
	}
	d := Drawing{Width: drawingWidth, Height: drawingHeight, Level: math.NaN(),
		Frame: Box{marginLeft, marginTop, drawingWidth - marginRight, drawingHeight - marginBottom}}
	m := frame{Box: d.Frame, x: f.X, y: f.Y}
	m.limits(x, y, len(f.Marks) > 0)
	if d.Top = d.Frame.Top; len(f.Marks) > 0 {
		d.Top += signRoom
	}
	d.bands(f, m)
	d.axes(f, m, x, y)
	for i := range f.Series {
		s := Drawn{Series: &f.Series[i], Look: lookOf(f.Series, i)}
		for _, p := range s.Series.Points {
			at := Placed{X: m.px(p.X), Y: m.py(p.Y), Lo: m.py(p.Lo), Hi: m.py(p.Hi)}
			at.Each = lists.Map(p.Each, m.py)
			s.Points = append(s.Points, at)
		}
		d.Series = append(d.Series, s)
	}
	return d
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
		m.hi[1] += (m.hi[1] - m.lo[1]) * signRoom / (m.Bottom - m.Top - signRoom)
	}
}

func nowhere(x float64) bool { return math.IsNaN(x) || math.IsInf(x, 0) }

// px says where a value lies from the left, and py from the top; it may be nowhere.
func (m *frame) px(x float64) float64 {
	return m.Left + (m.x.At(x)-m.lo[0])/(m.hi[0]-m.lo[0])*(m.Right-m.Left)
}

func (m *frame) py(y float64) float64 {
	return m.Bottom - (m.y.At(y)-m.lo[1])/(m.hi[1]-m.lo[1])*(m.Bottom-m.Top)
}

func (d *Drawing) bands(f *Figure, m frame) {
	for _, mark := range f.Marks {
		at := m.px(mark.X)
		if nowhere(at) {
			continue
		}
		half := m.halfWidth(f, mark.X)
		d.Bands = append(d.Bands, Band{Box{max(at-half, m.Left), m.Top, min(at+half, m.Right), m.Bottom}, mark.Tone, f.X.Label(mark.X) + ": " + mark.Text})
		for i, sign := range []rune(mark.Sign) {
			d.Labels = append(d.Labels, Label{"sign", "middle", mark.Tone, at, m.Top + signHeight*float64(i+1), string(sign)})
		}
	}
}

func (d *Drawing) label(role, anchor string, x, y float64, text string) {
	d.Labels = append(d.Labels, Label{Role: role, Anchor: anchor, X: x, Y: y, Text: text})
}

func (m *frame) halfWidth(f *Figure, x float64) float64 {
	nearest := (m.Right - m.Left) / 8
	for _, s := range f.Series {
		for _, p := range s.Points {
			if way := math.Abs(m.px(p.X) - m.px(x)); way > 0.5 {
				nearest = min(nearest, way)
			}
		}
	}
	return max(nearest/2, 1.5)
}

func (d *Drawing) axes(f *Figure, m frame, x, y [2]float64) {
	const mostY = 7
	d.columns(m, func(most int) []Tick {
		if f.X.Scale == Log2 {
			return f.sizeTicks(most)
		}
		return f.X.Ticks(x[0], x[1], most)
	})
	for _, t := range f.Y.Ticks(y[0], y[1], mostY) {
		at := m.py(t.Value)
		d.Rows = append(d.Rows, at)
		d.label("tick", "end", m.Left-5, at+4, t.Label)
	}
	if f.Y.Level != 0 {
		d.Level = m.py(f.Y.Level)
	}
	d.label("axis", "middle", (m.Left+m.Right)/2, m.Bottom+32, f.X.Title)
	d.label("axis", "start", 2, 12, f.Y.Title)
}

// columns draws as many columns as have room for their labels next to each other.
func (d *Drawing) columns(m frame, ticks func(most int) []Tick) {
	const most, least, widest = 11, 2, 1.2 // browsers without the font take a wider one
	for n := most; n >= least; n-- {
		d.Columns = nil
		labels, end, fits := []Label{}, math.Inf(-1), true
		for _, t := range ticks(n) {
			at, width := m.px(t.Value), widest*textWidth(t.Label)
			left := max(0, min(at-width/2, d.Width-width)) // inside of the drawing
			fits = fits && left >= end+apart
			end = left + width
			d.Columns = append(d.Columns, at)
			labels = append(labels, Label{Role: "tick", Anchor: "middle", X: left + width/2, Y: m.Bottom + 14, Text: t.Label})
		}
		if fits || n == least {
			d.Labels = append(d.Labels, labels...)
			return
		}
	}
}

func (f *Figure) drawRanges(x [2]float64) Drawing {
	points := f.Series[0].Points
	const mostName, mostText = drawingWidth / 2, drawingWidth / 4
	left, right := 0., 0.
	for _, p := range points {
		left, right = min(max(left, textWidth(f.Y.Label(p.Y))), mostName), min(max(right, textWidth(p.Text)), mostText)
	}
	bottom := float64(len(points)*rangeHeight + 4)
	d := Drawing{Width: drawingWidth, Height: bottom + marginBottom, Level: math.NaN(), Frame: Box{left + apart, 0, drawingWidth - right - 2*apart, bottom}}
	m := frame{Box: d.Frame, x: f.X}
	m.limits(x, [2]float64{0, 1}, false)
	d.columns(m, func(most int) []Tick { return f.X.Ticks(x[0], x[1], most) })
	d.label("axis", "middle", (m.Left+m.Right)/2, m.Bottom+32, f.X.Title)
	for i, p := range points {
		top := float64(i*rangeHeight) + 4
		lo := m.px(p.Lo)
		name := f.Y.Label(p.Y)
		d.Bars = append(d.Bars, Band{Box{lo, top, lo + max(m.px(p.Hi)-lo, 1), top + barHeight}, Plain, name + ": " + p.Text})
		d.label("name", "end", left, top+barHeight, fit(name, left))
		d.label("name", "end", drawingWidth-apart, top+barHeight, fit(p.Text, right))
	}
	return d
}

// shared returns the limits of both axes that suit all panels. ok is false if there is nothing to
// draw.
func shared(panels []Figure) (x, y [2]float64, ok bool) {
	var xs, ys []float64
	for i := range panels {
		if px, py, there := panels[i].Limits(); there {
			xs, ys = append(xs, px[:]...), append(ys, py[:]...)
		}
	}
	if len(xs) == 0 {
		return x, y, false
	}
	return [2]float64{slices.Min(xs), slices.Max(xs)}, [2]float64{slices.Min(ys), slices.Max(ys)}, true
}
