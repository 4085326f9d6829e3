package picture

import (
	"fmt"
	"image/color"
	"io"
	"strings"

	"gonum.org/v1/plot"
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

// dotsPerInch of a PNG.
const dotsPerInch = 200

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

// write draws the picture on a canvas of the size that it needs.
func write(w io.Writer, p *Picture, canvas func(width, height vg.Length) vg.CanvasWriterTo) error {
	width, height, drawn := layout(p)
	c := canvas(width, height)
	on := draw.New(c)
	on.FillPolygon(color.White, []vg.Point{on.Min, {X: on.Max.X, Y: on.Min.Y}, on.Max, {X: on.Min.X, Y: on.Max.Y}})
	drawn(on)
	_, err := c.WriteTo(w)
	return err
}

// layout is the size of the picture, and what draws it.
func layout(p *Picture) (width, height vg.Length, drawn func(draw.Canvas)) {
	if p.Heat != nil {
		return heatLayout(p.Title, p.Heat)
	}
	return panelsLayout(p)
}

const (
	margin    = 6 * vg.Inch / 72
	legendRow = 14 * vg.Inch / 72
)

// panelsLayout has the panels beside each other, at most three in a row, and one legend for all above them.
func panelsLayout(p *Picture) (width, height vg.Length, drawn func(draw.Canvas)) {
	panels := p.Panels
	columns := min(len(panels), 3)
	rows := (len(panels) + columns - 1) / columns
	each := vg.Length(panelHeight)
	for i := range panels {
		if n := len(panels[i].Y.Names); n > 0 {
			each = vg.Length(n)*rangeRow + vg.Inch
		}
	}
	width = vg.Length(columns) * panelWidth
	entries := legendOf(panels)
	const head = legendRow + margin // for the title of all
	strip := head + legendHeight(entries, width-2*margin)
	height = vg.Length(rows)*each + strip
	return width, height, func(c draw.Canvas) {
		drawTitle(c, p.Title)
		drawLegend(draw.Crop(c, margin, -margin, 0, -head), entries)
		c = draw.Crop(c, margin, -margin, margin, -strip)
		x, y, ok := common(panels)
		if !ok {
			return
		}
		grid := make([][]*plot.Plot, rows)
		for r := range grid {
			grid[r] = make([]*plot.Plot, columns)
			for k := range grid[r] {
				if i := r*columns + k; i < len(panels) {
					title := panels[i].Title
					if len(panels) == 1 {
						title = ""
					}
					grid[r][k] = panel(&panels[i], title, x, y)
				}
			}
		}
		for r, row := range plot.Align(grid, draw.Tiles{Rows: rows, Cols: columns, PadX: 2 * margin, PadY: 2 * margin}, c) {
			for k, on := range row {
				if grid[r][k] != nil {
					grid[r][k].Draw(on)
				}
			}
		}
	}
}

// drawTitle writes the title of a picture at the top, small enough to fit.
func drawTitle(c draw.Canvas, title string) {
	sty := style(titleSize)
	if width, room := sty.Width(shown(title)), c.Max.X-c.Min.X-2*margin; width > room {
		sty = style(titleSize * float64(room/width))
	}
	sty.XAlign, sty.YAlign = text.XCenter, text.YTop
	c.FillText(sty, vg.Point{X: c.Center().X, Y: c.Max.Y - margin}, shown(title))
}

// entry is a series in the legend.
type entry struct {
	name string
	form Form
	look
}

// legendOf has the series of all panels, each name once; a single one needs none.
func legendOf(panels []Figure) (out []entry) {
	seen := map[string]bool{}
	for i := range panels {
		for k, s := range panels[i].Series {
			if !seen[s.Name] {
				seen[s.Name] = true
				out = append(out, entry{shown(s.Name), s.Form, paletteOf(panels[i].Series, k)})
			}
		}
	}
	if len(out) < 2 {
		return nil
	}
	return out
}

const keyWidth = 24 * vg.Inch / 72

func (e entry) width() vg.Length { return keyWidth + style(textSize).Width(e.name) + margin }

// legendHeight is that of a legend with as many rows as its entries need.
func legendHeight(entries []entry, width vg.Length) vg.Length {
	if len(entries) == 0 {
		return margin
	}
	rows, x := 1, vg.Length(0)
	for _, e := range entries {
		if x > 0 && x+e.width() > width {
			rows, x = rows+1, 0
		}
		x += e.width()
	}
	return vg.Length(rows)*legendRow + margin
}

func drawLegend(c draw.Canvas, entries []entry) {
	x, y := c.Min.X, c.Max.Y-legendRow/2-margin/2
	for _, e := range entries {
		if x > c.Min.X && x+e.width() > c.Max.X {
			x, y = c.Min.X, y-legendRow
		}
		if e.form == Line {
			c.StrokeLine2(draw.LineStyle{Color: e.colour, Width: vg.Points(1.1), Dashes: e.dashes}, x, y, x+keyWidth-margin, y)
		}
		c.DrawGlyph(draw.GlyphStyle{Color: e.colour, Radius: vg.Points(2.2), Shape: e.spot}, vg.Point{X: x + (keyWidth-margin)/2, Y: y})
		name := style(textSize)
		name.YAlign = text.YCenter
		c.FillText(name, vg.Point{X: x + keyWidth, Y: y}, e.name)
		x += e.width()
	}
}

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

// number writes a value for programs.
func number(x float64) string { return fmt.Sprintf("%.9g", x) }
