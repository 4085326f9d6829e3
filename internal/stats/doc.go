// Package stats holds the statistics by which run-times are judged: quantiles, filters, one-sided
// two-sample tests, effect sizes and the adjustment of p-values, one statistic a file.
//
// It takes plain slices of run-times or p-values, which it never sorts or changes, and returns
// numbers, or an error for empty or non-finite input. In every test x is the original, y the
// mock-up, and the alternative is "x is slower" (larger). Exact tests are conditional on the ties
// and sum the upper tail, so that small p-values keep their relative accuracy.
//
// The package decides nothing (no level, no verdict) and imports nothing of ours.
package stats
