package picture

import (
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// look is how a series is told from the others: by more than its colour.
type look struct {
	colour color.RGBA
	spot   draw.GlyphDrawer
	dashes []vg.Length
	tex    string // the same for pgfplots
}

// looks are those of the roles, then of what comes beside them; the colours are Okabe and Ito's,
// which people with any colour vision can tell apart.
var looks = []look{
	{color.RGBA{0xd5, 0x5e, 0x00, 0xff}, draw.CircleGlyph{}, nil, "mark=*"},
	{color.RGBA{0x00, 0x72, 0xb2, 0xff}, draw.TriangleGlyph{}, []vg.Length{vg.Points(5), vg.Points(2)}, "mark=triangle*, dashed"},
	{color.RGBA{0x00, 0x9e, 0x73, 0xff}, draw.BoxGlyph{}, []vg.Length{vg.Points(2), vg.Points(2)}, "mark=square*, dotted"},
	{color.RGBA{0xcc, 0x79, 0xa7, 0xff}, draw.PyramidGlyph{}, []vg.Length{vg.Points(6), vg.Points(2), vg.Points(1), vg.Points(2)}, "mark=diamond*, dashdotted"},
	{color.RGBA{0x56, 0xb4, 0xe9, 0xff}, draw.RingGlyph{}, nil, "mark=o"},
	{color.RGBA{0x40, 0x40, 0x40, 0xff}, draw.SquareGlyph{}, []vg.Length{vg.Points(3), vg.Points(1)}, "mark=square, densely dashed"},
}

// paletteOf is the look of a series: that of its role, and of the others one after the other.
func paletteOf(all []Series, i int) look {
	switch all[i].Role {
	case Call:
		return looks[0]
	case Instead:
		return looks[1]
	case Other:
	}
	n := 0
	for _, s := range all[:i] {
		if s.Role == Other {
			n++
		}
	}
	return looks[2+n%(len(looks)-2)]
}

// series draws one.
type series struct {
	figure *Figure
	of     *Series
	look
}

func (s series) Plot(c draw.Canvas, p *plot.Plot) {
	if s.of.Form == Ranges {
		s.ranges(c, p)
		return
	}
	tx, ty := p.Transforms(&c)
	at := func(x, y float64) (vg.Point, bool) {
		ax, ay := s.figure.X.At(x), s.figure.Y.At(y)
		return vg.Point{X: tx(ax), Y: ty(ay)}, !math.IsNaN(ax+ay) && !math.IsInf(ax+ay, 0)
	}
	faint := s.colour
	faint.R, faint.G, faint.B = lighter(faint.R), lighter(faint.G), lighter(faint.B)
	var line []vg.Point
	thin := draw.LineStyle{Color: s.colour, Width: vg.Points(0.7)}
	for _, k := range s.of.Points {
		for _, y := range k.Each {
			if point, ok := at(k.X, y); ok {
				c.DrawGlyph(draw.GlyphStyle{Color: faint, Radius: vg.Points(1.1), Shape: s.spot}, point)
			}
		}
		if point, ok := at(k.X, k.Y); ok {
			line = append(line, point)
		}
		lo, okLo := at(k.X, k.Lo)
		hi, okHi := at(k.X, k.Hi)
		if okLo && okHi {
			const half = 2
			c.StrokeLine2(thin, lo.X, lo.Y, hi.X, hi.Y)
			c.StrokeLine2(thin, lo.X-half, lo.Y, lo.X+half, lo.Y)
			c.StrokeLine2(thin, hi.X-half, hi.Y, hi.X+half, hi.Y)
		}
	}
	if s.of.Form == Line && len(line) > 1 {
		c.StrokeLines(draw.LineStyle{Color: s.colour, Width: vg.Points(1.1), Dashes: s.dashes}, line)
	}
	radius := vg.Points(2.2)
	if s.of.Form == Dots && len(line) > fewPoints {
		radius = vg.Points(0.9)
	}
	if s.of.Form == Dots || len(line) <= fewPoints {
		for _, point := range line {
			c.DrawGlyph(draw.GlyphStyle{Color: s.colour, Radius: radius, Shape: s.spot}, point)
		}
	}
}

// lighter is a part of a colour mixed with white.
func lighter(part uint8) uint8 { return uint8(255 - (255-int(part))*45/100) }

// ranges draws bars along the x axis with their texts.
func (s series) ranges(c draw.Canvas, p *plot.Plot) {
	tx, ty := p.Transforms(&c)
	const half = 3.2
	for _, k := range s.of.Points {
		lo, hi := s.figure.X.At(k.Lo), s.figure.X.At(k.Hi)
		if math.IsNaN(lo + hi) {
			continue
		}
		y := ty(-k.Y)
		c.FillPolygon(s.colour, []vg.Point{{X: tx(lo), Y: y - half}, {X: tx(hi), Y: y - half}, {X: tx(hi), Y: y + half}, {X: tx(lo), Y: y + half}})
		beside := style(textSize - 1)
		beside.YAlign = text.YCenter
		c.FillText(beside, vg.Point{X: tx(max(lo, hi)) + vg.Points(3), Y: y}, shown(k.Text))
	}
}
