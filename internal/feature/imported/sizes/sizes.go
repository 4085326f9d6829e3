// Package sizes tells what benchmarks count as a size.
package sizes

import (
	"fmt"
	"slices"

	"pgmpi/internal/osu"
	"pgmpi/mockups"
)

// Formats of IMB by what a size means there.
const (
	IMBBlocks  = "imb"
	IMBTotals  = "imb before 2019 Update 1"
	IMBUnknown = "imb of an unknown version"
)

// totals lists, by format and version, the collectives whose size counts the data of all processes together; any
// other size counts one block, as in guidelines. Nothing else knows what a format calls a size. Each row was held
// against the benchmark's source:
//
//	osu       omb_init_irregular_args: portion = elem_count / numprocs, also of the older osu_reduce_scatter.c
//	imb       IMB_reduce_scatter.c: IMB_get_rank_portion up to 2019, from 2019 Update 1 on size / s_size for each;
//	          built as 2018 (IMB2018) a later one names itself 2018. Reduce_scatter_block is size / s_size.
//	pico      COUNT is what all processes have together
//	nccl      GetCollByteCount: size is the larger of both buffers
//	skampi    coll.c: get_extent(count, dt), and initialize_counts(count) of Reduce_scatter shares it
//	reprompi  msize of the counts that the call gets
var totals = map[string][]string{
	"osu":      osu.Totals,
	IMBBlocks:  nil,
	IMBTotals:  {"MPI_Reduce_scatter"},
	IMBUnknown: nil,
	"pico":     blockwise,
	"nccl":     blockwise,
	"skampi":   {"MPI_Reduce_scatter"},
	"reprompi": nil,
}

// untold lists what a format says too little of: the size may be of one block or of all.
var untold = map[string][]string{IMBUnknown: {"MPI_Reduce_scatter"}}

var blockwise = []string{"MPI_Allgather", "MPI_Alltoall", "MPI_Gather", "MPI_Reduce_scatter", "MPI_Scatter"}

// Rooted lists the collectives in which ranks may return before the root's data are where they belong: the average
// over ranks says little of them.
var Rooted = []string{"MPI_Bcast", "MPI_Gather", "MPI_Gatherv", "MPI_Reduce", "MPI_Scatter", "MPI_Scatterv"}

// Block returns the bytes of one block, for elements of some bytes. ok tells whether it is the same at each
// process: PICO gives each process COUNT/p elements, rounded down.
func Block(format, function string, size, element int64, p int) (block int64, ok bool, err error) {
	counted, known := totals[format]
	switch {
	case !known:
		return 0, false, fmt.Errorf("what a size of %s counts is not known: totals has no row of it", format)
	case size < 0 || size > 1<<50:
		return 0, false, fmt.Errorf("%d is no size", size)
	case p < 1:
		return 0, false, fmt.Errorf("%d is no number of processes", p)
	case slices.Contains(untold[format], Of(function)):
		return 0, false, nil
	case slices.Contains(counted, Of(function)):
		block = size / element / int64(p) * element
		return block, block > 0 && (format == "pico" || block*int64(p) == size), nil
	}
	return size, size > 0, nil
}

// Of returns the collective that a function is, or stands for.
func Of(function string) string {
	if f, _ := mockups.Get(function); f.Of != "" {
		return f.Of
	}
	return function
}
