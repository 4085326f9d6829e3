// Package checks lays out what is shown of several checks: comparison, history, spread of
// repeats, figures of several folders.
package checks
