//go:build cgo && injectedclocks

package native

// With this tag the clock "monotonic" is wrong by a known amount; see clock_inject.c.

// #cgo CFLAGS: -DPGMPI_INJECTED_CLOCKS
import "C"
