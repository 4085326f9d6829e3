// Package readers reads what other benchmarks have written, and turns it into a results folder.
//
// In come files of OSU, IMB, PICO, nccl-tests and ReproMPI; out come jobs, each with a manifest of kind
// imported and its runs. A reader of one more format is one file and one line in readers, and a
// row of the table of sizes (sizes.go). The package starts nothing and judges nothing: what a file does
// not say stays unknown, and a damaged one is named with its line.
package readers
