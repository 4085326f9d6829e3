// Package launch knows how MPI libraries and batch systems start ranks on this
// machine, finds the rank program, and deletes files that a killed launcher leaves
// behind. It starts no mpirun itself.
package launch
