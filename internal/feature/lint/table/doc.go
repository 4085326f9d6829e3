// Package table judges what a library chooses, without measuring: a table of algorithms, times what each costs in
// messages and bytes, gives a time for every call, and guidelines are held against these times. In come tables
// (Open MPI's, MPICH's tree, which.json) and plans; out come suspicions, which are never violations, and fits of
// models to times that were measured. It starts no mpirun and reads no folder.
package table
