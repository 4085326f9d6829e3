// Package rank is stage 1 and 2 from inside: what a process of an mpirun does.
//
// In comes a job on rank 0's standard input, out go progress, samples and an
// end record on rank 0's standard output. Between two clock reads, and in the
// loop around them, there is only C (loop.c): Go calls it once per batch of
// repetitions, from the locked main thread. All ranks do the same steps in the
// same order; what rank 0 decides, it broadcasts.
//
// It must never allocate, print or communicate inside the timed loop, and must
// never time a function that failed its verification.
package rank
