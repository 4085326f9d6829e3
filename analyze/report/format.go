package report

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// formats is the registry, in the order that help texts show.
var formats = []Format{
	textFormat,
	jsonFormat,
	csvFormat,
	markdownFormat,
}

// Format is one way to write documents.
type Format struct {
	Name  string // as --format takes it
	ext   string // of its files
	from  form
	Write func(w io.Writer, d *Document) error
}

// form is what a format is made from.
type form int

const (
	sections form = iota
	rows
	value
)

// File is the name of a document's file.
func (f Format) File(d *Document) string { return d.Name + "." + f.ext }

// Formats are the names of the formats that a kind of document has.
func (k Kind[T]) Formats() []string {
	var names []string
	for _, f := range formats {
		if f.from == sections || f.from == rows && k.Rows != nil || f.from == value && k.JSON {
			names = append(names, f.Name)
		}
	}
	return names
}

// Format looks one up by its name.
func (k Kind[T]) Format(name string) (Format, error) {
	known := k.Formats()
	if !slices.Contains(known, name) {
		return Format{}, fmt.Errorf("unknown format %q: choose from %s", name, strings.Join(known, ", "))
	}
	return formats[slices.IndexFunc(formats, func(f Format) bool { return f.Name == name })], nil
}

// Pick looks up the formats of a comma list.
func (k Kind[T]) Pick(list string) ([]Format, error) {
	var out []Format
	for _, name := range strings.Split(list, ",") {
		f, err := k.Format(strings.TrimSpace(name))
		if err != nil {
			return nil, err
		}
		out = append(out, f)
	}
	return out, nil
}
