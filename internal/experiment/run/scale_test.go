package run_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"pgmpi/analyze/report"
	"pgmpi/analyze/report/check"
	"pgmpi/internal/reading"
	"pgmpi/testkit/bed"
	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

// The plan of a default check grows with the ranks as its parts do: no term runs over, and
// what cannot be measured is named.
func TestDryRunsReachAHundredThousandRanks(t *testing.T) {
	var before time.Duration
	for _, nodes := range []int{2, 16, 157, 1563} { // 128 to 100,032 ranks
		c := bed.New(t).Prepared(filepath.Join(t.TempDir(), "out"), fmt.Sprintf("[job]\nshapes = [\"%dx64\"]\n[measure]\ntemp_memory = \"1Gi\"\n", nodes))
		c.LaunchTime = 10 * time.Second
		c.Manifest.MemoryCap = map[string]int64{c.Manifest.Plan.Shapes[0].String(): 1 << 30} // not this machine's
		e := must.Get(c.Estimate())(t)
		cost := e.Costs[0]
		should.Hold(t, e.Nodes == nodes && e.Total > 0 && e.Total <= 24*time.Hour && cost.Memory <= 1<<30 && cost.Cases+len(cost.LeftOut) == len(c.Manifest.Plan.Cases),
			"%d nodes: %v, %d bytes, %d and %d cases", e.Nodes, e.Total, cost.Memory, cost.Cases, len(cost.LeftOut))
		if each := cost.Stages[0].Each - 10*time.Second; each <= 0 || nodes == 16 && each <= before {
			t.Errorf("%d nodes: an mpirun of stage 1 measures for %v, on fewer nodes for %v", nodes, each, before)
		} else {
			before = each
		}
		var all strings.Builder
		for _, s := range report.Plans.Sections(e) {
			fmt.Fprintln(&all, s.Text)
		}
		should.Hold(t, len(e.Over) == 2 && e.Over[0].Total > e.Total && e.Over[1].Total > e.Over[0].Total && strings.Contains(all.String(), "over Ethernet of 1 Gbit"),
			"%d nodes: %v, over networks %v", nodes, e.Total, e.Over)
		should.Hold(t, nodes <= 16 || strings.Contains(all.String(), "cases more") && strings.Contains(all.String(), fmt.Sprintf("%d nodes for that time", nodes)),
			"%d nodes:\n%s", nodes, all.String())
	}
}

// A check of 100,032 ranks on 1563 nodes, as far as the driver has a part in it: the
// layout is the only thing that grows with the ranks.
func TestTheDriverHasRoomForAHundredThousandRanks(t *testing.T) {
	const nodes, each = 1563, 64
	taken := func(nodes int) (memory uint64, manifest int64) {
		bed.Bubble(t, func(t *testing.T, b *bed.Bed) {
			b.Fake.Hosts = nodes
			toml := strings.Replace(bed.Quick, "np = [2, 3]", fmt.Sprintf("shapes = [\"%dx%d\"]", nodes, each), 1)
			var start, end runtime.MemStats
			runtime.ReadMemStats(&start)
			j := b.Checked(toml)
			runtime.ReadMemStats(&end)
			memory = end.TotalAlloc - start.TotalAlloc
			info := must.Get(os.Stat(filepath.Join(b.Out, "manifest.json")))(t)
			manifest = info.Size()
			_, m, err := reading.Open(b.Out)
			should.Hold(t, err == nil && m.Factors.Layouts[0].Place() == fmt.Sprintf("%dx%d", nodes, each), "%v: the layout has not come whole", err)
			should.Hold(t, len(j.Report.Verdicts) != 0, "no verdicts")
			for _, name := range check.Reports.Formats() {
				f := must.Get(check.Reports.Format(name))(t)
				var size written
				must.Do(t, f.Write(&size, check.Reports.Document(j.Report)))
				should.Hold(t, size <= 1<<20, "the report in %s has %d bytes", f.Name, size)
			}
		})
		return memory, manifest
	}
	memory, manifest := taken(nodes)
	few, _ := taken(1)
	t.Logf("%d ranks: %.0f MB in all (%d ranks: %.0f MB), manifest.json %.0f KB", nodes*each, float64(memory)/1e6, each, float64(few)/1e6, float64(manifest)/1e3)
	should.Hold(t, memory <= 100<<20 && manifest <= 2e6, "%d ranks take %d bytes of memory, one after the other, and a manifest of %d", nodes*each, memory, manifest)
}

// written counts bytes.
type written int

func (n *written) Write(p []byte) (int, error) {
	*n += written(len(p))
	return len(p), nil
}
