// Package reprompi reads what ReproMPI's mpibenchmark prints, and makes of it
// what stages 1 and 2 would have left in a results folder.
package reprompi
