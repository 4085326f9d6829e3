package picture

import (
	"image/color"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// look is how files tell a series from the others: by more than its colour. Pages have the same in their style.
type look struct {
	colour color.RGBA
	spot   draw.GlyphDrawer
	dashes []vg.Length
}

// looks has the looks of the roles, then of the other series; the colours are Okabe and Ito's,
// which people with any colour vision can tell apart.
var looks = []look{
	{color.RGBA{0xd5, 0x5e, 0x00, 0xff}, draw.CircleGlyph{}, nil},
	{color.RGBA{0x00, 0x72, 0xb2, 0xff}, draw.TriangleGlyph{}, []vg.Length{vg.Points(5), vg.Points(2)}},
	{color.RGBA{0x00, 0x9e, 0x73, 0xff}, draw.BoxGlyph{}, []vg.Length{vg.Points(2), vg.Points(2)}},
	{color.RGBA{0xcc, 0x79, 0xa7, 0xff}, draw.PyramidGlyph{}, []vg.Length{vg.Points(6), vg.Points(2), vg.Points(1), vg.Points(2)}},
	{color.RGBA{0x56, 0xb4, 0xe9, 0xff}, draw.RingGlyph{}, nil},
	{color.RGBA{0x40, 0x40, 0x40, 0xff}, draw.SquareGlyph{}, []vg.Length{vg.Points(3), vg.Points(1)}},
}

// lookOf returns the index of a series' look: its role has one, and other series take the rest in turn.
func lookOf(all []Series, i int) int {
	switch all[i].Role {
	case Call, Instead:
		return int(all[i].Role)
	case Other:
	}
	n := 0
	for _, s := range all[:i] {
		if s.Role == Other {
			n++
		}
	}
	first := int(Other)
	return first + n%(len(looks)-first)
}
