//go:build cgo && matmul2

package native

// With this tag a job can name the operator of matmul2.c, on int.

// #cgo CFLAGS: -DPGMPI_MATMUL2
import "C"
