// Package mockups lists what pgmpi can measure: the MPI collectives and the mock-ups that emulate them
// by other collectives.
//
// It has each function's name, the collective that a mock-up stands for, the definition of its result,
// and the memory that a case needs. The code that runs is in mockups/c under the same ids; the rank
// program refuses to start if only one of the tables has a function. This package knows nothing of MPI
// and builds anywhere.
package mockups

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"sync"
)

// Blocks is a number of blocks of msize bytes in a buffer.
type Blocks int

// A buffer holds nothing, one block, one block per process, or one for each of two neighbors.
const (
	None Blocks = iota
	One
	PerRank
	Pair
)

type Buffer struct {
	Blocks   Blocks
	RootOnly bool // significant at the root alone
}

var (
	block        = Buffer{Blocks: One}
	blockAtRoot  = Buffer{Blocks: One, RootOnly: true}
	vector       = Buffer{Blocks: PerRank}
	vectorAtRoot = Buffer{Blocks: PerRank, RootOnly: true}
)

// Elements returns the buffer's length at one rank of p, in elements. A block has count elements.
func (b Buffer) Elements(count int64, p int, isRoot bool) int64 {
	if b.RootOnly && !isRoot {
		return 0
	}
	switch b.Blocks {
	case One:
		return count
	case PerRank:
		return count * int64(p)
	case Pair:
		return 2 * count
	case None:
	}
	return 0
}

// Temp counts the temporaries of a mock-up by their size, at the rank that needs most: one
// block, one block for each process or for each pair of processes, and one block padded to a
// multiple of p elements.
type Temp struct {
	One, PerRank, PerPair, Padded int
}

// Elements returns the length of all temporaries on p processes, in elements. A block has count
// elements.
func (t Temp) Elements(count int64, p int) int64 {
	ranks := int64(p)
	padded := (count + ranks - 1) / ranks * ranks
	return (int64(t.One)+int64(t.PerRank)*ranks+int64(t.PerPair)*ranks*ranks)*count + int64(t.Padded)*padded
}

// buffers returns the number of temporaries.
func (t Temp) buffers() int { return t.One + t.PerRank + t.PerPair + t.Padded }

// Source says where the data of a block come from: block Block of the data of the
// ranks from First to Last, combined by the operator. If Last is less than First, the block
// is undefined.
type Source struct{ First, Last, Block int }

// Result is the definition of a collective in the MPI standard: it returns the source of a
// block of the receive buffer at a rank, on p processes.
type Result func(rank, p, root, block int) Source

var (
	gathered  Result = func(rank, p, root, block int) Source { return Source{block, block, 0} }
	exchanged Result = func(rank, p, root, block int) Source { return Source{block, block, rank} }
	roots     Result = func(rank, p, root, block int) Source { return Source{root, root, 0} }
	scattered Result = func(rank, p, root, block int) Source { return Source{root, root, rank} }
	reduced   Result = func(rank, p, root, block int) Source { return Source{0, p - 1, 0} }
	ownPart   Result = func(rank, p, root, block int) Source { return Source{0, p - 1, rank} }
	upToOwn   Result = func(rank, p, root, block int) Source { return Source{0, rank, 0} }
	beforeOwn Result = func(rank, p, root, block int) Source { return Source{0, rank - 1, 0} }
)

type Function struct {
	// ID is "MPI_Gather", "gather_as_allgather", "MPI_Gather@binomial", "MPI_Igather",
	// "MPI_Gather/in_place" or, for a user's mock-up, "gather_as_mine".
	ID      string
	Of      string // the collective that a mock-up emulates; "" for a collective
	Formula string // "Allgather(n)", as the guidelines of S-PGMPI, Appendix A write it
	What    string // describes the mock-up for people, in one line
	Send    Buffer
	Recv    Buffer
	Result  Result
	Reduces bool   // has a reduction operator
	InBytes bool   // gives MPI counts or displacements of bytes, whatever the datatype
	Input   Result // content of the receive buffer before the call, if it counts
	// Regular marks the collectives that GL1 and GL2 are about and that have an
	// identity. Collectives with a vector of counts, measured with
	// equal counts, would repeat these, and MPI_Barrier has no size;
	// users' own guidelines can name them.
	Regular bool
	// Identity marks the collective itself as its own mock-up, for pgmpi selftest. Mockups
	// does not list it.
	Identity bool
	// Algorithm is the library's algorithm that the id names: "binomial" in
	// "MPI_Bcast@binomial".
	Algorithm string
	User      bool    // marks a user's mock-up, whose code is in a file that gl.toml names
	Call      Call    // the way in which the collective is called; "" means blocking, with two buffers
	Rule      Rule    // cuts the data into unequal parts; "" means equal ones, as the collective does
	Derived   Derived // the datatype of the call's blocks; "" means that they are contiguous
	// Consumes marks calls that overwrite their input with their result: the next call
	// on the same buffers gives another result.
	Consumes bool
	OneCount bool          // marks the collectives that get the count of one block
	Exchange bool          // marks functions in which every rank has other data for every rank
	Message  bool          // marks messages between two ranks
	Ranks    [2]int        // of messages: who exchanges them, usually ranks 0 and 1
	Half     bool          // marks a ping-pong: a sample is half the time of a call
	Over     Decomposition // says how a mock-up uses the ranks' nodes, if it does
	Textbook string        // the algorithm of a mock-up by messages, if it is one
	Fewer    string        // the processes that a mock-up calls its collective on, if not all
	// Commuting marks mock-ups for operators that commute alone: they change the order of the ranks.
	Commuting bool
	Temp      Temp
}

func (f Function) HasData() bool { return f.Send.Blocks != None || f.Recv.Blocks != None }

func (f Function) IsMockup() bool { return f.Of != "" }

// HasRoot tells whether one rank of a collective has a part of its own.
func (f Function) HasRoot() bool { return f.Send.RootOnly || f.Recv.RootOnly || f.ID == "MPI_Bcast" }

func (f Function) IsCollective() bool { return f.Of == "" && !f.Message }

// MaxCount returns the largest element count that the function hands to MPI as an int. A block has
// count elements of extent bytes. Above what an int holds the case cannot be measured.
func (f Function) MaxCount(count, extent int64, p int) int64 {
	if f.Call == LargeCount || f.Call == Sliced {
		return 0
	}
	if f.Derived == Indexed {
		count *= 2 // displacements of pieces
	}
	if f.OneCount && !f.InBytes && (!f.IsMockup() || f.Identity || f.Algorithm != "" || f.Call != "" && f.Call != Copied) {
		return count
	}
	switch {
	case f.Temp.PerPair > 0:
		count *= int64(p) * int64(p)
	case f.Send.Blocks == PerRank || f.Recv.Blocks == PerRank || f.Temp.PerRank > 0:
		count *= int64(p)
	}
	if f.InBytes {
		count *= extent
	}
	return count * f.crowd()
}

// crowd returns how many times as much a rank gets as it sends, at most.
func (f Function) crowd() int64 {
	if f.Exchange && f.Rule == Lopsided {
		return maxMild
	}
	return 1
}

// Numbers tells whether the datatype auto stands for numbers: in reductions, and in blocks with gaps.
func (f Function) Numbers() bool { return f.Reduces || f.Derived != "" }

// Period is the number of elements after which the data for verifying repeat: otherwise most
// of the time would go into hashing and reducing them. It is a prime, so that parts of the
// usual sizes begin at different places.
const Period = 8191

// Memory returns the memory of a case at the rank that needs most: the caller's buffers and
// the temporaries, for blocks of count elements of extent bytes on p processes.
func (f Function) Memory(count, extent int64, p int) Need {
	length := func(b Buffer) int64 {
		if f.Rule != "" && b.Blocks == One {
			b.Blocks = PerRank // a part can be nearly all
		}
		return b.Elements(f.Span(count), p, true) * extent
	}
	return Need{
		Send: length(f.Send),
		Recv: length(f.Recv) * f.crowd(),
		// Every temporary is aligned to a page and guarded.
		Temp: f.Temp.Elements(count, p)*extent + int64(f.Temp.buffers())*2*4096,
	}
}

// collectives are in alphabetical order, with buffers as in the MPI standard. Their msize is as
// docs/guidelines.md defines it. Those with a vector of counts are measured with equal counts.
var collectives = []Function{
	{ID: "MPI_Allgather", Send: block, Recv: vector, Result: gathered, Regular: true, OneCount: true},
	{ID: "MPI_Allgatherv", Send: block, Recv: vector, Result: gathered},
	{ID: "MPI_Allreduce", Send: block, Recv: block, Reduces: true, Result: reduced, Regular: true},
	{ID: "MPI_Alltoall", Send: vector, Recv: vector, Result: exchanged, Regular: true, OneCount: true, Exchange: true},
	{ID: "MPI_Alltoallv", Send: vector, Recv: vector, Result: exchanged, Exchange: true},
	{ID: "MPI_Barrier"},
	{ID: "MPI_Bcast", Recv: block, Result: roots, Input: rootsOwn, Regular: true},
	{ID: "MPI_Exscan", Send: block, Recv: block, Reduces: true, Result: beforeOwn, Regular: true},
	{ID: "MPI_Gather", Send: block, Recv: vectorAtRoot, Result: gathered, Regular: true, OneCount: true},
	{ID: "MPI_Gatherv", Send: block, Recv: vectorAtRoot, Result: gathered},
	{ID: "MPI_Reduce", Send: block, Recv: blockAtRoot, Reduces: true, Result: reduced, Regular: true},
	{ID: "MPI_Reduce_scatter", Send: vector, Recv: block, Reduces: true, Result: ownPart, Regular: true},
	{ID: "MPI_Reduce_scatter_block", Send: vector, Recv: block, Reduces: true, Result: ownPart, Regular: true, OneCount: true},
	{ID: "MPI_Scan", Send: block, Recv: block, Reduces: true, Result: upToOwn, Regular: true},
	{ID: "MPI_Scatter", Send: vectorAtRoot, Recv: block, Result: scattered, Regular: true, OneCount: true},
	{ID: "MPI_Scatterv", Send: vectorAtRoot, Recv: block, Result: scattered},
}

// mockupRows take missing fields from their collective. An id names it, and the collectives
// that emulate it, from which the formula is made.
var mockupRows = []Function{
	{ID: "gather_as_allgather", Temp: Temp{PerRank: 1}, What: "Allgather; the others receive into a temporary"},
	{ID: "gather_as_reduce", InBytes: true, Temp: Temp{PerRank: 1},
		What: "own block in a zeroed vector of p blocks, Reduce with BOR on bytes"},
	{ID: "allgather_as_alltoall", Temp: Temp{PerRank: 1},
		What: "own block p times over (copied if small, by a datatype of extent 0 if large), Alltoall"},
	{ID: "allgather_as_allreduce", InBytes: true, What: "own block in a zeroed vector of p blocks, Allreduce with BOR on bytes"},
	{ID: "scatter_as_bcast", Temp: Temp{PerRank: 1}, What: "Bcast of all p blocks, keep the own one"},
	{ID: "reduce_as_allreduce", Temp: Temp{One: 1}, What: "Allreduce; the others receive into a temporary"},
	{ID: "reduce_scatter_as_allreduce", Temp: Temp{PerRank: 1}, What: "Allreduce of the whole vector, keep the own part"},
	{ID: "bcast_as_scatter+allgather", Temp: Temp{Padded: 1}, What: "Scatter the p parts, Allgather them; padded to a multiple of p"},
	{ID: "allgather_as_gather+bcast", What: "Gather at rank 0, Bcast of all p blocks"},
	{ID: "allreduce_as_reduce+bcast", What: "Reduce at rank 0, Bcast of the result"},
	{ID: "allreduce_as_reduce_scatter_block+allgather", Temp: Temp{Padded: 2},
		What: "Reduce_scatter_block, Allgather of the parts; padded to a multiple of p"},
	{ID: "reduce_as_reduce_scatter_block+gather", Temp: Temp{Padded: 2},
		What: "Reduce_scatter_block, Gather of the parts; padded to a multiple of p"},
	{ID: "reduce_scatter_block_as_reduce+scatter", Temp: Temp{PerRank: 1}, What: "Reduce at rank 0, Scatter of the parts"},
	{ID: "scan_as_exscan+reduce_local", Temp: Temp{One: 1}, What: "Exscan, then Reduce_local with the own block, in rank order"},
	{ID: "reduce_scatter_as_reduce+scatterv", Temp: Temp{PerRank: 1}, What: "Reduce at rank 0, Scatterv of the parts"},
	{ID: "gather_as_gatherv", What: "Gatherv with equal counts"},
	{ID: "scatter_as_scatterv", What: "Scatterv with equal counts"},
	{ID: "allgather_as_allgatherv", What: "Allgatherv with equal counts"},
	{ID: "alltoall_as_alltoallv", What: "Alltoallv with equal counts"},
	{ID: "reduce_scatter_block_as_reduce_scatter", What: "Reduce_scatter with equal parts"},
	{ID: "reduce_scatter_block_as_allreduce", Temp: Temp{PerRank: 1}, What: "Allreduce of the whole vector, keep the own part"},
	{ID: "bcast_as_allgatherv", What: "Allgatherv; the root's part is all, the others' are empty"},
	{ID: "reduce_as_reduce_scatter", What: "Reduce_scatter; the root's part is all, the others' are empty"},
	{ID: "allreduce_as_reduce_scatter+allgatherv",
		What: "Reduce_scatter of p parts, unequal if p does not divide the count, Allgatherv of the parts"},
	{ID: "reduce_as_reduce_scatter+gatherv", Temp: Temp{One: 1},
		What: "Reduce_scatter of p parts, unequal if p does not divide the count, Gatherv of the parts"},
	{ID: "bcast_as_allreduce", InBytes: true, What: "Allreduce with BOR on bytes; all but the root contribute zeros"},
	{ID: "exscan_as_scan+sendrecv", Temp: Temp{One: 1}, What: "Scan, the result sent to the rank above"},
	{ID: "barrier_as_allreduce", Formula: "Allreduce(1)", What: "Allreduce of one byte"},
}

var (
	table []Function
	byID  = map[string]int{}
)

func init() {
	add := func(f Function) {
		byID[f.ID] = len(table)
		table = append(table, f)
	}
	for _, f := range collectives {
		f.Formula = strings.TrimPrefix(f.ID, "MPI_")
		if f.HasData() {
			f.Formula += "(n)"
		}
		add(f)
	}
	for _, f := range messages {
		f.Send, f.Recv, f.Result, f.Message, f.Ranks = block, block, fromPartner, true, firstTwo
		add(f)
	}
	for _, m := range slices.Concat(mockupRows, decomposed(), textbook(), fewer()) {
		of, by, _ := strings.Cut(m.ID, "_as_")
		f := table[byID["MPI_"+capital(of)]]
		f.ID, f.Of, f.What, f.InBytes, f.Temp, f.Regular = m.ID, "MPI_"+capital(of), m.What, m.InBytes, m.Temp, false
		f.Over, f.Textbook, f.Fewer = m.Over, m.Textbook, m.Fewer
		f.Commuting = f.Reduces && (m.Textbook != "" || m.Fewer != "")
		f.Formula = cmp.Or(m.Formula, formula(by))
		add(f)
	}
	for _, f := range slices.Concat(collectives, messages) {
		addVariants(table[byID[f.ID]])
	}
	for _, of := range slices.Concat(Identities(), Messages()) {
		f := table[byID[of]]
		f.ID, f.Of, f.Regular, f.Identity, f.What = IdentityOf(of), of, false, true, "the call itself, by its PMPI_ name"
		add(f)
	}
}

// capital makes "Gather" of "gather".
func capital(name string) string { return strings.ToUpper(name[:1]) + name[1:] }

// formula makes "Gather(n) + Bcast(n)" of "gather+bcast".
func formula(names string) string {
	calls := strings.Split(names, "+")
	for i, name := range calls {
		calls[i] = capital(name) + "(n)"
	}
	return strings.Join(calls, " + ")
}

func IdentityOf(collective string) string { return "identity:" + collective }

// Identities returns the regular collectives, in alphabetical order; they and Messages have an identity row.
func Identities() []string { return ids(func(f Function) bool { return f.Regular }) }

func All() []Function { return table }

// Get looks a function up by its id. Only the ranks know whether a library has the algorithm after an
// @, or a file has scan_as_mine.
func Get(id string) (Function, bool) {
	if i, ok := byID[id]; ok {
		return table[i], true
	}
	if f, ok := variant(id); ok {
		return f, true
	}
	if f, ok := algorithmOf(id); ok {
		return f, true
	}
	return userOf(id)
}

// Canonical returns the id for a name in any case and perhaps without MPI_, such as "bcast@binomial".
// It returns unknown names unchanged.
func Canonical(name string) string {
	base, _, _ := strings.Cut(name, "@")
	if id, known := byPlain()[plain(base)]; known {
		return id + strings.TrimPrefix(name, base)
	}
	return cmp.Or(byPlain()[plain(name)], name) // of some the id has an @
}

func plain(id string) string { return strings.TrimPrefix(strings.ToLower(id), "mpi_") }

// byPlain has the id of each plain name: importers ask for many thousands.
var byPlain = sync.OnceValue(func() map[string]string {
	ids := map[string]string{}
	for _, f := range slices.Concat(variants, table) { // of one name, the table's
		ids[plain(f.ID)] = f.ID
	}
	return ids
})

func Collectives() []string { return ids(Function.IsCollective) }

// Functions returns what has a name of its own in MPI: the collectives, and the usual ways to exchange messages.
func Functions() []string { return slices.Concat(Collectives(), Messages()) }

func Mockups(of string) []string {
	return ids(func(f Function) bool { return f.Of == of && !f.Identity })
}

func ids(keep func(Function) bool) []string {
	var out []string
	for _, f := range table {
		if keep(f) {
			out = append(out, f.ID)
		}
	}
	return out
}

// Part is one of the calls that a mock-up consists of, on blocks of Msize bytes.
type Part struct {
	Collective string
	Msize      int64
}

// uneven mock-ups call a collective with a part for the root alone.
var uneven = map[string]bool{"bcast_as_allgatherv": true, "reduce_as_reduce_scatter": true}

// Parts returns the calls that a mock-up of this table makes on p processes. It has blocks of msize
// bytes. Each call moves all data of the collective, so a block of it has n, n·p or n/p bytes. Parts
// returns nil where a mock-up calls more than collectives with equal blocks, or p does not divide them.
func (f Function) Parts(msize int64, p int) (parts []Part) {
	_, by, ok := strings.Cut(f.ID, "_as_")
	if !ok || f.User || f.Over != "" || f.Call != "" || f.Algorithm != "" || !f.HasData() || uneven[f.ID] {
		return nil
	}
	if p < 1 || msize > math.MaxInt64/f.InAll(p) {
		return nil
	}
	whole := msize * f.InAll(p)
	for _, name := range strings.Split(by, "+") {
		c, ok := Get("MPI_" + capital(name))
		if !ok || whole%c.InAll(p) != 0 {
			return nil
		}
		parts = append(parts, Part{c.ID, whole / c.InAll(p)})
	}
	return parts
}

func (f Function) InAll(p int) int64 {
	if f.Send.Blocks == PerRank || f.Recv.Blocks == PerRank {
		return int64(p)
	}
	return 1
}
