//go:build cgo && wrongmockups

package rank

// With this tag every collective has two algorithms more, which the library does not
// know: one gives wrong data, one never returns.

// #include "faulty.h"
import "C"

func init() {
	testWays["test_wrong"] = C.pg_wrong_algorithm()
	testWays["test_hangs"] = C.pg_hanging_algorithm()
}
