// Package border finds how far a choice helps between the sizes at which it was measured.
//
// Choices for single sizes come in, and what mpiruns have seen at the sizes that it asks for; the choices go out with
// ranges. It never lets a choice hold beyond a size at which it was seen to help.
package border

import (
	"cmp"
	"slices"

	"pgmpi/internal/lists"
	"pgmpi/internal/tuning"
)

// Gap lies between a size at which a choice helps and one at which it was not seen to.
type Gap struct {
	Choice    *tuning.Choice
	other     *tuning.Choice // of the same algorithm at bad, if it helps there too
	good, bad int64
}

// Middle returns the size to ask about, a multiple of a unit, or 0 if there is none between.
func (g Gap) Middle(unit int64) int64 {
	from, to := min(g.good, g.bad), max(g.good, g.bad)
	if m := tuning.Between(from, to) / unit * unit; m > from && m < to {
		return m
	}
	return 0
}

// Gaps returns the gaps beside choices for single sizes. Between two of one algorithm there is one gap.
func Gaps(choices []tuning.Choice) (out []Gap) {
	for i := range choices {
		c := &choices[i]
		at := slices.Index(c.Measured, c.Sizes[0])
		if c.Always() || c.Extend || at < 0 {
			continue
		}
		alike := func(at int) *tuning.Choice {
			return lists.First(choices, func(o tuning.Choice) bool {
				return o.NP == c.NP && o.Algorithm == c.Algorithm && slices.Contains(o.Sizes, c.Measured[at])
			})
		}
		if at > 0 && alike(at-1) == nil {
			out = append(out, Gap{c, nil, c.Sizes[0], c.Measured[at-1]})
		}
		if at+1 < len(c.Measured) {
			out = append(out, Gap{c, alike(at + 1), c.Sizes[0], c.Measured[at+1]})
		}
	}
	return out
}

// Nearer halves each gap: its middle helps, or not. Where an algorithm helps at both ends, and not in the middle, there
// are two gaps from then on.
func Nearer(gaps []Gap, unit func(function string) int64, helps func(*tuning.Choice, int64) bool) (out []Gap) {
	for _, g := range gaps {
		m := g.Middle(unit(g.Choice.Function))
		switch {
		case m == 0:
			out = append(out, g)
		case helps(g.Choice, m) && g.other != nil: // all between is its
			out = append(out, Gap{g.Choice, nil, g.bad, g.bad})
		case helps(g.Choice, m):
			out = append(out, Gap{g.Choice, nil, m, g.bad})
		case g.other != nil:
			out = append(out, Gap{g.Choice, nil, g.good, m}, Gap{g.other, nil, g.bad, m})
		default:
			out = append(out, Gap{g.Choice, nil, g.good, m})
		}
	}
	return out
}

// Widen lets a choice hold up to where it was seen to help.
func (g Gap) Widen() {
	from, to := min(g.Choice.Sizes[0], g.good), max(g.Choice.Sizes[0], g.good)
	if from < to && g.other == nil {
		g.Choice.Ranges = append(g.Choice.Ranges, tuning.Range{From: from, To: to + 1})
		slices.SortFunc(g.Choice.Ranges, func(a, b tuning.Range) int { return cmp.Compare(a.From, b.From) })
	}
}
