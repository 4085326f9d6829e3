package main

import (
	"context"
	"fmt"
	"math"

	"pgmpi/analyze/samples"
	"pgmpi/measure/protocol"
)

const (
	overlapMpiruns = 6
	overlapLength  = 5_000_000 // ns that a call takes
	overlapAllowed = 0.05      // distance from what is known
)

// overlapBench measures calls whose overlap is known (testdata/overlap): one that a thread
// completes while the processor computes, and one that does all its work in Wait. One process
// waits for nobody, so that it shows what the measurement itself is worth; several show what
// the slowest of them makes of it.
func overlapBench(ctx context.Context, e *env) {
	seed := 0
	for _, p := range []int{1, np} {
		for _, k := range []struct {
			mode, what string
			want       float64
		}{{"helper", "a helper thread completes it", 1}, {"wait", "all work is in Wait", 0}} {
			for _, method := range protocol.OverlapMethods {
				seed++
				text := fmt.Sprintf("[check]\nfunctions = [\"MPI_Bcast\"]\n[job]\nnp = [%d]\nmpiruns = %d\nmsizes = [\"64Ki\"]\n[nrep]\nfixed = 10\n[overlap]\nmethod = %q\n", p, overlapMpiruns, method)
				var x samples.Overlap
				e.measure(ctx, "overlap", text+preload(e.program("overlap")+".so", "PGMPI_OVERLAP", fmt.Sprintf("%s:%d", k.mode, overlapLength)), seed, &x)
				if len(x.Cases) != 1 {
					must(fmt.Errorf("overlap.json has %d cases", len(x.Cases)))
				}
				what := fmt.Sprintf("p = %d, %s, by %s", p, k.what, method)
				for tests, got := range map[string]samples.Middle{"no tests": x.Cases[0].None.Overlap, "best tests": x.Cases[0].Best.Overlap} {
					e.aim(what+", "+tests, 100*value(got.Median, math.NaN()), "%.1f %%", 100*(k.want-overlapAllowed), 100*(k.want+overlapAllowed))
				}
			}
		}
	}
}
