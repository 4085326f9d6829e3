package applications

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
)

// neighbors returns the places beside one of n × n.
func neighbors(n, place int) (to []int) {
	x, y := place%n, place/n
	for _, next := range [][2]int{{x - 1, y}, {x + 1, y}, {x, y - 1}, {x, y + 1}} {
		if next[0] >= 0 && next[0] < n && next[1] >= 0 && next[1] < n {
			to = append(to, next[0]+n*next[1])
		}
	}
	return to
}

// grid returns a graph of n × n vertices that are joined to their neighbors, in Scotch's format.
func grid(n int) []byte {
	var lines []byte
	arcs := 0
	for i := range n * n {
		to := neighbors(n, i)
		arcs += len(to)
		lines = fmt.Appendf(lines, "%d %s\n", len(to), strings.Trim(fmt.Sprint(to), "[]"))
	}
	return append(fmt.Appendf(nil, "0\n%d %d\n0 000\n", n*n, arcs), lines...)
}

// laplace returns the equations of such a grid, with a right side of ones, as a test of MUMPS reads them.
func laplace(n int) []byte {
	var lines []byte
	entries := 0
	for i := range n * n {
		lines = fmt.Appendf(lines, "%d %d 4.0\n", i+1, i+1)
		for _, j := range neighbors(n, i) {
			lines = fmt.Appendf(lines, "%d %d -1.0\n", i+1, j+1)
		}
		entries += 1 + len(neighbors(n, i))
	}
	return append(fmt.Appendf(nil, "%d :N\n%d :NZ\n", n*n, entries), append(lines, bytes.Repeat([]byte("1.0\n"), n*n)...)...)
}

// dna returns an alignment in PHYLIP's format, in which each taxon differs a little from the one before it.
func dna(taxa, sites int) []byte {
	rng := rand.New(rand.NewPCG(1, 2))
	text, row := fmt.Appendf(nil, "%d %d\n", taxa, sites), make([]byte, sites)
	for taxon := range taxa {
		for i := range row {
			if taxon == 0 || rng.IntN(8) == 0 {
				row[i] = "ACGT"[rng.IntN(4)]
			}
		}
		text = fmt.Appendf(text, "t%d %s\n", taxon, row)
	}
	return text
}
