package series

import (
	"slices"
	"testing"

	"pgmpi/analyze"
	"pgmpi/analyze/judge"
	"pgmpi/internal/remark"
	"pgmpi/measure/protocol"
	"pgmpi/testkit/fixture"
	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

func TestComparedFoldersInOtherStatesAreNamed(t *testing.T) {
	pingPong := 300.0
	folder := func(lines func(run int) float64) *analyze.Side {
		m := fixture.Wide(12)
		runs := fixture.Noisy(m, func(i, run int) float64 { return 100000 })
		for n := range runs {
			if ns := lines(n + 1); ns > 0 {
				runs[n].Probes = []protocol.Probes{{LineNS: ns, MemcpyNS: 9000, PingPong8NS: pingPong}}
			}
		}
		a := must.Get(analyze.Analyze(m, runs, judge.Default()))(t)
		return a.Side("folder")
	}
	fast, slow, unread := folder(func(int) float64 { return 100 }), folder(func(int) float64 { return 400 }), folder(func(int) float64 { return 0 })
	both := folder(func(run int) float64 { return 100 + 300*float64(run%4/3) })
	pingPong = 900
	library := folder(func(int) float64 { return 100 })
	for name, c := range map[string]struct {
		a, b       *analyze.Side
		inA, inB   string
		difference bool
	}{
		"another":     {fast, slow, "cache-line round trip 100 ns (one state)", "cache-line round trip 400 ns (one state)", true},
		"the same":    {fast, fast, "", "", false},
		"not read":    {fast, unread, "", "", false},
		"its library": {fast, library, "", "", false},
		"one of both": {fast, both, "one state", "state 1 in 9 mpiruns, state 2 in 3 (calls take 1.00× as long)", true},
	} {
		cmp := compared(t, c.a, c.b, nil)
		i := slices.IndexFunc(cmp.Differences, func(d Difference) bool { return d.Factor == "machine state p2" })
		j := slices.IndexFunc(cmp.Warnings, func(w remark.Remark) bool { return w.ID == "differs-machine-state-p2" })
		should.Hold(t, (i >= 0) == c.difference && (j >= 0) == c.difference && (i < 0 || cmp.Differences[i].A == c.inA && cmp.Differences[i].B == c.inB),
			"%s: %+v, %+v", name, cmp.Differences, cmp.Warnings)
	}
}
