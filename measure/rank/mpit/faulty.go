//go:build cgo && wrongmockups

package mpit

// With this tag every collective has three algorithms more, which the library does not
// know: one gives wrong data, one never returns, one ends the program.

// #include "faulty.h"
import "C"

import (
	"unsafe"

	"pgmpi/measure/rank/native"
)

func init() {
	testWays["test_wrong"] = (*native.Function)(unsafe.Pointer(C.pg_wrong_algorithm()))
	testWays["test_hangs"] = (*native.Function)(unsafe.Pointer(C.pg_hanging_algorithm()))
	testWays["test_crashes"] = (*native.Function)(unsafe.Pointer(C.pg_crashing_algorithm()))
}
