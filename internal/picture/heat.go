package picture

import (
	"image/color"
	"math"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

const (
	cellWidth  = vg.Length(30) * vg.Inch / 72
	cellHeight = 15 * vg.Inch / 72
	heatSteps  = 20 // of the colours on either side
)

// heatColour is white where both sides take equally long, warm where the call is slower, and cold where it is faster.
func heatColour(ratio float64) color.RGBA {
	if !(ratio > 0) {
		return color.RGBA{0xff, 0xff, 0xff, 0xff}
	}
	share := float64(Heat(ratio, heatSteps)) / heatSteps
	end := [3]float64{0xd5, 0x5e, 0x00}
	if share < 0 {
		end = [3]float64{0x00, 0x72, 0xb2}
	}
	mix := func(part float64) uint8 { return uint8(math.Round(255 - (255-part)*math.Abs(share)*0.7)) }
	return color.RGBA{mix(end[0]), mix(end[1]), mix(end[2]), 0xff}
}

// heatLayout is a heat map with the numbers in its cells.
func heatLayout(title string, m *HeatMap) (width, height vg.Length, drawn func(draw.Canvas)) {
	names := vg.Length(0)
	for _, r := range m.Rows {
		names = max(names, style(textSize).Width(shown(r.Name)))
	}
	names += 2 * margin
	cell := cellWidth // of all columns
	for _, name := range m.Columns {
		cell = max(cell, style(textSize).Width(shown(name))+margin)
	}
	head := 2*cellHeight + margin
	width = max(names+vg.Length(len(m.Columns))*cell, style(titleSize).Width(shown(title))) + 2*margin
	height = head + vg.Length(len(m.Rows))*cellHeight + 2*margin
	return width, height, func(c draw.Canvas) {
		at := func(column, row int) vg.Point {
			return vg.Point{X: c.Min.X + margin + names + vg.Length(column)*cell, Y: c.Max.Y - margin - head - vg.Length(row)*cellHeight}
		}
		label := func(size float64, x text.XAlignment, p vg.Point, what string) {
			sty := style(size)
			sty.XAlign, sty.YAlign = x, text.YCenter
			c.FillText(sty, p, shown(what))
		}
		label(titleSize, text.XLeft, vg.Point{X: c.Min.X + margin, Y: c.Max.Y - margin - cellHeight/2}, title)
		for i, name := range m.Columns {
			p := at(i, 0)
			label(textSize, text.XCenter, vg.Point{X: p.X + cell/2, Y: p.Y + cellHeight/2}, name)
		}
		for r, row := range m.Rows {
			p := at(0, r)
			label(textSize, text.XRight, vg.Point{X: p.X - margin, Y: p.Y - cellHeight/2}, row.Name)
			for i, k := range row.Cells {
				drawCell(c, at(i, r), cell, k)
			}
		}
	}
}

// drawCell fills a cell whose upper left corner is at p.
func drawCell(c draw.Canvas, p vg.Point, width vg.Length, cell HeatCell) {
	if cell == (HeatCell{}) {
		return
	}
	corners := []vg.Point{p, {X: p.X + width, Y: p.Y}, {X: p.X + width, Y: p.Y - cellHeight}, {X: p.X, Y: p.Y - cellHeight}}
	c.FillPolygon(heatColour(cell.Ratio), corners)
	c.StrokeLines(draw.LineStyle{Color: color.Gray{0xd0}, Width: vg.Points(0.4)}, append(corners, p))
	sty := style(textSize - 1)
	sty.XAlign, sty.YAlign = text.XCenter, text.YCenter
	c.FillText(sty, vg.Point{X: p.X + width/2, Y: p.Y - cellHeight/2}, shown(cell.Sign+cell.Text))
}
