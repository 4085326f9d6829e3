// Package rank does the work of one process of an mpirun. It takes its job from rank 0's standard
// input, visits the cases in their order, and sends progress, samples and an end record on rank 0's
// standard output. All ranks do the same steps in the same order, from the locked main thread; what
// rank 0 decides, it broadcasts.
//
// What needs MPI or C is in the packages below: mpi (the ranks talk), call (functions are
// prepared, called and verified), clock, loop (the timed region), mpit, probe, all
// over the C of native. A C type of cgo cannot cross Go packages, so that they hand each other
// opaque pointers. verify has no C.
//
// It must never allocate, print or communicate inside the timed loop. It must never time a function
// that failed its verification.
package rank
