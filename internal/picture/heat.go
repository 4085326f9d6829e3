package picture

import (
	"image/color"
	"math"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
)

const (
	cellWidth  = vg.Length(30) * vg.Inch / 72
	cellHeight = vg.Length(15) * vg.Inch / 72
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

// heat is a heat map with the numbers in its cells.
func (p *Picture) heat() (width, height vg.Length, paint func(brush)) {
	m := p.Heat
	names, cell := vg.Length(0), cellWidth // the widest of each
	for _, r := range m.Rows {
		names = max(names, style(textSize).Width(shown(r.Name)))
	}
	for _, name := range m.Columns {
		cell = max(cell, style(textSize).Width(shown(name))+margin)
	}
	names += 2 * margin
	const head = 2*cellHeight + margin
	width = max(names+vg.Length(len(m.Columns))*cell, style(titleSize).Width(shown(p.Title))) + 2*margin
	height = head + vg.Length(len(m.Rows))*cellHeight + 2*margin
	return width, height, func(c brush) {
		left, top := c.Min.X+margin+names, c.Max.Y-margin-head
		const foot = (cellHeight - textSize*vg.Inch/72) / 2 // below the letters of a row
		c.write(titleSize, text.XLeft, c.Min.X+margin, top+cellHeight+margin+foot, p.Title)
		for i, name := range m.Columns {
			c.write(textSize, text.XCenter, left+(vg.Length(i)+0.5)*cell, top+foot, name)
		}
		for r, row := range m.Rows {
			bottom := top - vg.Length(r+1)*cellHeight
			c.write(textSize, text.XRight, left-margin, bottom+foot, row.Name)
			for i, k := range row.Cells {
				if k != (HeatCell{}) {
					x := left + vg.Length(i)*cell
					c.fill(heatColour(k.Ratio), x, bottom, x+cell, bottom+cellHeight)
					c.write(textSize-1, text.XCenter, x+cell/2, bottom+foot, k.Sign+k.Text)
				}
			}
		}
	}
}
