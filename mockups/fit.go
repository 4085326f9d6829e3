package mockups

import (
	"cmp"
	"slices"
)

// Need is what a case takes of the buffers that all cases share, in bytes.
type Need struct{ Send, Recv, Temp int64 }

// Sum is what it takes by itself.
func (n Need) Sum() int64 { return n.Send + n.Recv + n.Temp }

// Fit tells which cases fit into limit bytes together, and how large the shared
// buffers then are: each as large as any of these cases needs it, so that cases
// that fit alone may not fit together. The small ones come first.
func Fit(needs []Need, limit int64) (fits []bool, shared Need) {
	order := make([]int, len(needs))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(needs[a].Sum(), needs[b].Sum()) })
	fits = make([]bool, len(needs))
	for _, i := range order {
		n := needs[i]
		with := Need{max(shared.Send, n.Send), max(shared.Recv, n.Recv), max(shared.Temp, n.Temp)}
		if with.Sum() <= limit {
			fits[i], shared = true, with
		}
	}
	return fits, shared
}
