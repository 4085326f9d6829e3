// Package rank makes conformance calls, as a part of the rank program. It makes them on the world and
// on parts of it, and compares their results byte by byte in C.
package rank
