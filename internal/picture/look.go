package picture

import (
	"cmp"
	"fmt"
	"image/color"
	"math"
	"strings"

	"codeberg.org/go-fonts/liberation/liberationsansregular"
	"golang.org/x/image/font/opentype"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"

	"pgmpi/internal/lists"
)

// Sizes are in units of a drawing, for pages and files alike.
const (
	letterSize = 11.
	signSize   = 12.
	lineWidth  = 1.6
	thinWidth  = 1. // of intervals and levels
	gridWidth  = 0.5
	spotSize   = 6. // across, of a point
	dotSize    = 3. // of a point's values
)

// fonts names Liberation Sans, which files have, and fonts with letters as wide.
const fonts = `"Liberation Sans", Arial, Helvetica, sans-serif`

// sans is the one font of all pictures.
var sans = font.Font{Typeface: "Liberation", Variant: "Sans"}

var letters = text.Plain{Fonts: font.NewCache(font.Collection{{Font: sans, Face: parsed(liberationsansregular.TTF)}})}

func parsed(ttf []byte) *opentype.Font {
	face, err := opentype.Parse(ttf)
	if err != nil {
		panic(err) // the bytes are part of the program
	}
	return face
}

func textWidth(text string) float64 { return float64(style(letterSize).Width(shown(text)) / unit) }

// style returns the style of letters of a size in units.
func style(size float64) text.Style {
	return text.Style{Color: colourOf("text"), Font: font.From(sans, vg.Length(size)*unit), Handler: letters}
}

func fit(text string, width float64) string {
	letters := []rune(text)
	for n := len(letters) - 1; textWidth(text) > width && n > 0; n-- {
		text = string(letters[:n]) + "…"
	}
	return text
}

// rgb is a colour, 0xrrggbb.
type rgb uint32

func (c rgb) RGBA() (r, g, b, a uint32) {
	return color.RGBA{uint8(c >> 16), uint8(c >> 8), uint8(c), 0xff}.RGBA()
}

// mixed returns the colour with a share of another.
func (c rgb) mixed(with rgb, share float64) (out rgb) {
	for _, shift := range []int{16, 8, 0} {
		a, b := float64(c>>shift&0xff), float64(with>>shift&0xff)
		out |= rgb(math.Round(a+(b-a)*share)) << shift
	}
	return out
}

// colour holds one of all colours, light, for files and paper too, and dark.
type colour struct {
	name        string
	light, dark rgb
}

// colours lists all colours. Series have Okabe and Ito's, for any colour vision; they are brighter
// where it is dark.
var colours = append([]colour{
	{"page", 0xffffff, 0x12161b}, {"text", 0x1b1f24, 0xe4e8ec}, {"faint", 0x57606a, 0xa4afba},
	{"rule", 0xd0d7de, 0x3a434d}, {"head", 0xf3f5f7, 0x1b2128}, {"link", 0x0550ae, 0x85b8f5},
	{"slow", 0xb3261e, 0xff9d90}, {"possible", 0x1a6b34, 0x80d69b}, {"open", 0x7a5200, 0xecc25c},
	{"slow-band", 0xfbdcd8, 0x4e211d}, {"possible-band", 0xd9f2e0, 0x17402a}, {"open-band", 0xfdf0c8, 0x43360f}, {"plain-band", 0xe7ebef, 0x2a323a},
	{"s0", 0xd55e00, 0xf58442}, {"s1", 0x0072b2, 0x56a8e0}, {"s2", 0x009e73, 0x35c79b},
	{"s3", 0xcc79a7, 0xe0a0c4}, {"s4", 0x56b4e9, 0x9ad8ff}, {"s5", 0x404040, 0xc4ccd4},
}, heatColours()...)

// heatSteps colours stand on each side of 1 in a heat map.
const heatSteps = 4

// heatColours returns the colours of a heat map: h0 for sides that take equally long, h1 to h4 for
// a slower call, and c1 to c4 for a faster one.
func heatColours() []colour {
	out := []colour{{"h0", 0xf3f5f7, 0x1b2128}}
	for _, end := range []colour{{"h", 0xd55e00, 0xd55e00}, {"c", 0x0072b2, 0x0a84c8}} {
		for step := 1; step <= heatSteps; step++ {
			share := 0.6 * float64(step) / heatSteps
			out = append(out, colour{fmt.Sprint(end.name, step), rgb(0xffffff).mixed(end.light, share), rgb(0x12161b).mixed(end.dark, share)})
		}
	}
	return out
}

// HeatClass names the colour of a ratio; the last step is four times as long or more.
func HeatClass(ratio float64) string {
	if !(ratio > 0) {
		return "h0"
	}
	step := int(math.Round(min(max(math.Log(ratio)/math.Log(4), -1), 1) * heatSteps))
	if step < 0 {
		return fmt.Sprint("c", -step)
	}
	return fmt.Sprint("h", step)
}

func colourOf(name string) rgb {
	for _, c := range colours {
		if c.name == name {
			return c.light
		}
	}
	return 0xffffff
}

// look tells a series from the others by more than its colour.
type look struct {
	class  string       // of its points on pages: the end of a line of no length is round or square, others are paths
	spot   [][2]float64 // their corners, in units
	dashes []float64
}

// looks holds the looks of the roles, then those for other series.
var looks = []look{
	{"round", nil, nil},
	{"square", [][2]float64{{-3, -3}, {3, -3}, {3, 3}, {-3, 3}}, []float64{6, 3}},
	{"spots", [][2]float64{{0, -4}, {4, 3}, {-4, 3}}, []float64{2, 2}},
	{"spots", [][2]float64{{0, 4}, {4, -3}, {-4, -3}}, []float64{8, 3, 2, 3}},
	{"spots", [][2]float64{{0, -4}, {4, 0}, {0, 4}, {-4, 0}}, []float64{4, 4}},
	{"spots", [][2]float64{{-2, -4}, {2, -4}, {2, 4}, {-2, 4}}, []float64{1, 3}},
}

// lookOf returns the index of a series' look: its role has one, and other series take the rest in
// turn.
func lookOf(all []Series, i int) int {
	switch all[i].Role {
	case Call, Instead:
		return int(all[i].Role)
	case Other:
	}
	n := lists.Count(all[:i], func(s Series) bool { return s.Role == Other })
	first := int(Other)
	return first + n%(len(looks)-first)
}

// Style makes pages look as files do: colours, font, widths and dashes.
func Style() string {
	var light, dark, rules strings.Builder
	for _, c := range colours {
		fmt.Fprintf(&light, " --%s: #%06x;", c.name, uint32(c.light))
		fmt.Fprintf(&dark, " --%s: #%06x;", c.name, uint32(c.dark))
	}
	for _, c := range heatColours() {
		fmt.Fprintf(&rules, ".%s { background: var(--%[1]s); }\n", c.name)
	}
	for i, l := range looks {
		fmt.Fprintf(&rules, ".s%d { color: var(--s%[1]d); } .s%[1]d .line { stroke-dasharray: %s; }\n", i, cmp.Or(strings.Trim(fmt.Sprint(l.dashes), "[]"), "none"))
	}
	return fmt.Sprintf(":root { color-scheme: light dark;%s }\n@media screen and (prefers-color-scheme: dark) { :root {%s } }\nbody { font-family: %s; }\n", light.String(), dark.String(), fonts) +
		rules.String() + fmt.Sprintf("svg text { font-size: %vpx; } svg .sign text { font-size: %vpx; }\n.line { stroke-width: %v; } .whiskers, .level { stroke-width: %v; } .grid { stroke-width: %v; } .each { stroke-width: %v; } .round, .square { stroke-width: %v; }\n",
		letterSize, signSize, lineWidth, thinWidth, gridWidth, dotSize, spotSize)
}
