// Package host reads what can change a result on the hosts of an mpirun
// (S-REVISITED, Table VI): affinity, CPUs, clocks, memory, variables.
//
// ReadRank and ReadNode collect the facts of a rank and of a Linux host, without root. They read a file
// system whose root holds proc and sys, so that recorded trees can be read as well. Merge makes a
// Layout of them: where the ranks run and on which hardware. Remarks lists what is doubtful about it.
// Facts that a host does not tell stay unknown and are never guessed; a missing or odd file is no
// error. The package never talks to MPI.
package host
