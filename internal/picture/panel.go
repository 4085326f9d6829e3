package picture

import (
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Lengths of pictures.
const (
	panelWidth  = 4.2 * vg.Inch
	panelHeight = 3.0 * vg.Inch
	rangeRow    = 14 * vg.Inch / 72 // a bar with its name
	titleSize   = 10
	textSize    = 8
	signSize    = 9
	fewPoints   = 30 // of a line: each has a spot
)

// limits are what an axis shows.
type limits struct{ lo, hi float64 }

// common are the limits of both axes that suit all panels; ok is false where there is nothing to draw.
func common(panels []Figure) (x, y limits, ok bool) {
	for i := range panels {
		px, py, there := panels[i].Limits()
		if !there {
			continue
		}
		if !ok {
			x, y, ok = limits{px[0], px[1]}, limits{py[0], py[1]}, true
			continue
		}
		x, y = limits{min(x.lo, px[0]), max(x.hi, px[1])}, limits{min(y.lo, py[0]), max(y.hi, py[1])}
	}
	return x, y, ok
}

// panel is a figure as a plot; it may have a title of its own.
func panel(f *Figure, title string, x, y limits) *plot.Plot {
	p := plot.New()
	p.Title.Text = shown(title)
	p.Title.TextStyle.Font.Size = vg.Points(textSize + 1)
	p.Title.Padding = vg.Points(4)
	room := 0.04
	if slices.ContainsFunc(f.Marks, func(m Mark) bool { return m.Sign != "" }) {
		room = 0.14 // above all points, for the signs
	}
	xTicks, beside := 8, 0.0
	const yTicks = 7
	if f.Y.Scale == Named {
		beside = besideBars(f)
		xTicks = 4
	}
	axis(&p.X, f.X, x, 0.04, 0.04, xTicksOf(f, x, xTicks))
	axis(&p.Y, f.Y, y, 0.04, room, ticksOf(f.Y, y, yTicks))
	if f.Y.Scale == Named {
		upsideDown(&p.Y, f.Y)
		p.X.Max = p.X.Min + (p.X.Max-p.X.Min)/(1-beside)
	}
	p.Add(grid{}, marks{f}, level{f})
	for i := range f.Series {
		p.Add(series{f, &f.Series[i], paletteOf(f.Series, i)})
	}
	return p
}

// besideBars is the share of the width that the texts of bars need.
func besideBars(f *Figure) float64 {
	names, texts := vg.Length(0), vg.Length(0)
	for _, name := range f.Y.Names {
		names = max(names, style(textSize).Width(shown(name)))
	}
	for _, s := range f.Series {
		for _, k := range s.Points {
			texts = max(texts, style(textSize-1).Width(shown(k.Text)))
		}
	}
	const most = 0.6
	return min(float64((texts+margin)/max(panelWidth-names-4*margin, 1)), most)
}

// axis sets an axis up. Values are drawn where report.Axis.At puts them.
func axis(a *plot.Axis, of Axis, l limits, before, after float64, ticks []Tick) {
	a.Label.Text = shown(of.Title)
	a.Label.TextStyle.Font.Size = vg.Points(textSize)
	a.Tick.Label.Font.Size = vg.Points(textSize)
	a.Tick.Length = vg.Points(3)
	a.Padding = 0
	lo, hi := of.At(l.lo), of.At(l.hi)
	if of.Scale == Named {
		before, after = 0.5/max(hi-lo, 1), 0.5/max(hi-lo, 1)
	}
	span := hi - lo
	if !(span > 0) {
		span = 1
	}
	a.Min, a.Max = lo-before*span, hi+after*span
	var out plot.ConstantTicks
	for _, t := range ticks {
		out = append(out, plot.Tick{Value: of.At(t.Value), Label: shown(t.Label)})
	}
	a.Tick.Marker = out
}

// xTicksOf are the ticks of the x axis of a figure: of sizes only those that were measured.
func xTicksOf(f *Figure, l limits, most int) []Tick {
	if f.X.Scale != Log2 {
		return ticksOf(f.X, l, most)
	}
	const room = 0.08 // of the width, for a label
	lo, hi := f.X.At(l.lo), f.X.At(l.hi)
	return f.SizeTicks(most, room, func(size float64) float64 { return (f.X.At(size) - lo) / max(hi-lo, 1) })
}

// ticksOf are the ticks of an axis; a logarithmic one that shows less than a decade may need other
// values than powers of ten.
func ticksOf(a Axis, l limits, most int) []Tick {
	out := a.Ticks(l.lo, l.hi, most)
	const few = 3
	if a.Scale == Log && len(out) < few {
		linear := a
		linear.Scale = Linear
		if more := linear.Ticks(l.lo, l.hi, most); len(more) > len(out) {
			return more
		}
	}
	return out
}

// upsideDown has the first of the names at the top.
func upsideDown(a *plot.Axis, of Axis) {
	var out plot.ConstantTicks
	for i, name := range of.Names {
		out = append(out, plot.Tick{Value: -float64(i), Label: shown(name)})
	}
	a.Tick.Marker = out
	a.Min, a.Max = -float64(len(of.Names))+0.5-0.1, 0.6
}

func style(size float64) text.Style {
	return text.Style{Color: color.Black, Font: font.From(plot.DefaultFont, vg.Points(size)), Handler: plot.DefaultTextHandler}
}

// grid draws a line at every tick.
type grid struct{}

func (grid) Plot(c draw.Canvas, p *plot.Plot) {
	tx, ty := p.Transforms(&c)
	line := draw.LineStyle{Color: color.Gray{0xe2}, Width: vg.Points(0.4)}
	for _, t := range p.X.Tick.Marker.Ticks(p.X.Min, p.X.Max) {
		c.StrokeLine2(line, tx(t.Value), c.Min.Y, tx(t.Value), c.Max.Y)
	}
	for _, t := range p.Y.Tick.Marker.Ticks(p.Y.Min, p.Y.Max) {
		c.StrokeLine2(line, c.Min.X, ty(t.Value), c.Max.X, ty(t.Value))
	}
}

// level draws the line across at the level of an axis.
type level struct{ *Figure }

func (l level) Plot(c draw.Canvas, p *plot.Plot) {
	line := draw.LineStyle{Color: color.Gray{0x60}, Width: vg.Points(0.8), Dashes: []vg.Length{vg.Points(4), vg.Points(3)}}
	tx, ty := p.Transforms(&c)
	if y := l.Y.Level; y != 0 {
		c.StrokeLine2(line, c.Min.X, ty(l.Y.At(y)), c.Max.X, ty(l.Y.At(y)))
	}
	if x := l.X.Level; x != 0 {
		c.StrokeLine2(line, tx(l.X.At(x)), c.Min.Y, tx(l.X.At(x)), c.Max.Y)
	}
}

// shades are the colours behind what is marked.
var shades = map[Tone]color.Color{
	Slow:     color.RGBA{0xfa, 0xd8, 0xd0, 0xff},
	Open:     color.RGBA{0xfb, 0xf0, 0xc4, 0xff},
	Possible: color.RGBA{0xd5, 0xee, 0xdc, 0xff},
}

// marks shades the places that a figure marks, with their signs above; without a tone they are a line.
type marks struct{ *Figure }

func (m marks) Plot(c draw.Canvas, p *plot.Plot) {
	tx, _ := p.Transforms(&c)
	half := m.halfStep() / (p.X.Max - p.X.Min) * float64(c.Max.X-c.Min.X)
	for _, k := range m.Marks {
		x := tx(m.X.At(k.X))
		shade, shaded := shades[k.Tone]
		if shaded {
			c.FillPolygon(shade, c.ClipPolygonX([]vg.Point{{X: x - vg.Length(half), Y: c.Min.Y}, {X: x + vg.Length(half), Y: c.Min.Y},
				{X: x + vg.Length(half), Y: c.Max.Y}, {X: x - vg.Length(half), Y: c.Max.Y}}))
		} else {
			c.StrokeLine2(draw.LineStyle{Color: color.Gray{0x90}, Width: vg.Points(0.6), Dashes: []vg.Length{vg.Points(1.5), vg.Points(2)}}, x, c.Min.Y, x, c.Max.Y)
		}
		sty := style(signSize)
		sty.XAlign, sty.YAlign = text.XCenter, text.YTop
		c.FillText(sty, vg.Point{X: x, Y: c.Max.Y - vg.Points(2)}, shown(k.Sign))
	}
}

// halfStep is half of the least distance between two points of a figure along the x axis.
func (m marks) halfStep() float64 {
	var xs []float64
	for _, s := range m.Series {
		for _, p := range s.Points {
			if x := m.X.At(p.X); !math.IsNaN(x) {
				xs = append(xs, x)
			}
		}
	}
	slices.Sort(xs)
	xs = slices.Compact(xs)
	least := math.Inf(1)
	for i := 1; i < len(xs); i++ {
		least = min(least, xs[i]-xs[i-1])
	}
	if math.IsInf(least, 1) {
		return 0.25
	}
	return least / 2
}
