//go:build cgo && wrongmockups

package rank

// With this tag every collective has three algorithms more, which the library does not
// know: one gives wrong data, one never returns, one ends the program.

// #include "faulty.h"
import "C"

func init() {
	testWays["test_wrong"] = C.pg_wrong_algorithm()
	testWays["test_hangs"] = C.pg_hanging_algorithm()
	testWays["test_crashes"] = C.pg_crashing_algorithm()
}
