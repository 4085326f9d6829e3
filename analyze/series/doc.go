// Package series answers questions about many checks: what changed between two of them, what is
// newly wrong against a baseline, what has lasted over the nights, how far repeats spread. It takes
// the Reports and Analyses of single checks, and returns values that analyze/report lays out. It
// never reads a folder and never changes a verdict of its check.
package series
