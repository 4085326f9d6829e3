// Package rank makes conformance calls: its part of the rank program. They are made on the world and on parts of it, and
// their results are compared byte by byte in C.
package rank
