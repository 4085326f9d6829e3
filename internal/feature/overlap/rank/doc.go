// Package rank overlaps nonblocking calls with computation, as a part of the rank program. The timed
// region is C (overlap.c), which is called once for each batch of repetitions.
package rank
