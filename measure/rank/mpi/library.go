//go:build cgo

package mpi

/*
#include <stdlib.h>
#include "rank.h"
*/
import "C"

import (
	"strings"
	"unsafe"
)

// Library is what the library says of itself. MPI need not be started.
func Library() string {
	text := (*C.char)(C.malloc(C.MPI_MAX_LIBRARY_VERSION_STRING))
	defer C.free(unsafe.Pointer(text))
	var n C.int
	C.pg_library_version(text, &n)
	// Open MPI counts the terminating zero, MPICH does not.
	return strings.TrimRight(C.GoStringN(text, n), "\x00\n")
}

// BuiltFor is the family and the name of the library that the headers belong to, and the
// compiler behind the wrapper.
func BuiltFor() (family, library, compiler string) {
	return C.GoString(C.pg_built_family()), C.GoString(C.pg_built_for()), C.GoString(C.pg_compiler())
}

// PML names Open MPI's point-to-point messaging layer; "" where it cannot be told.
func PML() string { return C.GoString(C.pg_pml()) }

// LibraryFile is the path of the shared object that MPI is in; "" where it cannot be told.
func LibraryFile() string { return C.GoString(C.pg_library_file()) }
