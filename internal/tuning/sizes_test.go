package tuning

import (
	"math"
	"strings"
	"testing"

	"pgmpi/testkit/should"
)

// atSizes chooses an algorithm at 8 and 64 B of 8, 64 and 1024 that were measured.
func atSizes(change func(*Choice)) Choice {
	c := Choice{Kind: OwnAlgorithm, Function: "MPI_Bcast", NP: 4, Algorithm: "linear", Value: 1, Sizes: []int64{8, 64}, Measured: []int64{8, 64, 1024}}
	change(&c)
	return c
}

func TestAChoiceThatCannotBeWrittenSaysWhy(t *testing.T) {
	ranges := func(from, to int64) func(*Choice) {
		return func(c *Choice) { c.Ranges = append(c.Ranges, Range{From: from, To: to}) }
	}
	for name, c := range map[string]struct {
		change func(*Choice)
		want   string // "" if it can be
	}{
		"sizes that were measured":          {func(*Choice) {}, ""},
		"a mock-up":                         {func(c *Choice) { c.Kind = ByEnv }, "this format chooses no "},
		"one process":                       {func(c *Choice) { c.NP = 1 }, ""},
		"no process":                        {func(c *Choice) { c.NP = 0 }, "0 is no number of processes"},
		"the most processes":                {func(c *Choice) { c.NP = math.MaxInt32 - 1 }, ""},
		"one more":                          {func(c *Choice) { c.NP = math.MaxInt32 }, "is no number of processes"},
		"one size of one":                   {func(c *Choice) { c.Sizes, c.Measured = []int64{8}, []int64{8} }, ""},
		"no size":                           {func(c *Choice) { c.Sizes = nil }, "at no size that was measured"},
		"nothing measured":                  {func(c *Choice) { c.Measured = nil }, "at no size that was measured"},
		"measured sizes that fall":          {func(c *Choice) { c.Measured = []int64{64, 8} }, "not in ascending order"},
		"sizes that fall":                   {func(c *Choice) { c.Sizes = []int64{64, 8} }, "not in ascending order"},
		"a size of 0":                       {func(c *Choice) { c.Sizes, c.Measured = []int64{0}, []int64{0, 64} }, ""},
		"a size below 0":                    {func(c *Choice) { c.Measured = []int64{-1, 8, 64} }, "is too large"},
		"the largest size":                  {func(c *Choice) { c.Measured[2] = math.MaxInt32 }, ""},
		"a size that is larger":             {func(c *Choice) { c.Measured[2] = math.MaxInt32 + 1 }, "is too large"},
		"another of three":                  {func(c *Choice) { c.Sizes = []int64{8, 9} }, "it holds at 9 B, which was not measured"},
		"the first size not measured":       {func(c *Choice) { c.Sizes = []int64{7, 64} }, "it holds at 7 B"},
		"a size twice":                      {func(c *Choice) { c.Sizes = []int64{8, 64, 64} }, "it holds at 64 B, which was not measured, or twice"},
		"the first size twice":              {func(c *Choice) { c.Sizes = []int64{8, 8} }, "it holds at 8 B"},
		"a range":                           {ranges(1, 2), ""},
		"a range from 0":                    {ranges(0, 2), ""},
		"a range from below 0":              {ranges(-1, 2), "is no range"},
		"an empty range":                    {ranges(2, 2), "is no range"},
		"the longest range":                 {ranges(0, math.MaxInt32), ""},
		"a range that is longer":            {ranges(0, math.MaxInt32+1), "it holds from 0 to below 2147483648 B, which is no range"},
		"a second range, and backwards":     {func(c *Choice) { ranges(1, 2)(c); ranges(4, 3)(c) }, "it holds from 4 to below 3 B"},
		"as it says, of those it was tried": {func(c *Choice) { c.Sizes = []int64{1024} }, ""},
	} {
		got := atSizes(c.change).check()
		should.Hold(t, strings.Contains(got, c.want) && (got == "") == (c.want == ""), "%s: %q", name, got)
	}
}

// Choices that touch do not overlap.
func TestChoicesOverlapWhereBothHoldAtASize(t *testing.T) {
	between := func(from, to int64) Choice {
		return atSizes(func(c *Choice) { c.Ranges = []Range{{From: from, To: to}} })
	}
	for _, c := range []struct {
		from, to int64
		refused  bool
	}{{200, 300, false}, {50, 100, false}, {50, 101, true}, {150, 250, true}, {199, 201, true}, {90, 101, true}, {120, 130, true}, {65, 100, false}} {
		s := &Setting{}
		first := between(100, 200)
		first.Sizes = []int64{8}
		second := between(c.from, c.to)
		second.Sizes = []int64{1024}
		parts := byProcesses([]Choice{first, second}, s)
		should.Equal(t, len(s.Rejected) > 0, c.refused, "from %d to %d", c.from, c.to)
		for i, p := range parts[4] {
			should.Hold(t, i == 0 || parts[4][i-1].from < p.from, "the parts do not ascend: %v", parts[4])
		}
	}
}

func TestAChoiceTouchesARangeWhereItHoldsAtOneOfItsSizes(t *testing.T) {
	c := atSizes(func(c *Choice) { c.Ranges = []Range{{From: 100, To: 200}} })
	for size, want := range map[int64]bool{7: false, 8: true, 9: false, 64: true, 99: false, 100: true, 199: true, 200: false, 1024: false} {
		should.Equal(t, c.Covers(size), want, "at %d", size)
		should.Equal(t, c.Touches(size, size), want, "from %d to %d", size, size)
	}
	for _, r := range []struct {
		from, to int64
		want     bool
	}{{0, 7, false}, {0, 8, true}, {9, 63, false}, {65, 99, false}, {65, 100, true}, {199, 300, true}, {200, 2000, false}, {0, 5000, true}} {
		should.Equal(t, c.Touches(r.from, r.to), r.want, "from %d to %d", r.from, r.to)
	}
	c.Way = mcaName
	should.Hold(t, c.Covers(1<<40) && c.Touches(0, 0) && c.Touches(1<<40, 1<<41), "a variable holds everywhere")
	should.Equal(t, Between(1, 1), int64(2))
	should.Equal(t, Between(4, 9), int64(6))
	should.Equal(t, Between(4, 10), int64(7)) // √40 is 6.3
}
