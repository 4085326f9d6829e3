//go:build cgo

// Package c is the code of the collectives and their mock-ups: one C file per
// collective, one row {prepare, run, release} per function, with the ids of
// package mockups in the same order. Only the rank program imports it.
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
	"fmt"
	"unsafe"

	"pgmpi/mockups"
)

// Row names a function of the C table, and the collective that it emulates
// ("" for a collective).
type Row struct {
	ID, Of string
}

// Table returns the C table (a const pg_function *) and its number of rows.
func Table() (unsafe.Pointer, int) {
	var n C.int
	table := C.pg_table(&n)
	return unsafe.Pointer(table), int(n)
}

// Rows returns the names in the C table, in its order.
func Rows() []Row {
	table, n := Table()
	var rows []Row
	for _, f := range unsafe.Slice((*C.pg_function)(table), n) {
		rows = append(rows, Row{ID: C.GoString(f.id), Of: C.GoString(f.of)})
	}
	return rows
}

// Check returns an error that names the first row in which the C table differs
// from mockups.All.
func Check() error {
	return compare(Rows(), mockups.All())
}

func compare(rows []Row, all []mockups.Function) error {
	for i := range min(len(rows), len(all)) {
		if want := (Row{ID: all[i].ID, Of: all[i].Of}); rows[i] != want {
			return fmt.Errorf("mock-up tables disagree in row %d: C has %q of %q, Go has %q of %q",
				i, rows[i].ID, rows[i].Of, want.ID, want.Of)
		}
	}
	if len(rows) != len(all) {
		return fmt.Errorf("mock-up tables disagree: C has %d rows, Go has %d", len(rows), len(all))
	}
	return nil
}
