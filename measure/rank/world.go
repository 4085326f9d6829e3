//go:build cgo

package rank

/*
#cgo CFLAGS: -std=c11 -Wall -Wextra -I${SRCDIR}/../../mockups/c
#cgo LDFLAGS: -rdynamic -ldl
#include <stdlib.h>
#include "rank.h"
#include "variants.h"

static int call_prepare(const pg_function *f, pg_ctx *x) { return f->prepare(x); }
static void call_release(const pg_function *f, pg_ctx *x) { f->release(x); }
*/
import "C"

import (
	"fmt"
	"time"
	"unsafe"

	"pgmpi/measure/protocol"
	"pgmpi/mockups"
	"pgmpi/mockups/c"
)

// function is a row of the C table.
type function = C.pg_function

// world is this process's view of MPI: the C context with Go's hands on it.
type world struct {
	x     *C.pg_ctx
	arena *C.char // of the temporaries of all cases
	rank  int
	size  int
	rows  map[string]*function
	time  *C.pg_timing
	many  *function // the row of samples of several calls
	loop  *loop
	clock protocol.ClockInfo // the one in time
	level int                // of threads, that the library provides: an index into protocol.ThreadLevels; -1: none of them
	seed  uint64             // of the counts that are drawn
}

// mpiError says which call failed with which MPI error.
func mpiError(what string, rc C.int) error {
	if rc == 0 {
		return nil
	}
	text := (*C.char)(C.malloc(C.MPI_MAX_ERROR_STRING))
	defer C.free(unsafe.Pointer(text))
	C.pg_error_text(rc, text)
	return fmt.Errorf("%s: %s", what, C.GoString(text))
}

// start starts MPI with a level of threads, an index into protocol.ThreadLevels.
func start(level int) (*world, error) {
	w := &world{x: (*C.pg_ctx)(C.calloc(1, C.sizeof_pg_ctx)), rows: map[string]*C.pg_function{},
		time: (*C.pg_timing)(C.calloc(1, C.sizeof_pg_timing)), many: (*C.pg_function)(C.calloc(1, C.sizeof_pg_function))}
	var provided C.int
	if err := mpiError("the start of MPI", C.pg_start(w.x, C.int(level), &provided)); err != nil {
		return nil, err
	}
	w.rank, w.size, w.level = int(w.x.rank), int(w.x.size), int(provided)
	rows, ids := c.Rows()
	for i, id := range ids {
		w.rows[id] = (*function)(rows[i])
	}
	w.makeCounts()
	return w, nil
}

// makeCounts gives the context room for counts and displacements.
func (w *world) makeCounts() {
	ints := (*C.int)(C.calloc(C.size_t(2*w.size), C.sizeof_int))
	w.x.counts = ints
	w.x.displs = (*C.int)(unsafe.Add(unsafe.Pointer(ints), w.size*C.sizeof_int))
	w.x.lists = nil
}

// setCounts gives the context the counts and displacements that f's rule makes for blocks of
// count elements, and room for what else such calls need.
func (w *world) setCounts(f mockups.Function, count int64) error {
	if f.Rule == "" && f.Call != mockups.LargeCount {
		return nil
	}
	if w.x.lists == nil {
		if w.x.lists = C.pg_make_lists(w.x.size); w.x.lists == nil {
			return fmt.Errorf("no memory for lists of %d processes", w.size)
		}
	}
	if f.Rule == "" {
		return nil
	}
	parts, from := f.Layout(count, w.size, int(w.x.root), w.seed).Counts(w.rank)
	set := func(counts, displs *C.int, to []mockups.Stretch) {
		n, at := unsafe.Slice(counts, len(to)), unsafe.Slice(displs, len(to))
		for i, of := range to {
			n[i], at[i] = C.int(of.N), C.int(of.At)
		}
	}
	set(w.x.counts, w.x.displs, parts)
	set(w.x.lists.from_counts, w.x.lists.from_displs, from)
	return nil
}

// prepared is the context of a case that is prepared.
type prepared C.pg_ctx

// putAway returns the context of the case in hand, and leaves one that another
// can be prepared with.
func (w *world) putAway() prepared {
	p := prepared(*w.x)
	w.makeCounts()
	C.pg_release(w.x)
	return p
}

// takeUp makes a case that was put away the one in hand, whose counts nobody needs any more.
func (w *world) takeUp(p prepared) {
	C.free(unsafe.Pointer(w.x.counts))
	C.pg_free_lists(w.x.lists)
	*w.x = C.pg_ctx(p)
}

// pml names Open MPI's point-to-point messaging layer; "" where it cannot be told.
func (w *world) pml() string { return C.GoString(C.pg_pml()) }

func (w *world) stop() error { return mpiError("MPI_Finalize", C.pg_stop(w.x)) }

func abort() { C.pg_abort(exitCode) }

// choose sets datatype, operator and root.
func (w *world) choose(datatype, op string, root int) error {
	t, o := C.CString(datatype), C.CString(op)
	defer C.free(unsafe.Pointer(t))
	defer C.free(unsafe.Pointer(o))
	if C.pg_choose(w.x, t, o) == 0 {
		return fmt.Errorf("this rank program does not know datatype %q with op %q", datatype, op)
	}
	w.x.root = C.int(root)
	return nil
}

// allocate makes the buffers that all cases share, of these sizes, and room for
// batches of n repetitions.
func (w *world) allocate(bytes mockups.Need, n int) error {
	s, r, a := C.pg_alloc(C.int64_t(bytes.Send)), C.pg_alloc(C.int64_t(bytes.Recv)), C.pg_alloc(C.int64_t(bytes.Temp))
	if s == nil || r == nil || a == nil {
		return fmt.Errorf("no memory for buffers of %d, %d and %d bytes", bytes.Send, bytes.Recv, bytes.Temp)
	}
	w.x.send, w.x.recv = unsafe.Pointer(s), unsafe.Pointer(r)
	w.arena = a
	return w.loop.allocate(n)
}

// prepare makes a row of f ready for blocks of count elements, with no more
// temporaries than the Go table gives f, which begin at byte temps of the arena. Where a rank wants more, refused says
// so on all ranks, and the row is to be neither called nor released.
func (w *world) prepare(f mockups.Function, row *C.pg_function, count, temps int64) (refused string, err error) {
	w.x.count = C.int64_t(count)
	w.x.arena = (*C.char)(unsafe.Add(unsafe.Pointer(w.arena), temps))
	w.x.arena_bytes = C.int64_t(f.Memory(count, int64(w.x.extent), w.size).Temp)
	w.x.temp_elements = C.int64_t(f.Temp.Elements(count, w.size))
	if err := w.setCounts(f, count); err != nil {
		return "", err
	}
	rc := C.call_prepare(row, w.x)
	switch {
	case rc == C.MPI_ERR_NO_MEM && f.User:
		refused = "prepare takes more temporaries than the temps of its row say"
	case rc == C.MPI_ERR_NO_MEM:
		refused = fmt.Sprintf("the table in mockups.go gives %s too little Temp", f.ID)
	case rc != 0 && f.User:
		refused = mpiError("prepare", rc).Error()
	case rc == C.PG_LACKS:
		refused = f.Lacks()
	case rc != 0:
		return "", mpiError("prepare", rc)
	}
	here := refused != ""
	if refused, err = w.firstOf(refused); here {
		C.pg_release(w.x)
	} else if refused != "" {
		w.release(row)
	}
	return refused, err
}

func (w *world) release(f *C.pg_function) { C.call_release(f, w.x) }

func (w *world) call(f *C.pg_function, n int) error {
	return mpiError(C.GoString(f.id), C.pg_call(f, w.x, C.int64_t(n)))
}

// callLate calls f once while rank late is held back, and returns, at that rank,
// the rank of a process that left before it entered; -1 when none did.
func (w *world) callLate(f *C.pg_function, late int) (early int, err error) {
	if w.rank == late && w.size > 1 {
		time.Sleep(lateBy)
	}
	var who C.int
	err = mpiError(C.GoString(f.id), C.pg_call_late(f, w.x, C.int(late), &who))
	return int(who), err
}

// inARow is the row whose run is several calls of f in a row; f itself for one.
func (w *world) inARow(f *C.pg_function, calls int) *C.pg_function {
	return C.pg_in_a_row(w.many, f, w.x, C.int64_t(calls))
}

// allMin returns the least of all ranks' values.
func (w *world) allMin(v int64) (int64, error) {
	var out C.int64_t
	err := mpiError("MPI_Allreduce", C.pg_all_min(w.x, C.int64_t(v), &out))
	return int64(out), err
}

// fromRoot returns rank 0's value on every rank.
func (w *world) fromRoot(v int64) (int64, error) {
	err := mpiError("MPI_Bcast", C.pg_share(w.x, unsafe.Pointer(&v), 8, 0))
	return v, err
}

// decided returns rank 0's yes or no on every rank.
func (w *world) decided(yes bool) (bool, error) {
	v := int64(0)
	if yes {
		v = 1
	}
	v, err := w.fromRoot(v)
	return v != 0, err
}

// text returns the text of rank `from` on every rank.
func (w *world) text(t []byte, from int) ([]byte, error) {
	n := int64(len(t))
	if err := mpiError("MPI_Bcast", C.pg_share(w.x, unsafe.Pointer(&n), 8, C.int(from))); err != nil || n == 0 {
		return nil, err
	}
	if w.rank != from {
		t = make([]byte, n)
	}
	return t, mpiError("MPI_Bcast", C.pg_share(w.x, unsafe.Pointer(&t[0]), C.int(n), C.int(from)))
}

// allGather returns every rank's record, by rank. It holds no pointers.
func allGather[T any](w *world, mine T) ([]T, error) {
	all := make([]T, w.size)
	rc := C.pg_all_gather(w.x, unsafe.Pointer(&mine), C.int(unsafe.Sizeof(mine)), unsafe.Pointer(&all[0]))
	return all, mpiError("MPI_Allgather", rc)
}

// first returns the lowest rank that has a text, and its text, on every rank; "" where none has.
func (w *world) first(text string) (who int64, found string, err error) {
	who = int64(w.size)
	if text != "" {
		who = int64(w.rank)
	}
	if who, err = w.allMin(who); err != nil || who == int64(w.size) {
		return who, "", err
	}
	all, err := w.text([]byte(text), int(who))
	return who, string(all), err
}

// agree returns the error of the lowest rank that has one, on every rank.
func (w *world) agree(mine error) error {
	text := ""
	if mine != nil {
		text = mine.Error()
	}
	who, text, err := w.first(text)
	if err != nil || text == "" {
		return err
	}
	return fmt.Errorf("rank %d: %s", who, text)
}

// firstOf returns the fault of the lowest rank that has one, on every rank.
func (w *world) firstOf(fault string) (string, error) {
	who, fault, err := w.first(fault)
	if err != nil || fault == "" {
		return "", err
	}
	return fmt.Sprintf("rank %d of %d: %s", who, w.size, fault), nil
}

func (w *world) barrier() error { return mpiError("MPI_Barrier", C.pg_meet(w.x)) }
