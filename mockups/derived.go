package mockups

import (
	"iter"
	"slices"
	"strings"
)

// Derived is a datatype with gaps. A block of count elements lies in 2·count elements of a
// buffer: each piece of data is followed by a gap of the same length.
type Derived string

// mockups/c/derived.c makes the datatypes.
const (
	Vector  Derived = "vector"  // pieces of one element
	Indexed Derived = "indexed" // pieces of 1, 2, 3, …, 16, 1, 2, … elements; the last one is cut
)

const longestPiece = 16

// Contiguous blocks have no gaps, and the datatype of the job: MPI_Bcast/contiguous is MPI_Bcast on one
// item that holds the block.
const Contiguous Call = "contiguous"

var deriveds = map[Derived]string{
	Vector:  "blocks as vectors with gaps",
	Indexed: "blocks as indexed pieces with gaps",
}

// Pieces yields the places of a block's data.
func (d Derived) Pieces(count int64) iter.Seq[Stretch] {
	return func(yield func(Stretch) bool) {
		for at, next := int64(0), int64(1); at < 2*count; {
			of := min(next, count-at/2)
			if !yield(Stretch{at, of}) {
				return
			}
			at += 2 * of
			if d == Indexed {
				next = next%longestPiece + 1
			}
		}
	}
}

// Span returns the number of buffer elements for a block of count elements.
func (f Function) Span(count int64) int64 {
	if f.Derived != "" {
		return 2 * count
	}
	return count
}

// Packed is a call on data that are packed before it and unpacked after it: MPI_Bcast/vector/packed.
const Packed Call = "packed"

// PackedCall is the call that a call with a datatype is compared with.
func PackedCall(d Derived) Call { return Call(d) + "/" + Packed }

// packed has the temporaries of calls on packed data, for collectives that take derived datatypes.
// Operators are for predefined ones.
var packed = map[string]Temp{
	"MPI_Allgather": {One: 1, PerRank: 1},
	"MPI_Alltoall":  {PerRank: 2},
	"MPI_Bcast":     {One: 1},
	"MPI_Gather":    {One: 1, PerRank: 1},
	"MPI_Scatter":   {One: 1, PerRank: 1},
}

func makeDerived(f *Function) bool {
	temps, can := packed[f.Of]
	name := strings.TrimPrefix(f.Of, "MPI_")
	if f.Call == Contiguous {
		f.Formula, f.What = name+"(n, contiguous)", "blocks as one contiguous item"
		return can
	}
	d, how, _ := strings.Cut(string(f.Call), "/")
	if !slices.Contains([]Derived{Vector, Indexed}, Derived(d)) {
		return false
	}
	f.Derived = Derived(d)
	if Call(how) == Packed {
		f.Temp, f.InBytes = temps, true
		f.Formula, f.What = "Pack + "+name+"(n) + Unpack", "packed, called on MPI_PACKED, unpacked; "+deriveds[f.Derived]
	} else {
		f.Formula, f.What = name+"(n, "+d+")", deriveds[f.Derived]
	}
	return can
}
