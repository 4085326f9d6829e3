//go:build cgo

// Pgmpi-rank runs in each rank that mpirun starts; CC=mpicc builds one for each MPI library. People run pgmpi, not
// this program.
package main

import (
	"os"

	"pgmpi/measure/rank"
)

func main() { os.Exit(rank.Main(os.Args[1:], works)) }
