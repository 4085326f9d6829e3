// Package report lays out what was found: the sections of text and tables, the rows and the data
// for programs, for every kind of document. internal/document writes them in every format.
//
// It computes no statistic: a document shows only what is in the value that it is given.
package report
