// Package report lays out what was found: for every kind of document its sections of text
// and tables, its rows, and what programs get. internal/document writes them in every format.
//
// It computes no statistic: what is not in the value that it is given is in no document.
package report
