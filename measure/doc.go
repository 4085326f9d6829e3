// Package measure starts mpiruns of the rank program and stores what they measure. It speaks the line
// protocol with rank 0, and stores each run before the next mpirun gets its job.
//
// It takes a Task, one mpirun of a Plan, and returns its Run, which is a raw file of the results folder
// by then. The caller decides which task is next. While ranks time, the driver sleeps. The package
// never judges a number.
package measure
