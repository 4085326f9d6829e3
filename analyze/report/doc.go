// Package report turns what was found into documents, and documents into the
// formats that people and programs read.
//
// A Kind says what a document is made of: sections of text and tables, rows of
// a spreadsheet, a JSON value. A format is one file and one line of formats,
// and writes every Kind that has what it is made from.
//
// It computes no statistic: what is not in the value that it is given is in no
// format. As text, no line is wider than the page, and no meaning is in a colour alone.
package report
