// Package check lays out one check: the screen, the tables, why a verdict is what it is, figures,
// and what other programs read. Values come from analyze; internal/document writes the sections.
package check
