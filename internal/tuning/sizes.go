package tuning

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// interval holds a range of message sizes, in bytes of one block: from `from` to below `to`, or
// without end if `to` is 0.
type interval struct{ from, to int64 }

func (i interval) covers(size int64) bool { return size >= i.from && (size < i.to || i.to == 0) }

func (c Choice) Covers(size int64) bool {
	return slices.ContainsFunc(c.intervals(), func(i interval) bool { return i.covers(size) })
}

// Touches tells whether a choice holds at a size from one to another.
func (c Choice) Touches(from, to int64) bool {
	return slices.ContainsFunc(c.intervals(), func(i interval) bool { return i.from <= to && (from < i.to || i.to == 0) })
}

// intervals returns where a choice applies: at its sizes, within its ranges, and nowhere else. An extended choice also
// holds between neighbours of its sizes, below the smallest measured size, and above the largest up to twice as much.
func (c Choice) intervals() (out []interval) {
	if c.Always() {
		return []interval{{0, 0}}
	}
	var all []interval
	for i, size := range c.Measured {
		if !slices.Contains(c.Sizes, size) {
			continue
		}
		here := interval{size, size + 1}
		switch {
		case c.Extend && i == 0:
			here.from = 0
		case c.Extend && slices.Contains(c.Sizes, c.Measured[i-1]):
			here.from = c.Measured[i-1] + 1
		}
		if c.Extend && i == len(c.Measured)-1 {
			here.to = 2*size + 1
		}
		all = append(all, here)
	}
	for _, r := range c.Ranges {
		all = append(all, interval{r.From, r.To})
	}
	slices.SortFunc(all, func(a, b interval) int { return cmp.Compare(a.from, b.from) })
	for _, i := range all {
		if n := len(out); n > 0 && i.from <= out[n-1].to {
			out[n-1].to = max(out[n-1].to, i.to)
		} else {
			out = append(out, i)
		}
	}
	return out
}

// Always tells whether a choice holds at all sizes, measured or not: its format knows none.
func (c Choice) Always() bool { return c.Way == mcaName || c.Way == cvarName }

// Between returns the size in the middle of two, by their ratios.
func Between(a, b int64) int64 {
	return max(a+1, min(b, int64(math.Ceil(math.Sqrt(float64(a)*float64(b))))))
}

func (c Choice) check() string {
	switch {
	case c.Kind != OwnAlgorithm:
		return c.wrongKind()
	case c.NP < 1 || c.NP > math.MaxInt32-1:
		return fmt.Sprintf("%d is no number of processes", c.NP)
	case len(c.Sizes) == 0 || len(c.Measured) == 0:
		return "it holds at no size that was measured"
	case !slices.IsSorted(c.Measured) || !slices.IsSorted(c.Sizes):
		return "its sizes are not in ascending order"
	case c.Measured[0] < 0 || c.Measured[len(c.Measured)-1] > math.MaxInt32:
		return "a size of it is too large"
	}
	for _, r := range c.Ranges {
		if r.From < 0 || r.To <= r.From || r.To > math.MaxInt32 {
			return fmt.Sprintf("it holds from %d to below %d B, which is no range", r.From, r.To)
		}
	}
	for i, size := range c.Sizes {
		if !slices.Contains(c.Measured, size) || i > 0 && c.Sizes[i-1] == size {
			return fmt.Sprintf("it holds at %d B, which was not measured, or twice", size)
		}
	}
	return ""
}

func (c Choice) wrongKind() string { return fmt.Sprintf("this format chooses no %s", c.Kind) }

type part struct {
	interval
	choice Choice
}

// byProcesses groups choices of one function by their number of processes, with ascending parts. A
// choice that overlaps one before it is refused in s.
func byProcesses(choices []Choice, s *Setting) map[int][]part {
	out := map[int][]part{}
	for _, c := range choices {
		var mine []part
		overlaps := false
		for _, i := range c.intervals() {
			mine = append(mine, part{i, c})
			overlaps = overlaps || slices.ContainsFunc(out[c.NP], func(o part) bool { return i.from < o.to && o.from < i.to })
		}
		if overlaps {
			s.reject(c, "another choice for the same collective holds at its sizes")
			continue
		}
		out[c.NP] = append(out[c.NP], mine...)
	}
	for _, parts := range out {
		slices.SortFunc(parts, func(a, b part) int { return int(min(1, max(-1, a.from-b.from))) })
	}
	return out
}

// accepted groups the choices that a writer can write by function. The functions have the order of
// their first choices. It refuses the other choices in s with the reason that why returns.
func accepted(choices []Choice, s *Setting, why func(Choice) string) (functions []string, of map[string][]Choice) {
	of = map[string][]Choice{}
	for _, c := range choices {
		reason := c.check()
		if reason == "" {
			reason = why(c)
		}
		if reason != "" {
			s.reject(c, reason)
			continue
		}
		if of[c.Function] == nil {
			functions = append(functions, c.Function)
		}
		of[c.Function] = append(of[c.Function], c)
	}
	return functions, of
}
