// Package checks lays out several checks: comparison, history, spread of repeats, figures of
// several folders.
package checks
