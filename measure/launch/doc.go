// Package launch knows how MPI libraries and batch systems start ranks on this machine. It also finds
// the rank program, and deletes the files of a killed launcher. It starts no mpirun itself.
package launch
