//go:build cgo

package mpi

/*
#cgo CFLAGS: -std=c11 -Wall -Wextra -I${SRCDIR}/../native -I${SRCDIR}/../../../mockups/c
#include <stdlib.h>
#include "rank.h"
*/
import "C"

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"unsafe"

	"pgmpi/measure/rank/native"
)

type World struct {
	Rank, Size int
	// Level is the library's level of threads, an index into protocol.ThreadLevels. It is -1 for one
	// that MPI does not define.
	Level   int
	Context *native.Context
	x       *C.pg_ctx // Context
	seen    *topology // nil until Topology has looked
}

type topology struct{ nodes, crowded int }

// Error says which call failed with which MPI error code; 0 is no error. E is a C.int of any package.
func Error[E ~int32](what string, rc E) error {
	if rc == 0 {
		return nil
	}
	// MPICH 4.0.2 ends a long stack of errors at 512 bytes, and has written more of it after them.
	var text [8 * C.MPI_MAX_ERROR_STRING]C.char
	C.pg_error_text(C.int(rc), &text[0])
	return fmt.Errorf("%s: %s", what, C.GoString(&text[0]))
}

// Start starts MPI with a level of threads, an index into protocol.ThreadLevels.
func Start(level int) (*World, error) {
	x := (*C.pg_ctx)(C.calloc(1, C.sizeof_pg_ctx))
	var provided C.int
	if err := Error("the start of MPI", C.pg_start(x, C.int(level), &provided)); err != nil {
		return nil, err
	}
	return &World{Rank: int(x.rank), Size: int(x.size), Level: int(provided), Context: (*native.Context)(unsafe.Pointer(x)), x: x}, nil
}

func (w *World) Stop() error { return Error("MPI_Finalize", C.pg_stop(w.x)) }

func Abort(code int) { C.pg_abort(C.int(code)) }

func (w *World) AllMin(v int64) (int64, error) {
	most, err := w.AllMax(-v)
	return -most, err
}

// AllMax returns the largest of all ranks' values, by messages of our own.
func (w *World) AllMax(v int64) (int64, error) {
	largest := C.int64_t(v)
	err := Error("MPI_Sendrecv", C.pg_all_max(w.x, &largest))
	return int64(largest), err
}

func (w *World) FromRoot(v int64) (int64, error) {
	err := Error("a message from the root", C.pg_share(w.x, unsafe.Pointer(&v), 8, 0))
	return v, err
}

func (w *World) Decided(yes bool) (bool, error) {
	v := int64(0)
	if yes {
		v = 1
	}
	v, err := w.FromRoot(v)
	return v != 0, err
}

func (w *World) Text(t []byte, from int) ([]byte, error) {
	n := int64(len(t))
	if err := Error("a message from the root", C.pg_share(w.x, unsafe.Pointer(&n), 8, C.int(from))); err != nil || n == 0 {
		return nil, err
	}
	if w.Rank != from {
		t = make([]byte, n)
	}
	return t, Error("a message from the root", C.pg_share(w.x, unsafe.Pointer(&t[0]), C.int(n), C.int(from)))
}

// AllGather returns every rank's record, by rank. It holds no pointers.
func AllGather[T any](w *World, mine T) ([]T, error) {
	all := make([]T, w.Size)
	rc := C.pg_all_gather(w.x, unsafe.Pointer(&mine), C.int(unsafe.Sizeof(mine)), unsafe.Pointer(&all[0]))
	return all, Error("messages to all", rc)
}

// Gather brings every rank's record to rank 0, in the order of ranks; nil sends nothing.
func Gather[T any](w *World, mine *T) ([]T, error) {
	text, err := []byte(nil), error(nil)
	if mine != nil {
		if text, err = json.Marshal(mine); err != nil {
			return nil, err
		}
	}
	lengths, displs := make([]C.int, w.Size), make([]C.int, w.Size) // all 0 but at rank 0
	length := C.int(len(text))
	if err := Error("messages to rank 0", C.pg_bring(w.x, unsafe.Pointer(&length), C.sizeof_int, unsafe.Pointer(&lengths[0]))); err != nil {
		return nil, err
	}
	total := 0
	for i, n := range lengths {
		displs[i] = C.int(total)
		if total += int(n); total > math.MaxInt32 {
			return nil, errors.New("what the ranks say of their nodes is more than 2 GiB")
		}
	}
	all := make([]byte, max(1, total))
	text = append(text, 0) // a pointer to nothing is none
	rc := C.pg_texts(w.x, unsafe.Pointer(&text[0]), C.int(len(text)-1), unsafe.Pointer(&all[0]), &lengths[0], &displs[0])
	if err := Error("messages to rank 0", rc); err != nil {
		return nil, err
	}
	var out []T
	for i, n := range lengths {
		if n == 0 {
			continue
		}
		var v T
		if err := json.Unmarshal(all[displs[i]:displs[i]+n], &v); err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	return out, nil
}

// GatherNumbers returns as many numbers of every rank, rank by rank, at rank 0; nil elsewhere.
func (w *World) GatherNumbers(mine []int64) ([]int64, error) {
	all := make([]int64, 1)
	if w.Rank == 0 {
		all = make([]int64, len(mine)*w.Size)
	}
	rc := C.pg_gather_durations(w.x, (*C.int64_t)(&mine[0]), C.int(len(mine)), (*C.int64_t)(&all[0]))
	if err := Error("messages to rank 0", rc); err != nil || w.Rank != 0 {
		return nil, err
	}
	return all, nil
}

// first returns the lowest rank that has a text, and its text, on every rank. found is "" where none
// has.
func (w *World) first(text string) (who int64, found string, err error) {
	who = int64(w.Size)
	if text != "" {
		who = int64(w.Rank)
	}
	if who, err = w.AllMin(who); err != nil || who == int64(w.Size) {
		return who, "", err
	}
	all, err := w.Text([]byte(text), int(who))
	return who, string(all), err
}

// Agree returns the error of the lowest rank that has one, on every rank.
func (w *World) Agree(mine error) error {
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

// FirstOf returns the fault of the lowest rank that has one, on every rank.
func (w *World) FirstOf(fault string) (string, error) {
	who, fault, err := w.first(fault)
	if err != nil || fault == "" {
		return "", err
	}
	return fmt.Sprintf("rank %d of %d: %s", who, w.Size, fault), nil
}

func (w *World) Barrier() error { return Error("MPI_Sendrecv", C.pg_disseminate(w.x)) }

// Topology returns the number of nodes, and of ranks that share cores. All ranks ask together; the first
// time counts.
func (w *World) Topology() (nodes, crowded int, err error) {
	if w.seen == nil {
		var n, c C.int
		if err := Error("the topology", C.pg_topology(w.x, &n, &c)); err != nil {
			return 0, 0, err
		}
		w.seen = &topology{int(n), int(c)}
	}
	return w.seen.nodes, w.seen.crowded, nil
}

// Library returns the library's description of itself. MPI need not be started.
func Library() string {
	var text [C.MPI_MAX_LIBRARY_VERSION_STRING]C.char
	var n C.int
	C.pg_library_version(&text[0], &n)
	// Open MPI counts the terminating zero, MPICH does not.
	return strings.TrimRight(C.GoStringN(&text[0], n), "\x00\n")
}

// BuiltFor returns the family and the name of the library that the headers belong to. compiler is the
// one that the wrapper calls.
func BuiltFor() (family, library, compiler string) {
	return C.GoString(C.pg_built_family()), C.GoString(C.pg_built_for()), C.GoString(C.pg_compiler())
}

// PML names Open MPI's point-to-point messaging layer, or returns "" where it cannot be told.
func PML() string { return C.GoString(C.pg_pml()) }

// LibraryFile returns the path of the shared object that MPI is in. It is "" where it cannot be told.
func LibraryFile() string { return C.GoString(C.pg_library_file()) }
