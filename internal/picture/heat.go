package picture

import (
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
)

const (
	cellWidth  = vg.Length(30) * vg.Inch / 72
	cellHeight = vg.Length(15) * vg.Inch / 72
)

// heat is a heat map with the numbers in its cells.
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
