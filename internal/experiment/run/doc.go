// Package run does the work of the commands: check with its stages and looks, two set-ups
// alternately, the self-test, the estimate before the first mpirun, and the judgement of a folder.
//
// It takes a configuration, the path of a results folder and a function that reports progress, and
// returns values and typed errors (Setup, Refused, Interrupted, Failed). It prints nothing, and
// knows neither flags nor exit codes.
package run
