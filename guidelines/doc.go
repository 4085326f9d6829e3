// Package guidelines holds the catalogue of self-consistent performance guidelines (S-PGMPI §2 and
// Appendix A). It also has the user's own, and the Plan that follows from them.
//
// It takes the [check] and [[guideline]] sections of gl.toml, the message sizes and the shapes. It
// makes a Plan: the union of the cases that any guideline needs, each once, and the tests over them.
// The Plan is fixed before anything is measured. This package never measures and never judges a sample.
package guidelines
