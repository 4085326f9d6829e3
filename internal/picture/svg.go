package picture

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"pgmpi/internal/lists"
	"pgmpi/internal/phrase"
)

const (
	whisker = 3 // half of its bar; its point hides one that is no longer than this
	dotStep = 2 // of the heights of dots
)

// SVG holds a Drawing as the numbers and paths of the elements of a page.
type SVG struct {
	Width, Height float64
	Bands, Bars   []rect
	Grid, Level   string // paths
	Labels        []textGroup
	Series        []paths
}

type rect struct{ X, Y, Width, Height, Class, Text string }

// label holds a text. With several X it has a character at each.
type label struct{ X, Y, Text string }

type textGroup struct {
	Class, Anchor string
	Texts         []label
}

// paths holds the paths of a series, without empty ones.
type paths struct {
	Class, Spot                 string
	Each, Whiskers, Line, Spots string
}

func (d *Drawing) SVG() SVG {
	out := SVG{Width: d.Width, Height: d.Height}
	out.Bands = lists.Map(d.Bands, func(b Band) rect { return b.rect(bandClasses[b.Tone]) })
	out.Bars = lists.Map(d.Bars, func(b Band) rect { return b.rect("bar") })
	for _, x := range d.Columns {
		out.Grid += path("M", x, d.Top, "V", d.Frame.Bottom)
	}
	for _, y := range d.Rows {
		out.Grid += path("M", d.Frame.Left, y, "H", d.Frame.Right)
	}
	if !nowhere(d.Level) {
		out.Level = path("M", d.Frame.Left, d.Level, "H", d.Frame.Right)
	}
	for _, l := range d.Labels {
		out.label(l)
	}
	for i := range d.Series {
		out.Series = append(out.Series, d.Series[i].paths())
	}
	return out
}

var bandClasses = map[Tone]string{Plain: "plain", Slow: "slow", Possible: "possible", Open: "open"}

func (b Band) rect(class string) rect {
	return rect{coordinate(b.Left), coordinate(b.Top), coordinate(b.Right - b.Left), coordinate(b.Bottom - b.Top), class, b.Text}
}

// coordinate writes a whole number: a unit is about a pixel, and a page has many.
func coordinate(x float64) string { return strconv.Itoa(int(math.Round(x))) }

// path writes commands with their numbers: path("M", x, y, "h", 3).
func path(parts ...any) string {
	var out strings.Builder
	number := false
	for _, p := range parts {
		switch p := p.(type) {
		case string:
			out.WriteString(p)
			number = false
		case float64:
			text := coordinate(p)
			if number && !strings.HasPrefix(text, "-") {
				out.WriteByte(' ')
			}
			out.WriteString(text)
			number = true
		}
	}
	return out.String()
}

// label adds a text to the group of its class and anchor. Signs of one height are one text with
// many x, each of one character.
func (s *SVG) label(l Label) {
	class := l.Role + phrase.When(l.Role == "sign", " %s", bandClasses[l.Tone])
	group := func(g textGroup) bool { return g.Class == class && g.Anchor == l.Anchor }
	of, text := lists.FirstOrNew(&s.Labels, group, textGroup{Class: class, Anchor: l.Anchor}), label{coordinate(l.X), coordinate(l.Y), l.Text}
	if same := lists.First(of.Texts, func(t label) bool { return l.Role == "sign" && t.Y == text.Y }); same != nil {
		same.X += " " + text.X
		same.Text += text.Text
		return
	}
	of.Texts = append(of.Texts, text)
}

// paths draws the points; those that lie nowhere are left out.
func (s *Drawn) paths() paths {
	out := paths{Class: fmt.Sprintf("s%d", s.Look), Spot: looks[s.Look].class}
	command := "M"
	for _, p := range s.Points {
		x, y := math.Round(p.X), math.Round(p.Y)
		if nowhere(x) || nowhere(y) {
			continue
		}
		out.Each += dots(x, p.Each)
		if lo, hi := math.Round(p.Lo), math.Round(p.Hi); !nowhere(lo) && !nowhere(hi) && max(lo-y, y-hi) >= whisker {
			out.Whiskers += path("M", x-whisker, lo, "h", 2.*whisker, "m", -1.*whisker, 0., "V", hi, "m", -1.*whisker, 0., "h", 2.*whisker)
		}
		if s.Form == Line {
			out.Line += path(command, x, y)
			command = "L"
		}
		out.Spots += looks[s.Look].mark(x, y)
	}
	return out
}

// dots draws values above each other, those in one place as one dot. It moves to each from the one
// before.
func dots(x float64, ys []float64) (out string) {
	var heights []float64
	for _, y := range ys {
		if at := dotStep * math.Round(y/dotStep); !nowhere(at) {
			heights = append(heights, at)
		}
	}
	slices.Sort(heights)
	for i, at := range slices.Compact(heights) {
		if i == 0 {
			out += path("M", x, at, "h", 0.)
		} else {
			out += path("m", 0., at-heights[i-1], "h", 0.)
		}
	}
	return out
}

func (l look) mark(x, y float64) string {
	if l.class != "spots" {
		return path("M", x, y, "h", 0.)
	}
	out, at := path("M", x+l.spot[0][0], y+l.spot[0][1]), l.spot[0]
	for _, corner := range l.spot[1:] {
		out += path("l", corner[0]-at[0], corner[1]-at[1])
		at = corner
	}
	return out + "z"
}

type Key struct{ Name, Class, Mark, Spot string }

// Legend returns an entry for every series but bars.
func (d *Drawing) Legend() (out []Key) {
	const x, y = 14, 6 // the middle of its picture
	for i := range d.Series {
		s := &d.Series[i]
		out = append(out, Key{s.Name, fmt.Sprintf("s%d", s.Look), looks[s.Look].class, looks[s.Look].mark(x, y)})
	}
	return out
}
