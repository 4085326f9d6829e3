// Package samples describes all samples of one case, for figures of them.
//
// In go mpiruns of a results folder; out come the samples of each mpirun, with the fences of the outlier filter.
package samples
