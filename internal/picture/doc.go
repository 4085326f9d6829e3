// Package figures writes figures as files for papers and slides: PDF, SVG and PNG, the data
// behind them as csv, and LaTeX for pgfplots.
//
// Pictures go in, made of figures of analyze/report whose texts have been through
// internal/clean; bytes come out. It computes nothing but where things are drawn, and a
// format is one file and one line of Formats.
package picture
