// Package calls lays out what is shown of one case or one call: fingerprint, run-times,
// counters.
package calls
