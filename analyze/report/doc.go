// Package report writes an analyze.Report in the formats that people and
// programs read: table, json, csv. A format is one file with one register
// line.
//
// It computes nothing: what is not in the Report is not in any format. Tables
// are at most 100 columns wide and need no colour.
package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"pgmpi/analyze"
)

// Format is one way to write a Report.
type Format struct {
	Name  string // as --format takes it
	File  string // its name in the results folder
	Write func(w io.Writer, r *analyze.Report) error
}

var formats = map[string]Format{}

func register(f Format) bool {
	formats[f.Name] = f
	return true
}

// Names returns the names of all formats, sorted.
func Names() []string {
	var names []string
	for name := range formats {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// Get looks a format up by its name.
func Get(name string) (Format, error) {
	f, ok := formats[name]
	if !ok {
		return f, fmt.Errorf("unknown format %q: choose from %s", name, strings.Join(Names(), ", "))
	}
	return f, nil
}
