// Package picture draws: a Figure is data (series, points, intervals, marks, axes), and is
// drawn into pages as SVG, and into files as PDF, SVG, PNG and csv.
//
// Figures go in, whose texts have been through internal/clean; bytes come out. It computes
// nothing but where things are drawn. A format of files is one file and one line of Formats.
package picture
