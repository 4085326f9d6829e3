// Package tuning writes and reads the settings of MPI libraries that choose an
// algorithm of a collective: files in the libraries' formats, and variables.
//
// Choices go in: for a collective of so many processes, at these message sizes, this
// algorithm. Out come files, the environment that puts them in force, for every choice
// how it is seen to be in force, and what cannot be written, with the reason: where a
// format would apply a choice to more than was measured, or would let a legal call
// fail, nothing is written. Files with rules, and variables, are read back, whoever wrote them.
//
// It starts no MPI, and neither makes nor opens a file but the shared library whose
// own tree of MPICH it is asked for.
package tuning
