// Package conformance makes conformance calls: calls that MPI allows and that are easy to get wrong,
// on the world and on parts of it. Their results are compared byte by byte in C.
package conformance
