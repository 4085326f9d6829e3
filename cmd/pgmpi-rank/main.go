//go:build cgo

// Pgmpi-rank is what mpirun starts: one binary per MPI library, built with
// CC=mpicc. People run pgmpi, not this program.
package main

import (
	"os"

	"pgmpi/measure/rank"
)

func main() { os.Exit(rank.Main(os.Args[1:], works)) }
