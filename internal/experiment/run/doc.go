// Package run has what the commands do: check with its stages and looks,
// two set-ups alternately, the self-test, the estimate before the first mpirun,
// and the judgement of a folder.
//
// In go a configuration, the path of a results folder and what tells of the
// progress; out come values and typed errors (Setup, Refused, Interrupted,
// Failed). It prints nothing, and knows neither flags nor exit codes.
package run
