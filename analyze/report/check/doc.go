// Package check lays out what is shown of one check: the screen, the tables, why a verdict
// is what it is, figures, and what programs of others read. Values come from analyze;
// internal/document writes the sections.
package check
