// Package tuning writes and reads settings with which MPI libraries choose algorithms of
// collectives: files in the libraries' formats, and variables.
//
// Write takes choices, each for a collective on a number of processes, at these message sizes, this
// algorithm. It returns files, the environment that puts them in force, a proof for every choice
// that it is in force, and the choices that cannot be written, with the reason. It writes nothing
// where a format would apply a choice to sizes that were not measured, or would let a legal call
// fail. Files with rules, and variables, are read back, whoever wrote them.
//
// It starts no MPI, and neither makes nor opens files, except for the shared library of MPICH that
// FindTree reads.
package tuning
