// Package rank has nonblocking calls overlapped with computation: its part of the rank program. The timed region is C
// (overlap.c), which is called once for each batch of repetitions.
package rank
