//go:build cgo

// Package c holds the code of the collectives and their mock-ups: one C file per collective, one row
// {prepare, run, release} per function, with the ids of package mockups. Only the rank program imports
// it.
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

// Rows returns the rows of C (each a const pg_function *) and their ids, duplicates included:
// the collectives with their mock-ups, and the other ways to call them.
func Rows() (rows []unsafe.Pointer, ids []string) {
	var n, ways C.int
	table, variants := C.pg_table(&n), C.pg_variants(&ways)
	for _, of := range [][]C.pg_function{unsafe.Slice(table, n), unsafe.Slice(variants, ways)} {
		for i := range of {
			rows, ids = append(rows, unsafe.Pointer(&of[i])), append(ids, C.GoString(of[i].id))
		}
	}
	return rows, ids
}

// Check names the functions that only one of the tables of C and of package mockups has.
func Check() error {
	_, ids := Rows()
	return compare(ids, slices.Concat(mockups.All(), mockups.Variants()))
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
