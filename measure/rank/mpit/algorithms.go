//go:build cgo

package mpit

/*
#cgo CFLAGS: -std=c11 -Wall -Wextra -I${SRCDIR}/../native -I${SRCDIR}/../../../mockups/c
#include <stdlib.h>
#include "rank.h"
#include "algorithms.h"
#include "messages.h"
*/
import "C"

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"unsafe"

	"pgmpi/internal/conf"
	"pgmpi/internal/regular"
	"pgmpi/measure/protocol"
	"pgmpi/measure/rank/mpi"
	"pgmpi/measure/rank/native"
	"pgmpi/mockups"
)

func listed(collective string) (protocol.Algorithms, error) {
	var list C.pg_algorithms
	name := C.CString(variableName(collective))
	defer C.free(unsafe.Pointer(name))
	out := protocol.Algorithms{Collective: collective, Names: []protocol.Algorithm{}}
	if err := mpi.Error("MPI_T, asked for the algorithms of "+collective, C.pg_list_algorithms(name, &list)); err != nil {
		return out, err
	}
	out.Variable, out.Now, out.Fixed = C.GoString(&list.variable[0]), int(list.now), list.fixed != 0
	for _, a := range list.of[:list.n] {
		out.Names = append(out.Names, protocol.Algorithm{Name: C.GoString(&a.name[0]), Value: int(a.value)})
	}
	if list.text[0] != 0 {
		text := C.GoString(&list.text[0])
		if out.Names = namesIn(text, out.Now); len(out.Names) == 0 {
			out.Names = namesTogether(collective, text, out.Now)
		}
	}
	return out, nil
}

// variableName makes "reduce_scatter" of "MPI_Reduce_scatter".
func variableName(collective string) string {
	return strings.ToLower(strings.TrimPrefix(collective, "MPI_"))
}

func List(w *mpi.World, j *protocol.AlgorithmsJob) (*protocol.AlgorithmsEnd, error) {
	out := &protocol.AlgorithmsEnd{LibraryFile: mpi.LibraryFile()}
	for _, name := range j.Variables {
		v, err := variable(w, name)
		if err != nil {
			return nil, err
		}
		out.Variables = append(out.Variables, v)
	}
	for _, c := range mockups.Collectives() {
		list, err := listed(c)
		if err != nil {
			return nil, err
		}
		out.Collectives = append(out.Collectives, list)
	}
	return out, nil
}

// variable reads a variable on every rank, and sees that it is the same on all. Where the library's has
// the absolute path of a file, it sees that this can be opened.
func variable(w *mpi.World, name string) (protocol.Variable, error) {
	v := protocol.Variable{Name: name}
	v.Value, v.Known = ownVariable(name)
	first, err := w.Text([]byte(v.Value), 0)
	if err != nil {
		return v, err
	}
	unread := ""
	switch {
	case v.Value != string(first):
		unread = fmt.Sprintf("it is %.200q, and on rank 0 %.200q", v.Value, first)
	case strings.HasPrefix(v.Value, "/") && !strings.HasPrefix(name, protocol.OfEnvironment):
		f, err := regular.Open(v.Value)
		if err != nil {
			unread = err.Error()
		} else {
			f.Close()
		}
	}
	v.Unread, err = w.FirstOf(unread)
	return v, err
}

func ownVariable(name string) (value string, known bool) {
	if own, of := strings.CutPrefix(name, protocol.OfEnvironment); of {
		return os.LookupEnv(own)
	}
	value, known = readVariable(name)
	if strings.HasPrefix(name, "MPIR_CVAR_") && strings.HasSuffix(name, "_FILE") {
		value = os.Getenv(name) // MPICH 4's MPI_T gives the bytes of a pointer for a text
	}
	return value, known
}

// readVariable reads a control variable of this rank as text. known is false if the library has none of
// that name.
func readVariable(name string) (value string, known bool) {
	text, at := make([]byte, 4096), C.CString(name)
	defer C.free(unsafe.Pointer(at))
	known = C.pg_read_variable(at, (*C.char)(unsafe.Pointer(&text[0])), C.int(len(text))) != 0
	of, _, _ := bytes.Cut(text, []byte{0})
	return string(of), known
}

// Way tells how calls of a function come to its algorithm.
type Way struct {
	Why    string           // why it cannot be called, or "" if it can
	Row    *native.Function // of a test's own algorithm or, if nil, the collective's
	forced *C.pg_forced     // nil if nothing is forced
}

// testWays are algorithms that a build for tests adds to every library.
var testWays = map[string]*native.Function{}

type Ways struct {
	w  *mpi.World
	x  *C.pg_ctx
	by map[string]*Way // by function
}

func NewWays(w *mpi.World) *Ways {
	return &Ways{w, (*C.pg_ctx)(unsafe.Pointer(w.Context)), map[string]*Way{}}
}

// To makes the way to a function's algorithm, all ranks together, and once.
func (a *Ways) To(f mockups.Function) (*Way, error) {
	if f.Algorithm == "" {
		return &Way{}, nil
	}
	if w := a.by[f.ID]; w != nil {
		return w, nil
	}
	w, err := a.newWay(f)
	a.by[f.ID] = w
	return w, err
}

// Go lets the calls from here on go the way of a function. It returns the way, or nil for a function
// without an own algorithm.
func (a *Ways) Go(f mockups.Function) *Way {
	w := a.by[f.ID]
	if w != nil {
		C.pg_choose_forced(a.x, w.forced)
	}
	return w
}

func (a *Ways) Leave() { C.pg_choose_forced(a.x, nil) }

// powersOfTwo is the algorithm of MPICH for Reduce_scatter and Reduce_scatter_block that needs a power
// of two. With any other number of processes it ends the program (an assertion in
// reduce_scatter_intra_noncommutative.c), where others give an error.
const powersOfTwo = "noncommutative"

func (a *Ways) newWay(f mockups.Function) (*Way, error) {
	if row := testWays[f.Algorithm]; row != nil {
		return &Way{Row: row}, nil
	}
	list, err := listed(f.Of)
	if err != nil {
		return nil, err
	}
	if list.Now != C.PG_DEFAULT {
		return nil, fmt.Errorf("%s is %d: the environment, or a file of the library's, forces an algorithm of %s, whose own algorithms are compared here; leave it out",
			list.Variable, list.Now, f.Of)
	}
	if err := errors.Join(fallsBack(list), ruled(list)); err != nil {
		return nil, err
	}
	if list.Fixed && f.Algorithm == mockups.DefaultAlgorithm {
		return &Way{}, nil
	}
	value := C.PG_DEFAULT
	algorithm, segment, fanout := mockups.Parameters(f.Algorithm)
	if segment+int64(fanout) > 0 && !strings.HasPrefix(list.Variable, "coll_tuned_") {
		return &Way{Why: "only Open MPI takes segments of a given size, and a fan-out"}, nil
	}
	if f.Algorithm != mockups.DefaultAlgorithm {
		i := slices.IndexFunc(list.Names, func(a protocol.Algorithm) bool { return a.Name == algorithm })
		if i < 0 {
			return &Way{Why: unknownAlgorithm(f, list)}, nil
		}
		if p := a.w.Size; strings.HasPrefix(list.Variable, "MPIR_") && f.Algorithm == powersOfTwo && p&(p-1) != 0 {
			return &Way{Why: fmt.Sprintf("it is for 2, 4, 8, … processes, and would abort with %d", p)}, nil
		}
		if list.Fixed {
			return &Way{Why: list.Variable + " cannot be changed while the library runs"}, nil
		}
		value = list.Names[i].Value
	}
	w, name := &Way{}, C.CString(variableName(f.Of))
	defer C.free(unsafe.Pointer(name))
	return w, mpi.Error("to force "+f.ID, C.pg_make_forced(a.x, name, C.int(value), C.int(segment), C.int(fanout), &w.forced))
}

// fallsBack returns an error if MPICH would silently run another algorithm than the forced one. It does
// so where that cannot do the call: the times would have a wrong name.
func fallsBack(list protocol.Algorithms) error {
	const variable, failing = "MPIR_CVAR_COLLECTIVE_FALLBACK", "0" // the number of "error" in MPICH 4
	now, known := readVariable(variable)
	if !strings.HasPrefix(list.Variable, "MPIR_") || !known || now == failing {
		return nil
	}
	return fmt.Errorf("%s is not error: the library may run another algorithm of %s under the forced one's name; leave it out of mpi.env and of the library's files, pgmpi sets it",
		variable, list.Collective)
}

// ruled returns an error if a file of rules overrides what Open MPI is forced to
// (coll_tuned_decision_dynamic.c): its algorithm would run under the other's name.
func ruled(list protocol.Algorithms) error {
	const variable = "coll_tuned_dynamic_rules_filename"
	file, _ := readVariable(variable)
	if !strings.HasPrefix(list.Variable, "coll_tuned_") || file == "" {
		return nil
	}
	return fmt.Errorf("%s is %s: rules of a file come before the algorithms of %s that are compared here; leave it out of the environment, of mpi.env and of the library's files",
		variable, file, list.Collective)
}

func unknownAlgorithm(f mockups.Function, list protocol.Algorithms) string {
	if list.Unknown() {
		return list.Variable + " chooses an algorithm, and what its values mean is not known for this version of the library"
	}
	if len(list.Names) == 0 {
		return "the library does not tell its algorithms of " + f.Of + " (MPI_T)"
	}
	var names []string
	for _, a := range list.Names {
		names = append(names, a.Name)
	}
	return conf.Unknown("algorithm of "+f.Of, f.Algorithm, names)
}

// CountsMessages tells, at all ranks, whether the library counts at all of them.
func CountsMessages(w *mpi.World) (counts bool, err error) {
	least, err := w.AllMin(int64(C.pg_messages_open((*C.pg_ctx)(unsafe.Pointer(w.Context)))))
	return least == 1, err
}

// CountMessages has n calls made, and returns at rank 0 what all ranks sent in them. A call before these
// is not counted: in the first one on a communicator Open MPI's "han" makes others.
func CountMessages(w *mpi.World, n int, call func(n int) error) (*protocol.Messages, error) {
	if err := call(1); err != nil {
		return nil, err
	}
	before := C.pg_messages_now()
	if err := call(n); err != nil {
		return nil, err
	}
	after := C.pg_messages_now()
	mine := C.pg_sent{messages: after.messages - before.messages, bytes: after.bytes - before.bytes, pattern: after.pattern - before.pattern}
	most, err := w.AllMin(-int64(mine.messages))
	if err != nil {
		return nil, err
	}
	var all C.pg_sent
	rc := C.pg_messages_sum((*C.pg_ctx)(unsafe.Pointer(w.Context)), mine, &all)
	if err := mpi.Error("MPI_Reduce of message counts", rc); err != nil || w.Rank != 0 {
		return nil, err
	}
	return &protocol.Messages{Calls: n, Count: int64(all.messages), Bytes: int64(all.bytes), Most: -most, Pattern: fmt.Sprintf("%016x", uint64(all.pattern))}, nil
}
