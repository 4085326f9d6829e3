// Package phrase writes numbers and parts of sentences as all documents show them: durations with
// three digits, sizes, ratios, p-values.
package phrase
