package mockups

import (
	"fmt"
	"slices"
	"strings"
)

// Call names a way to call a collective other than the usual one: blocking, with two buffers. A case of
// such a call has it as its variant.
type Call string

// Calls that MPI has a name for have that name: MPI_Ireduce, MPI_Reduce_init. Others, which
// differ by arguments, have a slash, as an algorithm has an @.
const (
	Nonblocking Call = "nonblocking" // MPI_Ireduce, then Wait
	Persistent  Call = "persistent"  // Start, then Wait; MPI_Reduce_init and the freeing are not timed
	InPlace     Call = "in_place"    // MPI_Reduce/in_place
	// The mock-ups that guidelines compare these with.
	Copied           Call = "copied"          // MPI_Reduce/copied: the input is copied first
	NonblockingTimes Call = "nonblocking_x10" // MPI_Ireduce/10: ten of them
	PersistentTimes  Call = "persistent_x10"  // MPI_Reduce_init/10: a request made, used ten times, freed
	PersistentOnce   Call = "persistent_x1"   // MPI_Reduce_init/1: the same, used once
)

// Times is the number of calls in one whose name ends with 10.
const Times = 10

// LargeCount is a call with counts of type MPI_Count: MPI_Reduce_c.
const LargeCount Call = "large_count"

// Sliced calls on slices of at most 2³¹ − 1 elements, as programs do without such counts:
// MPI_Bcast/sliced.
const Sliced Call = "sliced"

// canBeSliced has the collectives whose data can be cut into slices. Their data are in a row, or a
// datatype can take their parts from blocks that are apart: operators have none for the parts of
// MPI_Reduce_scatter.
var canBeSliced = []string{"MPI_Allgather", "MPI_Allreduce", "MPI_Alltoall", "MPI_Bcast", "MPI_Exscan", "MPI_Gather", "MPI_Reduce", "MPI_Scan", "MPI_Scatter"}

// Calls has all calls, in the order of lists.
var Calls = slices.Concat(
	[]Call{Nonblocking, Persistent, InPlace, Copied, NonblockingTimes, PersistentTimes, PersistentOnce},
	irregularCalls(), []Call{Contiguous, Call(Vector), Call(Indexed), PackedCall(Vector), PackedCall(Indexed), Neighborhood, ByMessages, LargeCount, Sliced}, messageCalls())

func CallOf(collective string, c Call) string {
	name := strings.TrimPrefix(collective, "MPI_")
	lower := strings.ToLower(name[:1]) + name[1:]
	first, rest, hasRest := strings.Cut(string(c), "/")
	switch Call(first) {
	case "":
		return collective
	case Nonblocking:
		return "MPI_I" + lower
	case NonblockingTimes:
		return "MPI_I" + lower + "/10"
	case Persistent:
		return collective + "_init"
	case PersistentTimes:
		return collective + "_init/10"
	case PersistentOnce:
		return collective + "_init/1"
	case Neighborhood:
		collective = "MPI_Neighbor_" + lower
	case LargeCount:
		return collective + "_c"
	case Synchronous:
		return "MPI_Ss" + lower[1:]
	case Immediate:
		return "MPI_I" + lower
	case Started:
		return collective + "_init"
	case Wide:
		collective = strings.TrimSuffix(collective, "v") + "w"
	default:
		return collective + "/" + string(c)
	}
	if !hasRest {
		return collective
	}
	return collective + "/" + rest
}

// own has the block of its rank in a vector; the others are not input.
var own Result = func(rank, p, root, block int) Source {
	if block != rank {
		return undefined
	}
	return Source{rank, rank, 0}
}

// These are the other inputs in a receive buffer.
var (
	ownBlock  Result = func(rank, p, root, block int) Source { return Source{rank, rank, 0} }
	ownVector Result = func(rank, p, root, block int) Source { return Source{rank, rank, block} }
	rootsOwn  Result = func(rank, p, root, block int) Source { return atRoot(ownBlock, rank, p, root, block) }
	rootsPart Result = func(rank, p, root, block int) Source { return atRoot(own, rank, p, root, block) }
)

var undefined = Source{0, -1, 0}

func atRoot(r Result, rank, p, root, block int) Source {
	if rank != root {
		return undefined
	}
	return r(rank, p, root, block)
}

// inPlace has the calls in place, for each collective that has one, also with a v. It has the buffers
// and the input of such a call, the temporary of the copy, and the result if it differs.
var inPlace = map[string]struct {
	send, recv Buffer
	input      Result
	copied     Temp
	result     Result
}{
	"MPI_Allgather":            {recv: vector, input: own, copied: Temp{One: 1}},
	"MPI_Allreduce":            {recv: block, input: ownBlock, copied: Temp{One: 1}},
	"MPI_Alltoall":             {recv: vector, input: ownVector, copied: Temp{PerRank: 1}},
	"MPI_Exscan":               {recv: block, input: ownBlock, copied: Temp{One: 1}},
	"MPI_Gather":               {send: block, recv: vectorAtRoot, input: rootsPart, copied: Temp{One: 1}},
	"MPI_Reduce":               {send: block, recv: blockAtRoot, input: rootsOwn, copied: Temp{One: 1}},
	"MPI_Reduce_scatter":       {recv: vector, input: ownVector, copied: Temp{PerRank: 1}, result: ownPartFirst},
	"MPI_Reduce_scatter_block": {recv: vector, input: ownVector, copied: Temp{PerRank: 1}, result: ownPartFirst},
	"MPI_Scan":                 {recv: block, input: ownBlock, copied: Temp{One: 1}},
	"MPI_Scatter":              {send: vectorAtRoot, recv: block, result: scatteredToOthers},
}

// ownPartFirst defines the first block of the result: MPI leaves open what follows.
var ownPartFirst Result = func(rank, p, root, block int) Source {
	if block > 0 {
		return undefined
	}
	return Source{0, p - 1, rank}
}

// scatteredToOthers leaves out the root, whose receive buffer is not given to MPI.
var scatteredToOthers Result = func(rank, p, root, block int) Source {
	if rank == root {
		return undefined
	}
	return Source{root, root, rank}
}

var (
	variants    []Function
	variantByID = map[string]int{}
)

func addVariants(of Function) {
	for _, c := range Calls {
		if !of.HasData() && c != Nonblocking {
			continue
		}
		if f, ok := variantOf(of, c); ok {
			variantByID[f.ID] = len(variants)
			variants = append(variants, f)
		}
	}
}

// ways are the calls that all collectives with data have: the formula, in which % is the
// collective and @ the nonblocking one, and what they do.
var ways = map[Call][2]string{
	Nonblocking:      {"@ + Wait", "posted, then waited for"},
	NonblockingTimes: {"10·(@ + Wait)", "ten times posted and waited for, in a row"},
	Persistent:       {"Start + Wait of %_init(n)", "a request that was made before, started and waited for"},
	PersistentTimes:  {"%_init(n) + 10·(Start + Wait)", "a request made, ten times started and waited for, freed"},
	PersistentOnce:   {"%_init(n) + Start + Wait", "a request made, started and waited for once, freed"},
	InPlace:          {"%(n) in place", "with MPI_IN_PLACE"},
	Copied:           {"copy + %(n)", "the input that is in the receive buffer copied to a temporary, then not in place"},
	LargeCount:       {"%_c(n)", "with counts that are MPI_Count"},
	Sliced:           {"⌈n/(2³¹ − 1)⌉·%", "in slices of at most 2³¹ − 1 elements, one call for each"},
}

func variantOf(of Function, c Call) (f Function, ok bool) {
	f = of
	f.ID, f.Of, f.Call, f.Regular = CallOf(of.ID, c), of.ID, c, false
	if of.Message {
		ok = makeMessage(&f)
		return f, ok
	}
	way, ok := ways[c]
	if !ok {
		ok = makeIrregular(&f) || makeDerived(&f) || makeNeighbors(&f)
		return f, ok
	}
	name, posted := strings.TrimPrefix(of.ID, "MPI_"), strings.TrimPrefix(CallOf(of.ID, Nonblocking), "MPI_")
	if of.HasData() {
		posted += "(n)"
	}
	f.Formula, f.What = strings.NewReplacer("%", name, "@", posted).Replace(way[0]), way[1]
	if c == Sliced {
		return f, slices.Contains(canBeSliced, of.ID)
	}
	if c == InPlace || c == Copied {
		place, can := inPlace[strings.TrimSuffix(of.ID, "v")]
		f.Send, f.Recv, f.Input, f.Consumes, ok = place.send, place.recv, place.input, true, can
		if place.result != nil {
			f.Result = place.result
		}
		if c == Copied {
			f.Temp = place.copied
		}
	}
	return f, ok
}

func Variants() []Function { return variants }

func IsCallOf(id, collective string) bool {
	f, ok := variant(id)
	return id == collective || ok && f.Of == collective
}

// Lacks returns the reason why a call that its code refuses cannot be made.
func (f Function) Lacks() string {
	if f.Fewer != "" {
		return f.ID + " needs two processes, and an operator that commutes if it reduces"
	}
	if f.Commuting {
		return f.ID + " changes the order of the ranks, and the operator does not commute"
	}
	if f.Call == InPlace {
		return "MPICH 4.0 and 4.1 crash in " + f.Of + " with MPI_IN_PLACE at a root that is not rank 0 (pmodels/mpich, issue 6540)"
	}
	if f.Message {
		if f.Ranks != firstTwo {
			return fmt.Sprintf("there are no ranks %d and %d", f.Ranks[0], f.Ranks[1])
		}
		return "a message needs two processes"
	}
	call := Persistent
	if f.Call == LargeCount {
		call = LargeCount
	}
	return "the library has no " + CallOf(f.Of, call)
}

// These calls are on a periodic ring of all processes (MPI 4.0, 8.6). Each process exchanges data with
// its two neighbors only.
const (
	Neighborhood Call = "neighborhood"             // MPI_Neighbor_alltoall
	ByMessages   Call = "neighborhood/isend+irecv" // MPI_Neighbor_alltoall/isend+irecv: what it is compared with
)

var (
	pair = Buffer{Blocks: Pair}

	// Block 0 comes from below, block 1 from above.
	neighbor = func(rank, p, block int) int { return (rank + 2*block - 1 + p) % p }

	fromNeighbors Result = func(rank, p, root, block int) Source {
		of := neighbor(rank, p, block)
		return Source{of, of, 0}
	}
	// The block from below was sent upwards, even if both neighbors are the same process.
	withNeighbors Result = func(rank, p, root, block int) Source {
		of := neighbor(rank, p, block)
		return Source{of, of, 1 - block}
	}
)

func makeNeighbors(f *Function) bool {
	if f.Call != Neighborhood && f.Call != ByMessages {
		return false
	}
	name := strings.TrimPrefix(CallOf(f.Of, Neighborhood), "MPI_") + "(n)"
	f.Formula, f.What = name, "with the two neighbors on a periodic ring"
	if f.Call == ByMessages {
		f.Formula, f.What = "2·Isend(n) + 2·Irecv(n) + Waitall", "Isend to the two neighbors on a ring, Irecv from them, Waitall"
	}
	f.Recv, f.Exchange = pair, false
	switch f.Of {
	case "MPI_Allgather":
		f.Result = fromNeighbors
	case "MPI_Alltoall":
		f.Send, f.Result = pair, withNeighbors
	default:
		return false
	}
	return true
}
