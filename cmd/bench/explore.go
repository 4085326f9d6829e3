package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"pgmpi/analyze/explore"
	"pgmpi/mockups"
)

// knownAnswer must be given by `pgmpi explore` about a library's version at one size.
type knownAnswer struct {
	version, function string
	msize             int64
	word              explore.Advice
	own               string  // "": any
	ratio             float64 // at least
}

func (k knownAnswer) given(c explore.ExploreCell) bool {
	return c.Function == k.function && c.Msize == k.msize && c.Word == k.word &&
		(k.own == "" || c.Own != nil && c.Own.Function == mockups.AlgorithmID(k.function, k.own) && c.Own.Ratio != nil && *c.Own.Ratio >= k.ratio)
}

var knownAnswers = []knownAnswer{
	{"MPICH 4.0.2", "MPI_Reduce_scatter_block", 64 << 10, explore.OwnAlgorithm, "pairwise", 1.5},
	{"MPICH 4.0.2", "MPI_Reduce_scatter", 64 << 10, explore.OwnAlgorithm, "pairwise", 1.5},
	{"MPICH 4.0.2", "MPI_Alltoall", 16 << 10, explore.OwnAlgorithm, "pairwise", 1.2},
	{"MPICH 4.0.2", "MPI_Scan", 16 << 10, explore.OnlyMockup, "", 0}, // at 64 KiB the default meets 16 or 48 page faults a call, by mpirun
	{"Open MPI v4.1.4", "MPI_Scan", 64 << 10, explore.OnlyMockup, "", 0},
}

const exploreTOML = `
[check]
functions = ["MPI_Reduce_scatter_block", "MPI_Reduce_scatter", "MPI_Alltoall", "MPI_Scan"]
[job]
np = [2]
msizes = ["16Ki", "64Ki"]
[nrep]
predictions = 1
`

// exploreBench repeats explorations whose answers are known.
func exploreBench(ctx context.Context, e *env) {
	figures := []figure{{what: "the default against itself: differences found", most: .05}}
	var known []knownAnswer
	for _, k := range knownAnswers {
		if strings.HasPrefix(e.info.LibVersion, k.version) {
			known = append(known, k)
			figures = append(figures, figure{what: fmt.Sprintf("%s at %d B: %s", k.function, k.msize, k.word), least: 1})
		}
	}
	e.ask(ctx, measured, []question{{"explorations", e.times, figures, func(_ *design, n int, _ *rand.Rand) *series {
		var x explore.Exploration
		_, took := e.measure(ctx, "explore", exploreTOML, n+1, &x)
		fmt.Printf("   exploration %d: %.0f s\n", n+1, took)
		counted := []count{{float64(x.Itself.False), float64(x.Itself.Tests)}}
		for _, k := range known {
			var c count
			c.add(slices.ContainsFunc(x.Cells, k.given))
			counted = append(counted, c)
		}
		return &series{counted: counted}
	}}})
}
