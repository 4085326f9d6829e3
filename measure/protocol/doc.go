// Package protocol defines what driver and rank program send each other (docs/dev/protocol.md): hello,
// the job of an mpirun and rank 0's output. It also names what the rank program can do. Both sides use
// the types here, so that a field is added once. Durations are integers in nanoseconds, sizes are
// bytes.
package protocol
