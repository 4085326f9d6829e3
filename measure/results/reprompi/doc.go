// Package reprompi reads the output of ReproMPI's mpibenchmark and turns it into
// what stages 1 and 2 would have left in a results folder.
package reprompi
