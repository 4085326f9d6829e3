// Package measure measures from outside: it starts an mpirun of the rank program,
// speaks the line protocol with rank 0, and stores what was measured before the
// next mpirun gets its job.
//
// In goes a Task, one mpirun of a Plan; out comes its Run, which is a raw file of
// the results folder by then. Which task is next, the caller decides. While ranks
// time, the driver sleeps. It never judges a number.
package measure
