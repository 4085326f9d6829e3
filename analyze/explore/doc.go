// Package explore chooses among the library's own algorithms and mock-ups by some mpiruns,
// and tests by others whether the choice is faster than the library's default. Selection
// and test never use the same mpiruns.
package explore
