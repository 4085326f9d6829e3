// Package clocks turns readings that two processes exchanged into a model of
// one clock relative to another: offset estimates, linear fits, the merging of
// models, the global time of a reading.
//
// It takes integer nanoseconds and returns Models. Readings are subtracted as integers before they
// become floating-point numbers: float64 seconds since an epoch have steps of more than 100 ns. It
// sends no message, reads no clock and imports nothing of ours; measure/rank does the talking.
package clocks
