// Package mpi lets the ranks of an mpirun talk: it starts MPI, and brings values and texts
// from rank to rank. It times nothing and calls no function that is measured.
package mpi
