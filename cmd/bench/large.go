package main

import (
	"context"
	"fmt"
	"path/filepath"

	"pgmpi/measure/protocol"
)

const (
	largeBytes  = 1<<31 + 24
	largeMemory = 6 << 30 // of a rank
)

// largeBench has Bcast move more than an int can count, by a library as it is, and by one that
// cuts the count to 31 bits (testdata/fault). Slices, which need no such count, are right with both.
func largeBench(ctx context.Context, e *env) {
	for fault, want := range map[string]protocol.Status{"none": protocol.StatusOK, "wrong-31-bits": protocol.StatusWrong} {
		job := newJob(np, 2, protocol.JobCase{Function: "MPI_Bcast_c", Msize: largeBytes}, protocol.JobCase{Function: "MPI_Bcast/sliced", Msize: largeBytes})
		job.Verify, job.TempMemory, job.FirstCalls, job.Warmup = true, largeMemory, 0, 1
		out := e.do(ctx, "pgmpi-rank", job, map[string]string{"LD_PRELOAD": filepath.Join(e.bin, "fault.so"), "PGMPI_FAULT": fault})
		if e.library == "openmpi" {
			want = protocol.StatusNotMeasured // Open MPI 4 and 5 have no such calls
		}
		for i, want := range []protocol.Status{want, protocol.StatusOK} {
			r := out.Cases[i]
			e.outcome(fmt.Sprintf("%s of 2 GiB and 24 B, fault %s", job.Cases[i].Function, fault), string(r.Status)+" "+r.Message, string(want), r.Status == want)
		}
	}
}
