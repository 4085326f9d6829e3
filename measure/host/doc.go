// Package host reads what can change a result (S-REVISITED, Table VI) from the
// files of one Linux host, without root, puts what the ranks of an mpirun read
// together into a Layout, and says what of it is doubtful.
//
// In: a file system whose root holds proc and sys, so that recorded trees can be
// read as well. Out: plain values. What a host does not tell stays unknown; it is
// never guessed, and no file that is missing or odd is an error. The package
// never talks to MPI.
package host
