// Package launch knows how MPI libraries and batch systems start ranks on this
// machine, finds the rank program, and clears away what a launcher that was
// killed leaves behind. It starts no mpirun itself.
//
// A library is a row of libraries.
package launch
