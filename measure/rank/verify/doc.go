// Package verify knows what data a collective must leave. It fills the buffers of a rank and compares
// them after a call with what the collective's definition says. It uses no MPI, and never
// calls what it verifies.
package verify
