// Package export writes what was measured and found as tables for other programs: one row for each
// sample, run median or verdict, as csv or Parquet.
//
// It takes a few thousand rows at a time and keeps none, so that memory does not grow with their
// number. Callers pass the texts in them through internal/clean first. It reads no files and
// computes nothing.
package export
