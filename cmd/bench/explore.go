package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"pgmpi/analyze/explore"
	"pgmpi/mockups"
)

// knownAnswer is what `pgmpi explore` must say of a library's version at one size.
type knownAnswer struct {
	version, function string
	msize             int64
	word              explore.Advice
	own               string  // "": any
	ratio             float64 // at least; 0: any
}

var knownAnswers = []knownAnswer{
	{"MPICH 4.0.2", "MPI_Reduce_scatter_block", 64 << 10, explore.OwnAlgorithm, "pairwise", 1.5},
	{"MPICH 4.0.2", "MPI_Reduce_scatter", 64 << 10, explore.OwnAlgorithm, "pairwise", 1.5},
	{"MPICH 4.0.2", "MPI_Alltoall", 16 << 10, explore.OwnAlgorithm, "pairwise", 1.2},
	{"MPICH 4.0.2", "MPI_Scan", 16 << 10, explore.OnlyMockup, "", 0}, // at 64 KiB the default meets 16 or 48 page faults a call, by mpirun
	{"Open MPI v4.1.4", "MPI_Scan", 64 << 10, explore.OnlyMockup, "", 0},
}

// right tells whether a cell has the known answer.
func (k *knownAnswer) right(c *explore.ExploreCell) bool {
	if c.Word != k.word {
		return false
	}
	return k.own == "" || c.Own != nil && c.Own.Function == mockups.AlgorithmID(k.function, k.own) && c.Own.Ratio != nil && *c.Own.Ratio >= k.ratio
}

const itselfAim = 0.05

// exploreBench repeats explorations whose answers are known.
func exploreBench(ctx context.Context, e *env) error {
	e.title("explorations with known answers: p = %d, 16 and 64 KiB", np)
	found := make([]int, len(knownAnswers))
	var itself explore.ErrorRate
	for i := range e.times {
		x, took, err := e.explore(ctx, i+1)
		if err != nil {
			return err
		}
		fmt.Printf("   exploration %d: %.0f s\n", i+1, took)
		itself.Tests, itself.False = itself.Tests+x.Itself.Tests, itself.False+x.Itself.False
		for n := range knownAnswers {
			for c := range x.Cells {
				if k := &x.Cells[c]; k.Function == knownAnswers[n].function && k.Msize == knownAnswers[n].msize && knownAnswers[n].right(k) {
					found[n]++
				}
			}
		}
	}
	missed := float64(itself.False) > itselfAim*float64(itself.Tests)
	for n, k := range knownAnswers {
		if strings.HasPrefix(e.info.LibVersion, k.version) {
			fmt.Printf("   %s at %d B: %s in %d of %d\n", k.function, k.msize, k.word, found[n], e.times)
			missed = missed || found[n] < e.times
		}
	}
	fmt.Printf("   the default against itself: %d of %d tests found a difference\n", itself.False, itself.Tests)
	if missed {
		return errMissed
	}
	return nil
}

func (e *env) explore(ctx context.Context, seed int) (*explore.Exploration, float64, error) {
	text := fmt.Sprintf("[check]\nfunctions = [\"MPI_Reduce_scatter_block\", \"MPI_Reduce_scatter\", \"MPI_Alltoall\", \"MPI_Scan\"]\n[job]\nnp = [%d]\nmsizes = [\"16Ki\", \"64Ki\"]\n[nrep]\npredictions = 1\n", np)
	out, took, err := e.measure(ctx, "explore", text, seed)
	if err != nil {
		return nil, 0, err
	}
	data, err := os.ReadFile(filepath.Join(out, "explore.json"))
	if err != nil {
		return nil, 0, err
	}
	var x explore.Exploration
	return &x, took, json.Unmarshal(data, &x)
}
