// Package analyze says what the measurements mean: which guideline is
// violated, at which message sizes, by how much, and how sure that is.
//
// It takes the manifest and the raw samples of stage 2, and returns a Report, which report.json
// holds. The samples of a case are reduced to one median per mpirun, because medians differ between
// mpiruns far more than within one; tests compare only those R medians. The test, the family and
// its correction follow from R, the number of planned tests and alpha, never from the data.
//
// This package reads no files, knows nothing of MPI and prints nothing; analyze/report has the formats.
package analyze
