package readers

import (
	"fmt"
	"slices"

	"pgmpi/internal/osu"
	"pgmpi/mockups"
)

// totals lists, by format, the collectives whose size counts the data of all processes together; any other size
// counts one block, as in guidelines. Nothing else knows what a format calls a size.
var totals = map[string][]string{
	"osu":      osu.Totals,
	"imb":      nil,
	"imb 2018": {"MPI_Reduce_scatter"}, // up to 2018, IMB_reduce_scatter.c divides it; later it does not
	"pico":     blockwise,              // COUNT is what all processes have together
	"nccl":     blockwise,              // size is the larger of both buffers
	"reprompi": nil,
}

var blockwise = []string{"MPI_Allgather", "MPI_Alltoall", "MPI_Gather", "MPI_Reduce_scatter", "MPI_Scatter"}

// blockOf returns the bytes of one block, for elements of some bytes. ok tells whether it is the same at each
// process: PICO gives each process COUNT/p elements, rounded down.
func blockOf(format, function string, size, element int64, p int) (block int64, ok bool, err error) {
	switch {
	case size < 0 || size > 1<<50:
		return 0, false, fmt.Errorf("%d is no size", size)
	case p < 1:
		return 0, false, fmt.Errorf("%d is no number of processes", p)
	case slices.Contains(totals[format], of(function)):
		block = size / element / int64(p) * element
		return block, block > 0 && (format == "pico" || block*int64(p) == size), nil
	}
	return size, size > 0, nil
}

// of returns the collective that a function is, or stands for.
func of(function string) string {
	if f, _ := mockups.Get(function); f.Of != "" {
		return f.Of
	}
	return function
}
