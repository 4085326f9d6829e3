//go:build cgo && wrongmockups

package c

// With this tag pg_table holds the wrong mock-ups of wrong.c.

// #cgo CFLAGS: -DPGMPI_WRONG_MOCKUPS
import "C"
