// Package call prepares, calls and verifies functions on the buffers of this rank: the rows of
// the C table, and the rows of a user's own shared libraries. All ranks do the same calls in the
// same order. It times nothing.
package call
