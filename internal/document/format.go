package document

import (
	"encoding/csv"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"

	"pgmpi/internal/clean"
	"pgmpi/internal/conf"
	"pgmpi/internal/lists"
	"pgmpi/internal/phrase"
	"pgmpi/internal/schema"
)

// Formats lists all formats, in the order in which help texts show them.
var Formats = []Format{
	textFormat,
	JSON,
	csvFormat,
	markdownFormat,
	htmlFormat,
	junitFormat,
	githubFormat,
	commentFormat,
	openmetricsFormat,
	osuFormat,
}

type Format struct {
	Name string // as --format takes it
	ext  string // of its files
	from form
	// Log names the variable that is "true" in the log that the lines are for. Such a format is
	// printed there and nowhere else, and no folder has it.
	Log string
	// ForBrowsers tells that nobody wants to read it on a terminal. It is not printed
	// if it goes into a folder.
	ForBrowsers bool
	Write       func(w io.Writer, d *Document) error
}

type form int

const (
	sections form = iota
	rows
	value
	outcomes
	metrics
	plotted
	comment
)

// File returns the name of a document's file, or "".
func (f Format) File(d *Document) string {
	if f.Log != "" {
		return ""
	}
	return d.Name + "." + f.ext
}

// Forms describes a kind of document, whatever it is about.
type Forms interface {
	Formats() []string
	Format(name string) (Format, error)
	Pick(list string) ([]Target, error)
	FileIn(Format) string
	// Schema returns the JSON schema of what programs read.
	Schema() *schema.Schema
}

func (k Kind[T]) FileIn(f Format) string { return k.Name + "." + f.ext }

func (k Kind[T]) Schema() *schema.Schema {
	return schema.Root(k.FileIn(JSON)+" of pgmpi", schema.JSON.Of(reflect.TypeFor[T]()))
}

func (k Kind[T]) Formats() []string {
	return lists.Map(lists.Keep(Formats, func(f Format) bool { return k.has(f.from) }), func(f Format) string { return f.Name })
}

func (k Kind[T]) has(from form) bool {
	return [...]bool{sections: true, rows: k.Rows != nil, value: k.JSON,
		outcomes: k.Outcomes != nil, metrics: k.Metrics != nil, plotted: k.Plotted != nil, comment: k.Comment}[from]
}

func (k Kind[T]) Format(name string) (Format, error) {
	known := k.Formats()
	if !slices.Contains(known, name) {
		near := conf.Nearest(name, known)
		return Format{}, fmt.Errorf("unknown format %q%s: choose from %s", name, phrase.When(near != "", " (did you mean %s?)", near), strings.Join(known, ", "))
	}
	return Formats[slices.IndexFunc(Formats, func(f Format) bool { return f.Name == name })], nil
}

type Target struct {
	Format
	Path string // "" if none was named
}

// Pick looks up the formats of a comma list, each with an optional =FILE.
func (k Kind[T]) Pick(list string) ([]Target, error) {
	var out []Target
	for _, item := range strings.Split(list, ",") {
		name, path, named := strings.Cut(strings.TrimSpace(item), "=")
		f, err := k.Format(name)
		switch {
		case err != nil:
			return nil, err
		case named && path == "":
			return nil, fmt.Errorf("%s= names no file: write %s=FILE, or %s alone", name, name, name)
		case named && slices.ContainsFunc(out, func(t Target) bool { return t.Path == path }):
			return nil, fmt.Errorf("two formats go into %s: name a file for each", path)
		}
		out = append(out, Target{f, path})
	}
	return out, nil
}

var csvFormat = Format{Name: "csv", ext: "csv", from: rows, Write: writeCSV}

func writeCSV(w io.Writer, d *Document) error {
	out := csv.NewWriter(w)
	for _, row := range d.Rows {
		if err := out.Write(lists.Map(row, clean.Cell)); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

var osuFormat = Format{Name: "osu", ext: "osu.txt", from: plotted, Write: func(w io.Writer, d *Document) error {
	_, err := io.WriteString(w, d.Plotted)
	return err
}}
