package main

import (
	"bufio"
	"errors"
	"strings"

	"github.com/spf13/pflag"

	"pgmpi/analyze/report"
)

// formatFlag is --format of a command that writes one document of a kind to
// standard output.
func formatFlag[T any](fs *pflag.FlagSet, to *string, k report.Kind[T]) {
	fs.StringVar(to, "format", k.Formats()[0], "`FORMAT`: "+strings.Join(k.Formats(), ", "))
}

// formatsFlag is --format of a command that writes a document into a folder too.
func formatsFlag[T any](fs *pflag.FlagSet, to *string, k report.Kind[T], folder string) {
	fs.StringVar(to, "format", k.Formats()[0], "comma `LIST` of "+strings.Join(k.Formats(), ", ")+": the first to standard output"+folder)
}

// pick looks up the formats of a comma list.
func pick[T any](k report.Kind[T], list string) ([]report.Format, error) {
	formats, err := k.Pick(list)
	if err != nil {
		return nil, setupf("--format: %w", err)
	}
	return formats, nil
}

// pickOne looks up a single format.
func pickOne[T any](k report.Kind[T], name string) (report.Format, error) {
	f, err := k.Format(name)
	if err != nil {
		return f, setupf("--format: %w", err)
	}
	return f, nil
}

// show writes a document to standard output.
func show(d *report.Document, f report.Format) error {
	out := bufio.NewWriter(stdout)
	return errors.Join(f.Write(out, d), out.Flush())
}

// orUsual is the first format of a comma list about another document, or the usual
// one where this kind has none such.
func orUsual[T any](k report.Kind[T], list string) report.Format {
	name, _, _ := strings.Cut(list, ",")
	f, err := k.Format(strings.TrimSpace(name))
	if err != nil {
		f, _ = k.Format(k.Formats()[0])
	}
	return f
}
