package command

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"pgmpi/analyze/report/check"
	"pgmpi/internal/document"
	"pgmpi/internal/fail"
	"pgmpi/internal/manual"
	"pgmpi/internal/regular"
)

// FormatFlag holds the values of --format, a choice from the formats of a kind of document.
type FormatFlag struct {
	host   *Host
	pick   func(text string) ([]document.Target, error)
	text   string
	usual  document.Format
	picked []document.Target
	err    error // of text; dispatch returns it once all flags are parsed
}

func (f *FormatFlag) Set(text string) error {
	f.text = text
	f.picked, f.err = f.pick(text)
	for _, t := range f.picked {
		if t.Path != "" && f.err == nil {
			f.err = Writable(t.Path)
		}
	}
	return nil
}

// As takes the flag for another kind of document.
func (f *FormatFlag) As(k document.Forms) error {
	f.pick, f.usual = k.Pick, Usually(k, "")
	if _ = f.Set(f.text); f.err != nil {
		return fail.Setupf("--format: %w", f.err)
	}
	return nil
}

func (f *FormatFlag) String() string { return f.text }

// Type implements pflag.Value: help puts the default of a string in quotes.
func (f *FormatFlag) Type() string { return "string" }

func (f *FormatFlag) unnamed() []document.Format {
	var out []document.Format
	for _, t := range f.picked {
		if t.Path == "" {
			out = append(out, t.Format)
		}
	}
	return out
}

// Printed returns the format for standard output: the first one without a file, or the usual one.
func (f *FormatFlag) Printed() document.Format { return append(f.unnamed(), f.usual)[0] }

// beside returns the format for standard output where a folder gets all formats. Formats for browsers do not count:
// browsers find theirs in the folder.
func (f *FormatFlag) beside() document.Format {
	readable := slices.DeleteFunc(f.unnamed(), func(f document.Format) bool { return f.ForBrowsers })
	return append(readable, f.usual)[0]
}

// page returns the path of the page for browsers, or "". The page is in the folder, or in a file of its own.
func (f *FormatFlag) page(d *document.Document, folder string) string {
	for _, t := range f.picked {
		switch {
		case !t.ForBrowsers:
		case t.Path != "":
			return t.Path
		case folder != "":
			return filepath.Join(folder, t.File(d))
		}
	}
	return ""
}

func (f *FormatFlag) stored() []document.Format {
	return slices.DeleteFunc(f.unnamed(), func(f document.Format) bool { return f.Log != "" })
}

// Writable refuses a FILE of --format that cannot be written, before anything is measured. It neither
// follows nor replaces links.
func Writable(path string) error {
	info, err := os.Lstat(path)
	switch {
	case err == nil && !info.Mode().IsRegular():
		return fmt.Errorf("%s is no regular file: name one, or one that is not there yet", path)
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return err
	}
	if info, err := os.Stat(filepath.Dir(path)); err != nil || !info.IsDir() {
		return fmt.Errorf("%s: there is no folder %s: make it first", path, filepath.Dir(path))
	}
	return nil
}

// deliver writes a document into the files that --format names. What is shown instead of it takes the files of its
// own formats. A format for a log goes to standard error, unless it is printed anyway.
func (f *FormatFlag) deliver(d *document.Document, instead ...*document.Document) (err error) {
	for _, t := range f.picked {
		if t.Path == "" {
			continue
		}
		of := d
		if len(instead) > 0 && slices.Contains(check.Explanations.Formats(), t.Name) {
			of = joined(instead)
		}
		err = errors.Join(err, regular.Write(t.Path, func(w io.Writer) error { return t.Write(w, of) }))
	}
	for i, format := range f.unnamed() {
		if i > 0 && format.Log != "" && f.host.understood(format) {
			err = errors.Join(err, format.Write(f.host.Stderr, d))
		}
	}
	return err
}

// joined makes one document of several.
func joined(of []*document.Document) *document.Document {
	out := *of[0]
	for _, d := range of[1:] {
		out.Add(d.Sections)
	}
	out.MadeBy(os.Args)
	return &out
}

// alone tells whether one format is wanted, for standard output.
func (f *FormatFlag) alone() bool { return len(f.picked) == 1 && f.picked[0].Path == "" }

// Print writes a document to standard output. folder is where the document is stored too, or "".
func (f *FormatFlag) Print(d *document.Document, folder string) error {
	format := f.Printed()
	if folder != "" {
		format = f.beside()
	}
	if f.host.understood(format) {
		return f.host.Print(d, format)
	}
	return nil
}

func (h *Host) understood(f document.Format) bool {
	if f.Log == "" || os.Getenv(f.Log) == "true" {
		return true
	}
	fmt.Fprintf(h.Stderr, "note: no %s annotations: %s is not \"true\" here\n", f.Name, f.Log)
	return false
}

// FormatOf returns --format of a command, or nil if it prints no document.
func FormatOf(fs *pflag.FlagSet) *FormatFlag {
	if f := fs.Lookup("format"); f != nil {
		format, _ := f.Value.(*FormatFlag)
		return format
	}
	return nil
}

func (h *Host) NewFormat(fs *pflag.FlagSet, names []string, usage string, pick func(string) ([]document.Target, error)) *FormatFlag {
	f := &FormatFlag{host: h, pick: pick}
	_ = f.Set(names[0])
	f.usual = f.picked[0].Format
	fs.Var(f, "format", usage)
	manual.Offer(fs.Lookup("format"), names)
	return f
}

// OneFormat declares --format of a command that writes one document to standard output.
func (h *Host) OneFormat(fs *pflag.FlagSet, k document.Forms) *FormatFlag {
	return h.NewFormat(fs, k.Formats(), "`FORMAT`: "+strings.Join(k.Formats(), ", "), func(name string) ([]document.Target, error) {
		f, err := k.Format(name)
		return []document.Target{{Format: f}}, err
	})
}

// FormatsFlag declares --format of a command that also writes into a folder.
func (h *Host) FormatsFlag(fs *pflag.FlagSet, k document.Forms, folder string) *FormatFlag {
	return h.NewFormat(fs, k.Formats(), "comma `LIST` of "+strings.Join(k.Formats(), ", ")+": the first to standard output"+folder+
		"; NAME=FILE writes one into FILE instead", k.Pick)
}

// Usually returns the format of a name, or the usual one of the kind.
func Usually(k document.Forms, name string) document.Format {
	f, err := k.Format(name)
	if err != nil {
		f, _ = k.Format(k.Formats()[0])
	}
	return f
}
