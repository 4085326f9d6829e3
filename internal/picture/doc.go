// Package picture draws figures. A Figure holds data (series, points, intervals, marks, axes), and
// is drawn into pages as SVG, and into files as PDF, SVG, PNG and csv.
//
// Callers pass the texts of figures through internal/clean first. The package computes nothing but
// where things are drawn. A format of files is one file and one line of Formats.
package picture
