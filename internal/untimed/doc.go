// Package untimed starts mpiruns that time nothing: they ask the library for its algorithms
// and variables, ask where ranks run, count the messages of a call to see whether a setting is
// in effect, and make the conformance calls. Nothing is written.
package untimed
