package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

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
func overlapBench(ctx context.Context, e *env) error {
	e.title("overlap of calls of %d ms whose overlap is known: R = %d, p = 1 and %d", overlapLength/1_000_000, overlapMpiruns, np)
	return errors.Join(e.knownOverlaps(ctx, 1), e.knownOverlaps(ctx, np))
}

// knownOverlaps measures both calls by both methods on p processes.
func (e *env) knownOverlaps(ctx context.Context, p int) error {
	var missed error
	for _, k := range []struct {
		mode, what string
		want       float64
	}{{"helper", "a helper thread completes it", 1}, {"wait", "all work is in Wait", 0}} {
		for i, method := range protocol.OverlapMethods {
			x, err := e.overlap(ctx, p, k.mode, method, i+1)
			if err != nil {
				return err
			}
			missed = errors.Join(missed, knownOverlap(x, fmt.Sprintf("p = %d, %s, by %s", p, k.what, method), k.want))
		}
	}
	return missed
}

// knownOverlap compares what was measured without and with tests.
func knownOverlap(x *samples.Overlap, what string, want float64) error {
	var missed error
	aim := fmt.Sprintf("%.0f ± %.0f %%", 100*want, 100*overlapAllowed)
	for _, s := range []struct {
		name string
		of   samples.Middle
	}{{"no tests", x.Cases[0].None.Overlap}, {"best tests", x.Cases[0].Best.Overlap}} {
		text, ok := "-", false
		if m := s.of.Median; m != nil {
			text, ok = fmt.Sprintf("%.1f %%", 100**m), *m >= want-overlapAllowed && *m <= want+overlapAllowed
		}
		missed = errors.Join(missed, outcome(what+", "+s.name, text, aim, ok))
	}
	return missed
}

// overlap measures the call with a shim in one of its modes.
func (e *env) overlap(ctx context.Context, p int, mode, method string, seed int) (*samples.Overlap, error) {
	text := fmt.Sprintf("[check]\nfunctions = [\"MPI_Bcast\"]\n[job]\nnp = [%d]\nmpiruns = %d\nmsizes = [\"64Ki\"]\n[nrep]\nfixed = 10\n[overlap]\nmethod = %q\n[mpi]\nenv = { LD_PRELOAD = %q, PGMPI_OVERLAP = \"%s:%d\" }\n",
		p, overlapMpiruns, method, e.program("overlap")+".so", mode, overlapLength)
	out, _, err := e.measure(ctx, "overlap", text, seed)
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(out)
	data, err := os.ReadFile(filepath.Join(out, "overlap.json"))
	if err != nil {
		return nil, err
	}
	var x samples.Overlap
	if err := json.Unmarshal(data, &x); err != nil {
		return nil, err
	}
	if len(x.Cases) != 1 {
		return nil, fmt.Errorf("overlap.json has %d cases", len(x.Cases))
	}
	return &x, nil
}
