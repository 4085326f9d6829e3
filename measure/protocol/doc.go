// Package protocol is what driver and rank program say to each other
// (docs/protocol.md): the job of an mpirun, rank 0's lines, and the names of what
// the rank program can do. Durations are integers in nanoseconds, sizes bytes.
package protocol
