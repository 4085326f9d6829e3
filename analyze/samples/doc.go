// Package samples describes one case or one call: the fingerprint of a case, its counters
// and ranks, run-times without a verdict. In go
// mpiruns of a results folder; out come values that analyze/report lays out.
package samples
