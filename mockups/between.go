package mockups

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

var firstTwo = [2]int{0, 1}

// Between returns the id of a way to exchange messages, between two ranks: "MPI_Send/0-64". For ranks 0 and 1 it is the
// id as it is.
func Between(id string, ranks [2]int) string {
	if ranks == firstTwo {
		return id
	}
	return fmt.Sprintf("%s/%d-%d", id, ranks[0], ranks[1])
}

// AnyRanks takes the ranks off such an id.
func AnyRanks(id string) string {
	base, _, _ := cutRanks(id)
	return base
}

const mostRanks = 10_000_000

// cutRanks splits an id of messages at its ranks. Others it returns whole.
func cutRanks(id string) (base string, ranks [2]int, ok bool) {
	at := strings.LastIndexByte(id, '/')
	if at < 0 {
		return id, firstTwo, false
	}
	first, second, _ := strings.Cut(id[at+1:], "-")
	a, errA := strconv.Atoi(first)
	b, errB := strconv.Atoi(second)
	if errA != nil || errB != nil || a < 0 || b <= a || b >= mostRanks {
		return id, firstTwo, false
	}
	base, ranks = id[:at], [2]int{a, b}
	if _, _, twice := cutRanks(base); twice || Between(base, ranks) != id {
		return id, firstTwo, false
	}
	return base, ranks, true
}

// withRanks makes the row of messages between other ranks than 0 and 1.
func withRanks(id string) (Function, bool) {
	base, ranks, ok := cutRanks(id)
	if !ok {
		return Function{}, false
	}
	f, ok := Get(base)
	if !ok || !f.Message {
		return Function{}, false
	}
	of := f.Result
	f.Call = cmp.Or(f.Call, Call(id[len(base)+1:]))
	f.ID, f.Of, f.Ranks, f.What = id, Collective(base), ranks, f.What+fmt.Sprintf(", ranks %d and %d", ranks[0], ranks[1])
	f.Result = func(rank, p, root, block int) Source {
		place := slices.Index(ranks[:], rank)
		if place < 0 {
			return undefined
		}
		s := of(place, p, root, block)
		if s.Last >= s.First {
			s.First, s.Last = ranks[s.First], ranks[s.Last]
		}
		return s
	}
	return f, true
}

// variant returns another way to call than the usual one.
func variant(id string) (Function, bool) {
	if i, ok := variantByID[id]; ok {
		return variants[i], true
	}
	return withRanks(id)
}
