// Package readers reads what other benchmarks have written, and makes jobs of it.
//
// In come files of OSU, IMB, PICO, nccl-tests, rccl-tests, ReproMPI and SKaMPI; out come jobs, each with a manifest
// of kind imported and its runs. A new format needs one file, one line in readers, and one row of the table of sizes
// (sizes.go). The package starts nothing and judges nothing: what a file does not say stays unknown, and an error
// names a damaged file with its line.
package readers
