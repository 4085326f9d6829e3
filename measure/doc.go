// Package measure is stages 1 and 2 from outside: it starts mpiruns of the rank
// program, speaks the line protocol with rank 0, and stores every finished
// mpirun before the next one starts.
//
// In go the Plan and the configuration, out come raw files and a manifest in
// the results folder. While ranks time, the driver sleeps. It never judges a
// number, and never repeats an mpirun that is already on disk.
package measure
