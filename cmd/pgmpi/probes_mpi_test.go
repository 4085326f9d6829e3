package main

import (
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"pgmpi/guidelines"
	"pgmpi/measure/protocol"
	"pgmpi/measure/results"
	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

func TestMpirunsThatMeasureReadTheProbes(t *testing.T) {
	eitherLibrary(t, func(t *testing.T, b *fixture) {
		for _, np := range []int{1, 2, fewRanks()} {
			out, err := b.RunJob(np, syncJob(np, 3))
			must.Hold(t, err == nil, "p = %d: %v", np, err)
			// With two cases, probes are read before, between and after them.
			lines := checkProbes(t, np, out.End.Probes, 3)
			if lines > 0 && (np == 1 || np > runtime.NumCPU()) {
				t.Errorf("p = %d on %d cores: %d readings have a round trip of a line", np, runtime.NumCPU(), lines)
			}
		}
	})
}

// checkProbes counts the readings with a round trip of a line.
func checkProbes(t *testing.T, np int, got []protocol.Probes, want int) (lines int) {
	t.Helper()
	must.Hold(t, len(got) == want, "p = %d: %d readings, want %d", np, len(got), want)
	for i, y := range got {
		pairs := np > 1
		should.Hold(t, y.MemcpyNS > 0 && y.ReduceLocalNS > 0 && y.LineNS >= 0 && pairs == (y.PingPong8NS > 0) && pairs == (y.PingPong64KNS > 0),
			"p = %d: reading %d is %+v", np, i, y)
		if y.AtS < 0 || i > 0 && y.AtS <= got[i-1].AtS {
			t.Errorf("p = %d: reading %d is at %v s, the one before at %v s", np, i, y.AtS, got[max(0, i-1)].AtS)
		}
		if y.LineNS > 0 {
			lines++
		}
	}
	return lines
}

func TestRawFilesOfStageTwoHaveTheProbes(t *testing.T) {
	twoCores(t)
	eitherLibrary(t, func(t *testing.T, b *fixture) {
		gl := b.TOML(strings.Replace(twice, "fixed = 10", "max = 20\npredictions = 1", 1))
		b.Check("--sync", "round_time", "--guidelines", gl).Exits(t, 0, 1, 4)
		for mode, want := range map[protocol.Mode]int{protocol.ModeNREP: 0, protocol.ModeMeasure: 5} {
			name := results.RawName(mode, guidelines.Shape{NP: 2}, 1)
			run := must.Get(results.ReadRaw(filepath.Join(b.Out, "raw", name), 1<<20))(t)
			// No rank waits for a late neighbour, so that a busy machine may have no line.
			checkProbes(t, 2, run.Probes, want)
			for _, y := range run.Probes {
				if y.AtS > float64(run.MeasureNS)*1e-9 {
					t.Errorf("%s: a reading at %v s of %d ns", name, y.AtS, run.MeasureNS)
				}
			}
		}
	})
}
