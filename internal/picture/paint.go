package picture

import (
	"image/color"
	"io"
	"math"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgpdf"
	"gonum.org/v1/plot/vg/vgsvg"
)

// The program has one font for all pictures.
func init() {
	plot.DefaultFont.Typeface, plot.DefaultFont.Variant = "Liberation", "Sans"
}

const (
	dotsPerInch = 200 // of a PNG
	unit        = 0.72 * vg.Inch / 72
	margin      = 6 * vg.Inch / 72
	titleSize   = 10
	textSize    = 8
	signSize    = 9
	fewPoints   = 30 // of a line: each has a spot
	titleRow    = 14 * vg.Inch / 72
	keyWidth    = 24 * vg.Inch / 72
)

func writePDF(w io.Writer, p *Picture) error {
	return write(w, p, func(width, height vg.Length) vg.CanvasWriterTo { return vgpdf.New(width, height) })
}

func writeSVG(w io.Writer, p *Picture) error {
	return write(w, p, func(width, height vg.Length) vg.CanvasWriterTo { return vgsvg.New(width, height) })
}

func writePNG(w io.Writer, p *Picture) error {
	return write(w, p, func(width, height vg.Length) vg.CanvasWriterTo {
		return vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(width, height), vgimg.UseDPI(dotsPerInch), vgimg.UseBackgroundColor(color.White))}
	})
}

// write paints the picture on a canvas of the size that it needs.
func write(w io.Writer, p *Picture, canvas func(width, height vg.Length) vg.CanvasWriterTo) error {
	layout := p.panels
	if p.Heat != nil {
		layout = p.heat
	}
	width, height, paint := layout()
	c := canvas(width, height)
	on := brush{draw.New(c)}
	on.fill(color.White, on.Min.X, on.Min.Y, on.Max.X, on.Max.Y)
	paint(on)
	_, err := c.WriteTo(w)
	return err
}

// panels have the same axes, at most three stand in a row, and one legend is above them all.
func (p *Picture) panels() (width, height vg.Length, paint func(brush)) {
	x, y, ok := shared(p.Panels)
	var drawings []Drawing
	each := vg.Length(0)
	for i := range p.Panels {
		if ok {
			drawings = append(drawings, p.Panels[i].within(x, y))
		} else {
			drawings = append(drawings, Drawing{Width: drawingWidth, Height: drawingHeight, Level: math.NaN()})
		}
		each = max(each, vg.Length(drawings[i].Height)*unit)
	}
	const most = 3
	columns := min(len(drawings), most)
	rows := (len(drawings) + columns - 1) / columns
	if len(drawings) > 1 {
		each += titleRow
	}
	width = vg.Length(columns)*drawingWidth*unit + 2*margin
	keys, keyRows := legendOf(drawings, width-2*margin)
	head := titleRow + margin
	strip := head + vg.Length(keyRows)*titleRow + margin
	return width, strip + vg.Length(rows)*each + margin, func(c brush) {
		c.title(p.Title)
		c.legend(keys, c.Max.Y-head)
		for i := range drawings {
			left, top := c.Min.X+margin+vg.Length(i%columns)*drawingWidth*unit, c.Max.Y-strip-vg.Length(i/columns)*each
			if len(drawings) > 1 {
				c.write(textSize+1, text.XCenter, left+drawingWidth*unit/2, top-textSize, p.Panels[i].Title)
				top -= titleRow
			}
			c.drawing(&drawings[i], left, top)
		}
	}
}

// brush paints on a canvas, whose y count upwards.
type brush struct{ draw.Canvas }

func (c brush) fill(colour color.Color, left, bottom, right, top vg.Length) {
	c.FillPolygon(colour, []vg.Point{{X: left, Y: bottom}, {X: right, Y: bottom}, {X: right, Y: top}, {X: left, Y: top}})
}

// write puts a text on a line at y.
func (c brush) write(size float64, align text.XAlignment, x, y vg.Length, what string) {
	sty := style(size)
	sty.XAlign = align
	c.FillText(sty, vg.Point{X: x, Y: y}, shown(what))
}

func style(size float64) text.Style {
	return text.Style{Color: color.Black, Font: font.From(plot.DefaultFont, vg.Points(size)), Handler: plot.DefaultTextHandler}
}

// title is at the top, small enough to fit.
func (c brush) title(title string) {
	size := float64(titleSize)
	if width, room := style(size).Width(shown(title)), c.Max.X-c.Min.X-2*margin; width > room {
		size *= float64(room / width)
	}
	c.write(size, text.XCenter, c.Center().X, c.Max.Y-margin-titleSize, title)
}

// key is a series in the legend, with its place: from the left, and its row.
type key struct {
	*Drawn
	x   vg.Length
	row int
}

// legendOf has the series of all drawings, each name once, in rows of this width; a single one needs none.
func legendOf(drawings []Drawing, width vg.Length) (keys []key, rows int) {
	seen := map[string]bool{}
	x, row := vg.Length(0), 0
	for i := range drawings {
		for n := range drawings[i].Series {
			s := &drawings[i].Series[n]
			if seen[s.Name] {
				continue
			}
			seen[s.Name] = true
			needs := keyWidth + style(textSize).Width(shown(s.Name)) + margin
			if x > 0 && x+needs > width {
				x, row = 0, row+1
			}
			keys = append(keys, key{s, x, row})
			x += needs
		}
	}
	if len(keys) < 2 {
		return nil, 0
	}
	return keys, row + 1
}

func (c brush) legend(keys []key, top vg.Length) {
	for _, k := range keys {
		l, x, y := looks[k.Look], c.Min.X+margin+k.x, top-vg.Length(k.row)*titleRow-titleRow/2
		if k.Form == Line {
			c.StrokeLine2(draw.LineStyle{Color: l.colour, Width: vg.Points(1.1), Dashes: l.dashes}, x, y, x+keyWidth-margin, y)
		}
		c.DrawGlyph(draw.GlyphStyle{Color: l.colour, Radius: vg.Points(2.2), Shape: l.spot}, vg.Point{X: x + (keyWidth-margin)/2, Y: y})
		c.write(textSize, text.XLeft, x+keyWidth, y-textSize/3, k.Name)
	}
}

// shades are the colours behind what is marked; what has none is a line.
var shades = map[Tone]color.Color{
	Slow:     color.RGBA{0xfa, 0xd8, 0xd0, 0xff},
	Open:     color.RGBA{0xfb, 0xf0, 0xc4, 0xff},
	Possible: color.RGBA{0xd5, 0xee, 0xdc, 0xff},
}

var anchors = map[string]text.XAlignment{"start": text.XLeft, "middle": text.XCenter, "end": text.XRight}

// drawing paints one whose upper left corner is there.
func (c brush) drawing(d *Drawing, left, top vg.Length) {
	x := func(at float64) vg.Length { return left + vg.Length(at)*unit }
	y := func(at float64) vg.Length { return top - vg.Length(at)*unit }
	box := func(colour color.Color, b Box) { c.fill(colour, x(b.Left), y(b.Bottom), x(b.Right), y(b.Top)) }
	for _, b := range d.Bands {
		if shade, ok := shades[b.Tone]; ok {
			box(shade, b.Box)
			continue
		}
		middle := x((b.Left + b.Right) / 2)
		c.StrokeLine2(draw.LineStyle{Color: color.Gray{0x90}, Width: vg.Points(0.6), Dashes: []vg.Length{vg.Points(1.5), vg.Points(2)}}, middle, y(b.Bottom), middle, y(b.Top))
	}
	line := draw.LineStyle{Color: color.Gray{0xe2}, Width: vg.Points(0.4)}
	for _, at := range d.Columns {
		c.StrokeLine2(line, x(at), y(d.Frame.Top), x(at), y(d.Frame.Bottom))
	}
	for _, at := range d.Rows {
		c.StrokeLine2(line, x(d.Frame.Left), y(at), x(d.Frame.Right), y(at))
	}
	if !nowhere(d.Level) {
		level := draw.LineStyle{Color: color.Gray{0x60}, Width: vg.Points(0.8), Dashes: []vg.Length{vg.Points(4), vg.Points(3)}}
		c.StrokeLine2(level, x(d.Frame.Left), y(d.Level), x(d.Frame.Right), y(d.Level))
	}
	for _, b := range d.Bars {
		box(looks[Call].colour, b.Box)
	}
	for i := range d.Series {
		c.series(&d.Series[i], x, y)
	}
	for _, l := range d.Labels {
		size := float64(textSize)
		if l.Role == "sign" {
			size = signSize
		}
		c.write(size, anchors[l.Anchor], x(l.X), y(l.Y), l.Text)
	}
}

// series paints points, what they are the middle of, and their intervals.
func (c brush) series(s *Drawn, x, y func(float64) vg.Length) {
	l := looks[s.Look]
	faint := color.RGBA{lighter(l.colour.R), lighter(l.colour.G), lighter(l.colour.B), 0xff}
	thin := draw.LineStyle{Color: l.colour, Width: vg.Points(0.7)}
	var line []vg.Point
	for _, p := range s.Points {
		if nowhere(p.X) {
			continue
		}
		for _, at := range p.Each {
			if !nowhere(at) {
				c.DrawGlyph(draw.GlyphStyle{Color: faint, Radius: vg.Points(1.1), Shape: l.spot}, vg.Point{X: x(p.X), Y: y(at)})
			}
		}
		if !nowhere(p.Lo) && !nowhere(p.Hi) {
			const half = 2
			c.StrokeLine2(thin, x(p.X), y(p.Lo), x(p.X), y(p.Hi))
			c.StrokeLine2(thin, x(p.X)-half, y(p.Lo), x(p.X)+half, y(p.Lo))
			c.StrokeLine2(thin, x(p.X)-half, y(p.Hi), x(p.X)+half, y(p.Hi))
		}
		if !nowhere(p.Y) {
			line = append(line, vg.Point{X: x(p.X), Y: y(p.Y)})
		}
	}
	if s.Form == Line && len(line) > 1 {
		c.StrokeLines(draw.LineStyle{Color: l.colour, Width: vg.Points(1.1), Dashes: l.dashes}, line)
	}
	radius := vg.Points(2.2)
	if len(line) > fewPoints {
		radius = vg.Points(0.9)
	}
	if s.Form == Dots || len(line) <= fewPoints {
		for _, point := range line {
			c.DrawGlyph(draw.GlyphStyle{Color: l.colour, Radius: radius, Shape: l.spot}, point)
		}
	}
}

func lighter(part uint8) uint8 { return uint8(255 - (255-int(part))*45/100) }

// inFont spells what the font of PDF files has no character for.
var inFont = strings.NewReplacer("★", "*", "▲", "+", "▼", "−", "−", "-", "≤", "<=", "≥", ">=", "→", "->", "✗", "x", "●", "*")

// shown is a text as pictures can show it.
func shown(text string) string {
	return strings.Map(func(r rune) rune {
		if r > 0xff && !strings.ContainsRune("–—…•", r) {
			return '?'
		}
		return r
	}, inFont.Replace(text))
}
