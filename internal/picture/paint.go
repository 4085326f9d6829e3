package picture

import (
	"fmt"
	"image/color"
	"io"
	"math"
	"strings"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgpdf"
	"gonum.org/v1/plot/vg/vgsvg"

	"pgmpi/internal/lists"
)

const (
	dotsPerInch = 200 // of a PNG
	unit        = 0.72 * vg.Inch / 72
	margin      = 6 * vg.Inch / 72
	titleSize   = 14
	fewPoints   = 30 // of a line: each has a spot
	titleRow    = 14 * vg.Inch / 72
	keyWidth    = 24 * vg.Inch / 72
)

func writePDF(w io.Writer, p *Picture) error {
	return write(w, p, func(width, height vg.Length) vg.CanvasWriterTo { return pdfCanvas{vgpdf.New(width, height)} })
}

// pdfCanvas hands text over in the encoding of the canvas's font, which has a byte for each character.
type pdfCanvas struct{ *vgpdf.Canvas }

func (c pdfCanvas) FillString(face font.Face, at vg.Point, text string) {
	c.Canvas.FillString(face, at, windows1252(text))
}

// beyondLatin1 are the other characters of Windows-1252 that pictures have.
var beyondLatin1 = map[rune]byte{'…': 0x85, '•': 0x95, '–': 0x96, '—': 0x97}

// windows1252 encodes what shown has left of a text.
func windows1252(text string) string {
	var out []byte
	for _, r := range text {
		b, beyond := beyondLatin1[r]
		if !beyond {
			b = byte(r)
		}
		out = append(out, b)
	}
	return string(out)
}

func writeSVG(w io.Writer, p *Picture) error {
	return write(w, p, func(width, height vg.Length) vg.CanvasWriterTo { return vgsvg.New(width, height) })
}

func writePNG(w io.Writer, p *Picture) error {
	return write(w, p, func(width, height vg.Length) vg.CanvasWriterTo {
		return vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(width, height), vgimg.UseDPI(dotsPerInch), vgimg.UseBackgroundColor(color.White))}
	})
}

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

// panels lays out panels with the same axes, at most three in a row. One legend stands above all.
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
				c.write(signSize, text.XCenter, left+drawingWidth*unit/2, top-signSize*unit, p.Panels[i].Title)
				top -= titleRow
			}
			c.drawing(&drawings[i], left, top)
		}
	}
}

// brush paints on a canvas, whose y counts upwards.
type brush struct{ draw.Canvas }

func (c brush) fill(colour color.Color, left, bottom, right, top vg.Length) {
	c.FillPolygon(colour, []vg.Point{{X: left, Y: bottom}, {X: right, Y: bottom}, {X: right, Y: top}, {X: left, Y: top}})
}

func (c brush) write(size float64, align text.XAlignment, x, y vg.Length, what string) {
	c.in(style(size), align, x, y, what)
}

func (c brush) in(sty text.Style, align text.XAlignment, x, y vg.Length, what string) {
	sty.XAlign = align
	c.FillText(sty, vg.Point{X: x, Y: y}, shown(what))
}

func (c brush) title(title string) {
	size := float64(titleSize)
	if width, room := style(size).Width(shown(title)), c.Max.X-c.Min.X-2*margin; width > room {
		size *= float64(room / width)
	}
	c.write(size, text.XCenter, c.Center().X, c.Max.Y-margin-titleSize*unit, title)
}

// key places a series in the legend: from the left, and in a row.
type key struct {
	*Drawn
	x   vg.Length
	row int
}

// legendOf returns the series of all drawings, each name once, in rows of this width; a single one
// needs no legend.
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
			needs := keyWidth + style(letterSize).Width(shown(s.Name)) + margin
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
		x, y := c.Min.X+margin+k.x, top-vg.Length(k.row)*titleRow-titleRow/2
		if k.Form == Line {
			c.StrokeLine2(line(k.Look, lineWidth), x, y, x+keyWidth-margin, y)
		}
		c.spot(k.Look, 1, vg.Point{X: x + (keyWidth-margin)/2, Y: y})
		c.write(letterSize, text.XLeft, x+keyWidth, y-letterSize*unit/3, k.Name)
	}
}

// line returns the style of a look's line; only the widest has dashes.
func line(of int, width float64) draw.LineStyle {
	l := draw.LineStyle{Color: colourOf(fmt.Sprint("s", of)), Width: vg.Length(width) * unit}
	for _, d := range looks[of].dashes {
		if width == lineWidth {
			l.Dashes = append(l.Dashes, vg.Length(d)*unit)
		}
	}
	return l
}

func (c brush) spot(of int, scale vg.Length, at vg.Point) {
	colour := colourOf(fmt.Sprint("s", of))
	if looks[of].spot == nil {
		c.DrawGlyph(draw.GlyphStyle{Color: colour, Radius: spotSize / 2 * scale * unit, Shape: draw.CircleGlyph{}}, at)
		return
	}
	c.FillPolygon(colour, lists.Map(looks[of].spot, func(k [2]float64) vg.Point {
		return vg.Point{X: at.X + vg.Length(k[0])*scale*unit, Y: at.Y - vg.Length(k[1])*scale*unit}
	}))
}

var anchors = map[string]text.XAlignment{"start": text.XLeft, "middle": text.XCenter, "end": text.XRight}

func (c brush) drawing(d *Drawing, left, top vg.Length) {
	x := func(at float64) vg.Length { return left + vg.Length(at)*unit }
	y := func(at float64) vg.Length { return top - vg.Length(at)*unit }
	box := func(colour color.Color, b Box) { c.fill(colour, x(b.Left), y(b.Bottom), x(b.Right), y(b.Top)) }
	for _, b := range d.Bands {
		box(colourOf(bandClasses[b.Tone]+"-band"), b.Box)
	}
	grid := draw.LineStyle{Color: colourOf("rule"), Width: gridWidth * unit}
	for _, at := range d.Columns {
		c.StrokeLine2(grid, x(at), y(d.Top), x(at), y(d.Frame.Bottom))
	}
	for _, at := range d.Rows {
		c.StrokeLine2(grid, x(d.Frame.Left), y(at), x(d.Frame.Right), y(at))
	}
	if !nowhere(d.Level) {
		level := draw.LineStyle{Color: colourOf("text"), Width: thinWidth * unit}
		c.StrokeLine2(level, x(d.Frame.Left), y(d.Level), x(d.Frame.Right), y(d.Level))
	}
	for _, b := range d.Bars {
		box(colourOf("s0"), b.Box)
	}
	for i := range d.Series {
		c.series(&d.Series[i], x, y)
	}
	for _, l := range d.Labels {
		sty := style(letterSize)
		switch {
		case l.Role == "sign" && l.Tone != Plain:
			sty = style(signSize)
			sty.Color = colourOf(bandClasses[l.Tone])
		case l.Role != "name":
			sty.Color = colourOf("faint")
		}
		c.in(sty, anchors[l.Anchor], x(l.X), y(l.Y), l.Text)
	}
}

func (c brush) series(s *Drawn, x, y func(float64) vg.Length) {
	thin, faint := line(s.Look, thinWidth), colourOf("page").mixed(colourOf(fmt.Sprint("s", s.Look)), 0.4)
	var points []vg.Point
	for _, p := range s.Points {
		if nowhere(p.X) {
			continue
		}
		for _, at := range p.Each {
			if !nowhere(at) {
				c.DrawGlyph(draw.GlyphStyle{Color: faint, Radius: dotSize / 2 * unit, Shape: draw.CircleGlyph{}}, vg.Point{X: x(p.X), Y: y(at)})
			}
		}
		if !nowhere(p.Lo) && !nowhere(p.Hi) {
			const half = 2
			c.StrokeLine2(thin, x(p.X), y(p.Lo), x(p.X), y(p.Hi))
			c.StrokeLine2(thin, x(p.X)-half, y(p.Lo), x(p.X)+half, y(p.Lo))
			c.StrokeLine2(thin, x(p.X)-half, y(p.Hi), x(p.X)+half, y(p.Hi))
		}
		if !nowhere(p.Y) {
			points = append(points, vg.Point{X: x(p.X), Y: y(p.Y)})
		}
	}
	if s.Form == Line && len(points) > 1 {
		c.StrokeLines(line(s.Look, lineWidth), points)
	}
	scale := vg.Length(1)
	if len(points) > fewPoints {
		scale = 0.4
	}
	if s.Form == Dots || len(points) <= fewPoints {
		for _, point := range points {
			c.spot(s.Look, scale, point)
		}
	}
}

// inFont spells characters that the font of PDF files lacks.
var inFont = strings.NewReplacer("★", "*", "▲", "+", "▼", "−", "−", "-", "≤", "<=", "≥", ">=", "→", "->", "✗", "x", "●", "*")

func shown(text string) string {
	return strings.Map(func(r rune) rune {
		if _, known := beyondLatin1[r]; r > 0xff && !known {
			return '?'
		}
		return r
	}, inFont.Replace(text))
}

const (
	cellWidth  = vg.Length(30) * vg.Inch / 72
	cellHeight = vg.Length(15) * vg.Inch / 72
)

func (p *Picture) heat() (width, height vg.Length, paint func(brush)) {
	m := p.Heat
	names, cell := vg.Length(0), cellWidth // the widest of each
	for _, r := range m.Rows {
		names = max(names, style(letterSize).Width(shown(r.Name)))
	}
	for _, name := range m.Columns {
		cell = max(cell, style(letterSize).Width(shown(name))+margin)
	}
	names += 2 * margin
	const head = 2*cellHeight + margin
	width = max(names+vg.Length(len(m.Columns))*cell, style(titleSize).Width(shown(p.Title))) + 2*margin
	height = head + vg.Length(len(m.Rows))*cellHeight + 2*margin
	return width, height, func(c brush) {
		left, top := c.Min.X+margin+names, c.Max.Y-margin-head
		const foot = (cellHeight - letterSize*unit) / 2 // below the letters of a row
		c.write(titleSize, text.XLeft, c.Min.X+margin, top+cellHeight+margin+foot, p.Title)
		for i, name := range m.Columns {
			c.write(letterSize, text.XCenter, left+(vg.Length(i)+0.5)*cell, top+foot, name)
		}
		for r, row := range m.Rows {
			bottom := top - vg.Length(r+1)*cellHeight
			c.write(letterSize, text.XRight, left-margin, bottom+foot, row.Name)
			for i, k := range row.Cells {
				if k != (HeatCell{}) {
					x := left + vg.Length(i)*cell
					c.fill(colourOf(HeatClass(k.Ratio)), x, bottom, x+cell, bottom+cellHeight)
					c.write(letterSize-1, text.XCenter, x+cell/2, bottom+foot, k.Sign+k.Text)
				}
			}
		}
	}
}
