// Package export writes what was measured and found as tables for other programs:
// one row for each sample, run median or verdict, as csv or Parquet.
//
// Rows go in, a few thousand at a time; nothing of them is kept, so that memory does
// not grow with their number. The texts in them have been through internal/clean. It
// reads no files and computes nothing.
package export
