// Package osu holds what readers and writers of the text of OSU's micro-benchmarks share: titles and sizes. It
// writes that text; internal/feature/imported/readers reads what others have written.
package osu

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"pgmpi/guidelines"
	"pgmpi/internal/clean"
	"pgmpi/mockups"
)

// Titles maps each title to its collective, where they differ.
var Titles = map[string]string{"Broadcast": "Bcast", "All-to-All Personalized Exchange": "Alltoall", "All-to-Allv Personalized Exchange": "Alltoallv"}

// Totals lists the collectives whose size counts all blocks together: osu_reduce_scatter and osu_reduce_scatter_block
// divide it among the processes.
var Totals = []string{"MPI_Reduce_scatter", "MPI_Reduce_scatter_block"}

// Time is a time in Text, of one run. If Run is 0, it is of several together.
type Time struct {
	Function string
	Msize    int64
	Shape    guidelines.Shape
	Run      int
	NS       float64
}

// Text prints medians as OSU's programs print means: a table for each shape, run and function.
func Text(library string, times []Time) string {
	times = slices.Clone(times)
	slices.SortStableFunc(times, func(a, b Time) int {
		return cmp.Or(strings.Compare(a.Shape.String(), b.Shape.String()), cmp.Compare(a.Run, b.Run), strings.Compare(a.Function, b.Function), cmp.Compare(a.Msize, b.Msize))
	})
	var out strings.Builder
	for i, t := range times {
		if i == 0 || t.Shape != times[i-1].Shape || t.Run != times[i-1].Run || t.Function != times[i-1].Function {
			title := strings.TrimPrefix(t.Function, "MPI_")
			for name, short := range Titles {
				if short == title {
					title = name
				}
			}
			fmt.Fprintf(&out, "\n# OSU MPI %s Latency Test, by pgmpi\n# Library: %s\n# Processes: %d\n", clean.Line(title), clean.Line(library), t.Shape.NP)
			if t.Shape.Nodes > 0 {
				fmt.Fprintf(&out, "# Shape: %s\n", t.Shape)
			}
			if t.Run > 0 {
				fmt.Fprintf(&out, "# Run: %d\n", t.Run)
			}
			fmt.Fprintf(&out, "# %-8s%20s\n", "Size", "Median Latency(us)")
		}
		fmt.Fprintf(&out, "%-10d%20.3f\n", sizeOf(t.Function, t.Msize, t.Shape.NP), t.NS/1e3)
	}
	return out.String()
}

// sizeOf returns the size that OSU prints for blocks of some bytes.
func sizeOf(function string, block int64, p int) int64 {
	if f, _ := mockups.Get(function); slices.Contains(Totals, cmp.Or(f.Of, function)) {
		return block * int64(p)
	}
	return block
}
