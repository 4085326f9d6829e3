package main

import (
	"context"
	"fmt"
	"path/filepath"

	"pgmpi/measure/protocol"
)

// largeBench has Bcast move more than an int can count, by a library as it is, and by one that
// cuts the count to 31 bits (testdata/fault). Slices, which need no such count, are right with both.
func largeBench(ctx context.Context, e *env) {
	const size = 1<<31 + 24
	for fault, want := range map[string]protocol.Status{"none": protocol.StatusOK, "wrong-31-bits": protocol.StatusWrong} {
		job := newJob(np, 2, protocol.JobCase{Function: "MPI_Bcast_c", Msize: size}, protocol.JobCase{Function: "MPI_Bcast/sliced", Msize: size})
		job.Verify, job.TempMemory, job.FirstCalls, job.Warmup = true, 6<<30, 0, 1
		out := e.do(ctx, "pgmpi-rank", job, map[string]string{"LD_PRELOAD": filepath.Join(e.bin, "fault.so"), "PGMPI_FAULT": fault})
		if e.library == "openmpi" {
			want = protocol.StatusNotMeasured // 4 and 5 have no such calls
		}
		for i, want := range []protocol.Status{want, protocol.StatusOK} {
			got := out.Cases[i].Status
			e.outcome(fmt.Sprintf("%s of 2 GiB and 24 B, fault %s", job.Cases[i].Function, fault), string(got), string(want), got == want)
		}
	}
}
