// Package protocol is what driver and rank program say to each other
// (docs/dev/protocol.md): hello, the job of an mpirun, rank 0's output, and the names
// of what the rank program can do. Both sides use the types here, so that a field
// is added once. Durations are integers in nanoseconds, sizes are bytes.
package protocol
