// Package phrase writes numbers and parts of sentences the way that all documents show them:
// durations with three digits, sizes, ratios, p-values.
package phrase
