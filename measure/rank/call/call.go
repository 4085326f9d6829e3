//go:build cgo

package call

/*
#cgo CFLAGS: -std=c11 -Wall -Wextra -I${SRCDIR}/../native -I${SRCDIR}/../../../mockups/c
#include <stdlib.h>
#include "rank.h"
#include "rows.h"
#include "lanes.h"

static int call_prepare(const pg_function *f, pg_ctx *x) { return f->prepare(x); }
static void call_release(const pg_function *f, pg_ctx *x) { f->release(x); }
*/
import "C"

import (
	"fmt"
	"unsafe"

	"pgmpi/measure/rank/mpi"
	"pgmpi/measure/rank/native"
	"pgmpi/measure/rank/verify"
	"pgmpi/mockups"
	"pgmpi/mockups/c"
)

// Caller calls functions, for blocks of a number of elements.
type Caller struct {
	*mpi.World
	rows  map[string]*native.Function
	own   map[string]mockups.Temp // of mock-ups of the user's own, by id
	x     *C.pg_ctx
	kinds [2]kind          // of functions that do not work on numbers, and of those that do
	more  map[string]*kind // of reductions with elements of their own, such as "int/max"
	arena *C.char          // of the temporaries of all cases
	recv  unsafe.Pointer   // the receive buffer
	room  mockups.Need     // of all these
	kept  int              // of more, in room
	many  *C.pg_function   // the row of samples of several calls
	root  int              // of the job
	seed  uint64           // of the counts that are drawn
	names [2]string        // of datatype and operator
}

func New(w *mpi.World) *Caller {
	caller := &Caller{World: w, x: (*C.pg_ctx)(unsafe.Pointer(w.Context)), rows: map[string]*native.Function{}, own: map[string]mockups.Temp{}, more: map[string]*kind{},
		many: (*C.pg_function)(C.calloc(1, C.sizeof_pg_function))}
	rows, ids := c.Rows()
	for i, id := range ids {
		caller.rows[id] = (*native.Function)(rows[i])
	}
	caller.makeCounts()
	return caller
}

func own(f *native.Function) *C.pg_function { return (*C.pg_function)(unsafe.Pointer(f)) }

func Name(f *native.Function) string { return C.GoString(own(f).id) }

// Row returns the row of an id, or nil where there is none.
func (c *Caller) Row(id string) *native.Function { return c.rows[mockups.AnyRanks(id)] }

// Function returns a function of the Go table, with the temporaries of a user's own.
func (c *Caller) Function(id string) (mockups.Function, bool) {
	f, ok := mockups.Get(id)
	if ok && f.User {
		f.Temp = c.own[id]
	}
	return f, ok
}

type kind struct {
	of       C.pg_ctx // datatype, operator, and the send buffer, in which are elements of this datatype
	verifier verify.Verifier
}

// Choose sets datatype, operator, root, and the seed of counts that are drawn.
func (c *Caller) Choose(datatype, op string, root int, seed uint64) (err error) {
	c.root, c.seed = root, seed
	names := [2]string{datatype, op}
	if c.names == names {
		return nil
	}
	c.names = names
	for i := range c.kinds {
		d, its := mockups.Function{Reduces: i == 1}.Elements(datatype, op)
		if err := c.kinds[i].choose(d.Name, its, c.Size); err != nil {
			return err
		}
	}
	return nil
}

// ChooseKind makes what a case has of its own known, "int/max:root=1".
func (c *Caller) ChooseKind(own string) error {
	elements, root := mockups.Own(own)
	if root >= c.Size {
		return fmt.Errorf("root %d is no rank of %d processes", root, c.Size)
	}
	if elements == "" || c.more[elements] != nil {
		return nil
	}
	k := &kind{}
	datatype, op := mockups.Kind(elements, "", "")
	if err := k.choose(datatype, op, c.Size); err != nil {
		return err
	}
	c.more[elements] = k
	return nil
}

func (k *kind) choose(datatype, op string, size int) (err error) {
	t, o := C.CString(datatype), C.CString(op)
	defer C.free(unsafe.Pointer(t))
	defer C.free(unsafe.Pointer(o))
	if C.pg_choose(&k.of, t, o) == 0 {
		return fmt.Errorf("this rank program does not know datatype %q with op %q", datatype, op)
	}
	k.verifier, err = verify.New(datatype, op, size)
	return err
}

// Use gives the case in hand a function's datatype, operator, send buffer and root, or what it has of its own, and
// returns their verifier.
func (c *Caller) Use(f mockups.Function, own string) verify.Verifier {
	elements, _ := mockups.Own(own)
	k := c.more[elements]
	switch {
	case k != nil:
	case f.Numbers():
		k = &c.kinds[1]
	default:
		k = &c.kinds[0]
	}
	c.x._type, c.x.extent, c.x.op, c.x.send = k.of._type, k.of.extent, k.of.op, k.of.send
	c.x.root = C.int(mockups.RootOf(own, c.root))
	return k.verifier
}

// extent returns the bytes of an element of the case in hand.
func (c *Caller) extent() int64 { return int64(c.x.extent) }

const (
	mallocStarts = 128 << 10 // both thresholds of glibc as a process starts
	mallocKeeps  = 1 << 30
	mallocRaises = 32 << 20 // as far as glibc moves the first by itself; older ones refuse more
	mallocFreed  = 8 << 20  // what a program with settled malloc has freed
)

// SetMalloc brings malloc into a state that no block which is freed moves. It tells whether the C
// library has that state.
func SetMalloc(settled bool) bool {
	set := func(mmap, trim int64) bool { return C.pg_set_malloc(C.int64_t(mmap), C.int64_t(trim)) != 0 }
	if settled {
		if !set(mallocKeeps, mallocKeeps) && !set(mallocRaises, mallocKeeps) {
			return false
		}
		C.pg_free_large_block(mallocFreed)
		return true
	}
	return set(mallocStarts, mallocStarts)
}

// HoldFreeBlocks keeps the calls to come from what others have left in the heap: with fresh malloc they get large
// blocks from the kernel.
func HoldFreeBlocks() { C.pg_hold_free_blocks(mallocStarts) }

// Allocate makes room for buffers and temporaries, or leaves the room that there is, if that is enough.
func (c *Caller) Allocate(bytes mockups.Need) error {
	if c.arena != nil {
		if c.x.recv = c.recv; bytes.Within(c.room) && len(c.more) == c.kept {
			return nil
		}
		c.free()
	}
	s, r, a := C.pg_alloc(C.int64_t(bytes.Send)), C.pg_alloc(C.int64_t(bytes.Recv)), C.pg_alloc(C.int64_t(bytes.Temp))
	reduced := s
	if bytes.Reduced > 0 {
		reduced = C.pg_alloc(C.int64_t(bytes.Reduced))
	}
	if s == nil || r == nil || a == nil || reduced == nil {
		return fmt.Errorf("no memory for buffers of %d, %d and %d bytes", bytes.Send+bytes.Reduced, bytes.Recv, bytes.Temp)
	}
	for _, k := range c.more {
		own := C.pg_alloc(C.int64_t(bytes.Reduced))
		if own == nil {
			return fmt.Errorf("no memory for buffers of %d bytes for each kind of elements", bytes.Reduced)
		}
		k.of.send = unsafe.Pointer(own)
	}
	c.kept = len(c.more)
	c.kinds[0].of.send, c.kinds[1].of.send, c.recv, c.arena = unsafe.Pointer(s), unsafe.Pointer(reduced), unsafe.Pointer(r), a
	c.x.recv, c.room = c.recv, bytes
	return nil
}

func (c *Caller) free() {
	if c.room.Reduced > 0 {
		C.free(c.kinds[1].of.send)
	}
	for _, k := range c.more {
		C.free(k.of.send) // nil of one that came later
	}
	C.free(c.kinds[0].of.send)
	C.free(c.recv)
	C.free(unsafe.Pointer(c.arena))
}

func (c *Caller) makeCounts() {
	ints := (*C.int)(C.calloc(C.size_t(2*c.Size), C.sizeof_int))
	c.x.counts = ints
	c.x.displs = (*C.int)(unsafe.Add(unsafe.Pointer(ints), c.Size*C.sizeof_int))
	c.x.lists = nil
}

// setCounts gives the context counts and displacements by f's rule, for blocks of count elements, and messages the
// ranks that exchange them. It
// also makes room for what else such calls need.
func (c *Caller) setCounts(f mockups.Function, count int64) error {
	if f.Message && c.Size > 1 {
		of := unsafe.Slice(c.x.displs, len(f.Ranks))
		for i, rank := range f.Ranks {
			of[i] = C.int(rank)
		}
	}
	if f.Rule == "" && f.Call != mockups.LargeCount {
		return nil
	}
	if c.x.lists == nil {
		if c.x.lists = C.pg_make_lists(c.x.size); c.x.lists == nil {
			return fmt.Errorf("no memory for lists of %d processes", c.Size)
		}
	}
	if f.Rule == "" {
		return nil
	}
	parts, from := f.Layout(count, c.Size, int(c.x.root), c.seed).Counts(c.Rank)
	set := func(counts, displs *C.int, to []mockups.Stretch) {
		n, at := unsafe.Slice(counts, len(to)), unsafe.Slice(displs, len(to))
		for i, of := range to {
			n[i], at[i] = C.int(of.N), C.int(of.At)
		}
	}
	set(c.x.counts, c.x.displs, parts)
	set(c.x.lists.from_counts, c.x.lists.from_displs, from)
	return nil
}

type Prepared C.pg_ctx

// PutAway returns the context of the case in hand, and leaves one for preparing another.
func (c *Caller) PutAway() Prepared {
	p := Prepared(*c.x)
	c.makeCounts()
	C.pg_release(c.x)
	return p
}

// TakeUp makes a case that was put away the one in hand. It frees the counts of the one before.
func (c *Caller) TakeUp(p Prepared) {
	C.free(unsafe.Pointer(c.x.counts))
	C.pg_free_lists(c.x.lists)
	*c.x = C.pg_ctx(p)
}

// Prepare makes a row of f ready for blocks of count elements. The row gets no more temporaries than
// the Go table gives f; they begin at byte temps of the arena. Where a rank wants more, refused says so
// on all ranks, and the row is to be neither called nor released.
func (c *Caller) Prepare(f mockups.Function, row *native.Function, count, temps int64) (refused string, err error) {
	c.x.count = C.int64_t(count)
	c.x.arena = (*C.char)(unsafe.Add(unsafe.Pointer(c.arena), temps))
	c.x.arena_bytes = C.int64_t(f.Memory(count, c.extent(), c.Size).Temp)
	c.x.temp_elements = C.int64_t(f.Temp.Elements(count, c.Size))
	if err := c.setCounts(f, count); err != nil {
		return "", err
	}
	rc := C.call_prepare(own(row), c.x)
	switch {
	case rc == C.MPI_ERR_NO_MEM && f.User:
		refused = "prepare takes more temporaries than the temps of its row say"
	case rc == C.MPI_ERR_NO_MEM:
		refused = fmt.Sprintf("the table in mockups.go gives %s too little Temp", f.ID)
	case rc != 0 && f.User:
		refused = mpi.Error("prepare", rc).Error()
	case rc == C.PG_LACKS:
		refused = f.Lacks()
	case rc != 0:
		return "", mpi.Error("prepare", rc)
	}
	here := refused != ""
	if refused, err = c.FirstOf(refused); here {
		C.pg_release(c.x)
	} else if refused != "" {
		c.Release(row)
	}
	return refused, err
}

func (c *Caller) Release(f *native.Function) { C.call_release(own(f), c.x) }

// Call calls f n times, untimed.
func (c *Caller) Call(f *native.Function, n int) error {
	return mpi.Error(Name(f), C.pg_call(own(f), c.x, C.int64_t(n)))
}

// InARow returns the row whose run is several calls of f in a row. For one it returns f itself.
func (c *Caller) InARow(f *native.Function, calls int) *native.Function {
	return (*native.Function)(unsafe.Pointer(C.pg_in_a_row(c.many, own(f), c.x, C.int64_t(calls))))
}

// Lanes finds the nodes that the ranks are on, all ranks together and once. why says why mock-ups that
// divide their work among nodes cannot be called there, or is "" if they can.
func (c *Caller) Lanes() (why string, err error) {
	if c.x.lanes == nil {
		l := (*C.pg_lanes)(C.calloc(1, C.sizeof_pg_lanes))
		if err := mpi.Error("the nodes of the ranks", C.pg_find_lanes(c.x.comm, l)); err != nil {
			return "", err
		}
		c.x.lanes = l
	}
	switch l := c.x.lanes; {
	case l.nodes == 1:
		return fmt.Sprintf("the library has all %d ranks on one node: it needs several", c.Size), nil
	case l.most == 1:
		return fmt.Sprintf("the library has one rank on each of %d nodes: it needs several on each", l.nodes), nil
	case l.fewest < l.most:
		return fmt.Sprintf("the library has %d to %d ranks on a node: it needs as many on each", l.fewest, l.most), nil
	case l.in_order == 0:
		return "the ranks of a node do not have numbers in a row, as in 0, 1 and 2, 3: have a node filled before the next one (mpirun --map-by core, srun --distribution=block)", nil
	}
	return "", nil
}
