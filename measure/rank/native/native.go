//go:build cgo

// Package native holds the C code of the rank program: all that communicates or times, with the timed
// region in loop.c. It must be built with an MPI compiler wrapper as CC.
//
// A C type of cgo belongs to one Go package. The packages next to this one call the code here by
// including its headers, and hand each other the types below, which none of them looks into.
package native

/*
#cgo CFLAGS: -std=c11 -Wall -Wextra -I${SRCDIR}/../../../mockups/c
#cgo LDFLAGS: -rdynamic -ldl
#include "loop.h"
#include "rank.h"
*/
import "C"

import _ "pgmpi/mockups/c" // the rows, which the code here calls

type (
	Context  C.pg_ctx      // the data of a call, and this process in MPI
	Function C.pg_function // a row of the C table
	Timing   C.pg_timing   // the clock that times, and the model of the global one
	Loop     C.pg_loop     // a batch of repetitions
	Sync     C.pg_sync     // what synchronises the ranks before each
)
