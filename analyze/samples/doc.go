// Package samples describes all samples of one case, for figures and explanations.
//
// It takes the mpiruns of a results folder, and returns the samples of each, with the fences of the
// outlier filter.
package samples
