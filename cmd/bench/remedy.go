package main

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"time"

	"pgmpi/analyze/report"
	"pgmpi/internal/tuning"
	"pgmpi/measure/protocol"
)

const (
	remedyGain = 1.4 // times faster, at least, by malloc's variables
	remedyAim  = 300 // seconds of a remedy with its proofs
)

// slowByMalloc are calls of 1 MiB that the kernel makes slow with pages, and the
// guidelines that show it.
var slowByMalloc = map[string]struct{ function, guidelines string }{
	"openmpi": {"MPI_Reduce_scatter_block", `"GL15", "GL22"`},
	"mpich":   {"MPI_Reduce", `"GL8", "GL14"`},
}

// remedyBench mends what is known: what malloc makes slow, an algorithm that is
// planted, and whatever a check of all patterns finds.
func remedyBench(ctx context.Context, e *env) {
	known := slowByMalloc[e.library]
	e.exits = []int{4} // nothing is mended
	for i := range e.times {
		r, took := e.remedy(ctx, known.guidelines, `"1Mi"`, `kinds = ["environment"]`, i+1)
		gain := math.NaN() // it was not violated
		for _, c := range r.Cells {
			if c.Function == known.function {
				gain = value(c.Gain, gain)
			}
		}
		e.aim(fmt.Sprintf("%s of 1 MiB, %.0f s", known.function, took), gain, "%.2f times faster", remedyGain, 0)
	}
	if e.library == "mpich" {
		e.plantedAlgorithm(ctx)
	}
	r, took := e.remedy(ctx, `"GL3..GL17"`, `"8", "1Ki", "64Ki", "1Mi"`, "", 2000)
	mended := 0
	for _, c := range r.Cells {
		if c.State == report.CellMended {
			mended++
		}
	}
	fmt.Printf("   %d of %d violated cells mended, %d proofs\n", mended, len(r.Cells), len(r.Proofs))
	e.aim("remedy of GL3-GL17 at four sizes", took, "%.0f s", 0, remedyAim)
}

// remedy checks and mends, and returns what the remedy took.
func (e *env) remedy(ctx context.Context, guidelines, msizes, kinds string, seed int) (r report.RemedyResult, seconds float64) {
	text := fmt.Sprintf("[check]\nguidelines = [%s]\n[job]\nnp = [%d]\nmsizes = [%s]\n[remedy]\n%s\n", guidelines, np, msizes, kinds)
	out := e.check(ctx, "the check", text, seed).out
	start := time.Now()
	e.pgmpi(ctx, "remedy", out, "--quiet")
	seconds = time.Since(start).Seconds()
	read(filepath.Join(out, "remedy", "remedy.json"), &r)
	return r, seconds
}

// plantedAlgorithm lets MPICH's selection tree choose a slow Alltoall, which the check must
// find and the remedy replace. Open MPI's rules come before what is forced, so that nothing
// could be explored under them.
func (e *env) plantedAlgorithm(ctx context.Context) {
	asked := e.do(ctx, "pgmpi-rank", &protocol.Job{NP: np, StallNS: stall, Algorithms: &protocol.AlgorithmsJob{}})
	tree := get(tuning.FindTree(asked.End.Algorithms.LibraryFile))
	sizes := []int64{256 << 10}
	settings, refused, err := tuning.Write(tuning.Target{Library: tuning.LibraryOf("mpich", e.info.LibVersion), Folder: e.dir, Tree: tree},
		[]tuning.Choice{{Function: "MPI_Alltoall", NP: np, Sizes: sizes, Measured: sizes, Kind: tuning.OwnAlgorithm, Algorithm: "brucks"}}, "mpich-json")
	must(err)
	if len(refused) > 0 {
		must(fmt.Errorf("refused: %+v", refused))
	}
	const variable = "MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE"
	file := filepath.Join(e.dir, tuning.TreeFile)
	must(os.WriteFile(file, settings[0].Files[0].Content, 0o666))
	must(os.Setenv(variable, file))
	defer os.Unsetenv(variable)
	r, took := e.remedy(ctx, `"GL21"`, `"256Ki"`, `kinds = ["algorithm"]`, 1000)
	state := "not found"
	if len(r.Cells) == 1 {
		state = string(r.Cells[0].State) + " by " + strings.Join(r.Cells[0].By, " ")
	}
	e.outcome("planted: MPI_Alltoall of 256 KiB by brucks", fmt.Sprintf("%s; %.0f s", state, took), "mended", strings.HasPrefix(state, "mended"))
}
