// Package host knows what can change a result on the hosts of an mpirun
// (S-REVISITED, Table VI): affinity, CPUs, clocks, memory, variables.
//
// ReadRank and ReadNode collect the facts of a rank and of a Linux host, without
// root, from a file system whose root holds proc and sys, so that recorded trees
// can be read as well. Merge makes a Layout of them: where the ranks run and on
// what. Remarks says what is doubtful about it. What a host does not tell stays
// unknown and is never guessed; no file that is missing or odd is an error. The
// package never talks to MPI.
package host
