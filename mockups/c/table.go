//go:build cgo

// Package c is the code of the collectives and their mock-ups: one C file per
// collective, one row {prepare, run, release} per function, with the ids of
// package mockups. Only the rank program imports it.
//
// It neither allocates nor prints, never names MPI_COMM_WORLD, and never
// changes the caller's send buffer. Its C types stay in C: the rank program
// gets the table as a pointer and includes mockups.h itself. It must be built
// with an MPI compiler wrapper as CC.
package c

/*
#cgo CFLAGS: -std=c11 -Wall -Wextra
#include "mockups.h"
*/
import "C"

import (
	"errors"
	"fmt"
	"slices"
	"unsafe"

	"pgmpi/mockups"
)

// Table returns the C table (a const pg_function *) and the id of each row.
func Table() (rows unsafe.Pointer, ids []string) {
	var n C.int
	table := C.pg_table(&n)
	for _, f := range unsafe.Slice(table, n) {
		ids = append(ids, C.GoString(f.id))
	}
	return unsafe.Pointer(table), ids
}

// Check names the functions that only one of the C table and mockups.All has.
func Check() error {
	_, ids := Table()
	return compare(ids, mockups.All())
}

func compare(ids []string, all []mockups.Function) error {
	var errs []error
	for i, id := range ids {
		if f, ok := mockups.Get(id); !ok || f.User || f.Algorithm != "" || slices.Contains(ids[:i], id) {
			errs = append(errs, fmt.Errorf("mock-up tables disagree: C has a row %q too many", id))
		}
	}
	for _, f := range all {
		if !slices.Contains(ids, f.ID) {
			errs = append(errs, fmt.Errorf("mock-up tables disagree: C has no row %q", f.ID))
		}
	}
	return errors.Join(errs...)
}
