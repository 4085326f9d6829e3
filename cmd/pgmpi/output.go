package main

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"pgmpi/internal/document"
	"pgmpi/internal/fail"
	"pgmpi/internal/manual"
	"pgmpi/internal/progress"
	"pgmpi/internal/reading"
	"pgmpi/measure/results"
)

type output struct {
	out           string // a folder
	resume, quiet bool
	resumes       bool // --resume is a flag of the command
	dry           dryRun
	label         []string
	formats       *formatFlag
	explain       []string        // selectors of verdicts that are explained
	of            string          // the CASE of a fingerprint
	progress      *progress.Shown // once something is measured
}

type dryRun struct {
	wanted     bool
	launchTime time.Duration
}

func (o *output) folder(fs *pflag.FlagSet, usual string) {
	fs.StringVar(&o.out, "out", "", "the results folder `DIR` (default "+usual+")")
	fs.StringArrayVar(&o.label, "label", nil, "a label `KEY=VALUE` of this measurement, such as commit=4f3c2a1, for report.json and `pgmpi history`; may be given again")
	fs.BoolVar(&o.quiet, "quiet", false, "no progress")
}

func (o *output) resumable(fs *pflag.FlagSet) {
	o.resumes = true
	fs.BoolVar(&o.resume, "resume", false, "go on in a folder with finished mpiruns")
}

// shownOrMeasured declares the flags of a command that shows a results folder, or measures one.
func (o *output) shownOrMeasured(fs *pflag.FlagSet, usual string) {
	fs.StringVar(&o.out, "out", "", "a `DIR`: with a results folder, for the document in all formats of --format; without, the folder for what is measured (default "+usual+")")
	o.resumable(fs)
	fs.BoolVar(&o.quiet, "quiet", false, "no progress")
}

func (d *dryRun) flags(fs *pflag.FlagSet) {
	fs.BoolVar(&d.wanted, "dry-run", false, "print the plan, the launch lines and an estimate of time and memory; start and write nothing")
	fs.DurationVar(&d.launchTime, "launch-time", 0, "with --dry-run: the `TIME` that the start of an mpirun takes, such as 10s")
}

func (d *dryRun) check() error {
	switch {
	case !d.wanted && d.launchTime != 0:
		return fail.Setupf("--launch-time is for the estimate of --dry-run; how long ranks may take to start is mpi.start_limit")
	case d.launchTime < 0:
		return fail.Setupf("--launch-time must be at least 0")
	}
	return nil
}

func (o *output) explains(fs *pflag.FlagSet) {
	fs.StringArrayVar(&o.explain, "explain", nil,
		"show what the verdicts of a `SELECTOR` rest on: GUIDELINE[:FUNCTION]:MSIZE[:SHAPE], such as GL8:4Ki or GL1:Bcast:1Ki:p2; without a size (GL8, Scan), only the violated ones; violated, all violated ones; may be given again")
	full(fs)
}

func full(fs *pflag.FlagSet) {
	fs.Bool("full", false, "print how it was measured, all tables and legends, not only what comes first")
}

func mockupsToo(fs *pflag.FlagSet, all *bool) {
	fs.BoolVar(all, "all", false, "mock-ups too, not only collectives")
}

func (o *output) into(fs *pflag.FlagSet) {
	fs.StringVar(&o.out, "out", "", "a `DIR` for the report in all formats of --format (default: nothing is written)")
}

// formatFlag is --format, a choice from the formats of a kind of document.
type formatFlag struct {
	pick   func(text string) ([]document.Target, error)
	text   string
	usual  document.Format
	picked []document.Target
	err    error // of text; dispatch returns it once all flags are parsed
}

func (f *formatFlag) Set(text string) error {
	f.text = text
	f.picked, f.err = f.pick(text)
	for _, t := range f.picked {
		if t.Path != "" && f.err == nil {
			f.err = writable(t.Path)
		}
	}
	return nil
}

// as takes the flag for another kind of document.
func (f *formatFlag) as(k document.Forms) error {
	f.pick, f.usual = k.Pick, usually(k, "")
	if _ = f.Set(f.text); f.err != nil {
		return fail.Setupf("--format: %w", f.err)
	}
	return nil
}

func (f *formatFlag) String() string { return f.text }

// Type implements pflag.Value: help puts the default of a string in quotes.
func (f *formatFlag) Type() string { return "string" }

func (f *formatFlag) unnamed() []document.Format {
	var out []document.Format
	for _, t := range f.picked {
		if t.Path == "" {
			out = append(out, t.Format)
		}
	}
	return out
}

// printed returns the format for standard output: the first without a file, or the usual one.
func (f *formatFlag) printed() document.Format { return append(f.unnamed(), f.usual)[0] }

// beside returns the format for standard output where a folder gets all formats: none for browsers,
// which find theirs in the folder.
func (f *formatFlag) beside() document.Format {
	readable := slices.DeleteFunc(f.unnamed(), func(f document.Format) bool { return f.ForBrowsers })
	return append(readable, f.usual)[0]
}

// page returns the path of the page for browsers in the folder or in a file of its own, or "".
func (f *formatFlag) page(d *document.Document, folder string) string {
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

func (f *formatFlag) stored() []document.Format {
	return slices.DeleteFunc(f.unnamed(), func(f document.Format) bool { return f.Log != "" })
}

// writable refuses a FILE of --format that cannot be written, before anything is measured. It neither
// follows nor replaces links.
func writable(path string) error {
	info, err := os.Lstat(path)
	switch {
	case err == nil && !info.Mode().IsRegular():
		return fmt.Errorf("%s is no regular file: name one, or one that is not there yet", path)
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return err
	}
	if info, err := os.Stat(filepath.Dir(path)); err != nil || !info.IsDir() {
		return fmt.Errorf("%s: there is no folder %s: make it first, or name no file, and the report goes into the results folder", path, filepath.Dir(path))
	}
	return nil
}

// deliver writes a document into the files that --format names, and a format for a log, unless it
// is printed anyway, to standard error.
func (f *formatFlag) deliver(d *document.Document) (err error) {
	for _, t := range f.picked {
		if t.Path == "" {
			continue
		}
		folder := results.Folder{Path: filepath.Dir(t.Path)}
		err = errors.Join(err, folder.WriteFile(filepath.Base(t.Path), func(w io.Writer) error { return t.Write(w, d) }))
	}
	for i, format := range f.unnamed() {
		if i > 0 && format.Log != "" && understood(format) {
			err = errors.Join(err, format.Write(stderr, d))
		}
	}
	return err
}

// print writes a document to standard output; folder has it too, unless it is "".
func (f *formatFlag) print(d *document.Document, folder string) error {
	format := f.printed()
	if folder != "" {
		format = f.beside()
	}
	if understood(format) {
		return show(d, format)
	}
	return nil
}

func understood(f document.Format) bool {
	if f.Log == "" || os.Getenv(f.Log) == "true" {
		return true
	}
	fmt.Fprintf(stderr, "note: no %s annotations: %s is not \"true\" here\n", f.Name, f.Log)
	return false
}

// documentFormat returns --format of a command, or nil if it prints no document.
func documentFormat(fs *pflag.FlagSet) *formatFlag {
	if f := fs.Lookup("format"); f != nil {
		format, _ := f.Value.(*formatFlag)
		return format
	}
	return nil
}

func newFormat(fs *pflag.FlagSet, names []string, usage string, pick func(string) ([]document.Target, error)) *formatFlag {
	f := &formatFlag{pick: pick}
	_ = f.Set(names[0])
	f.usual = f.picked[0].Format
	fs.Var(f, "format", usage)
	manual.Offer(fs.Lookup("format"), names)
	return f
}

// oneFormat declares --format of a command that writes one document to standard output.
func oneFormat(fs *pflag.FlagSet, k document.Forms) *formatFlag {
	return newFormat(fs, k.Formats(), "`FORMAT`: "+strings.Join(k.Formats(), ", "), func(name string) ([]document.Target, error) {
		f, err := k.Format(name)
		return []document.Target{{Format: f}}, err
	})
}

// formatsFlag declares --format of a command that also writes into a folder.
func formatsFlag(fs *pflag.FlagSet, k document.Forms, folder string) *formatFlag {
	return newFormat(fs, k.Formats(), "comma `LIST` of "+strings.Join(k.Formats(), ", ")+": the first to standard output"+folder+
		"; NAME=FILE writes one into FILE instead", k.Pick)
}

// usually returns the format of a name, or the usual one of a kind that lacks it.
func usually(k document.Forms, name string) document.Format {
	f, err := k.Format(name)
	if err != nil {
		f, _ = k.Format(k.Formats()[0])
	}
	return f
}

// show writes what comes first of a document to standard output, and all of it with --full.
func show(d *document.Document, f document.Format) error {
	if !printed.full {
		d = d.Brief()
	}
	return put(d, f)
}

func put(d *document.Document, f document.Format) error {
	shown := *d
	shown.Page = printed.Page
	out := bufio.NewWriter(stdout)
	return cmp.Or(f.Write(out, &shown), out.Flush()) // Flush says again what went wrong in Write
}

func say(text string) error {
	_, err := fmt.Fprint(stdout, text)
	return err
}

func folderFor(path string) (*results.Folder, error) {
	if err := os.MkdirAll(path, 0o777); err != nil {
		return nil, fail.AsSetup(err)
	}
	return &results.Folder{Path: path}, nil
}

// write writes all formats: into the folder of --out, if there is one, into named files, and the
// first to standard output. The command ends as the document says.
func (o *output) write(d *document.Document) error { return o.writeBy(reading.Store, d) }

// written writes an answer that is another kind of document than the command usually has.
func written[T any](o *output, k document.Kind[T], find func() (*T, error)) error {
	if err := o.formats.as(k); err != nil {
		return err
	}
	found, err := find()
	if err != nil {
		return err
	}
	return o.write(k.Document(found))
}

func (o *output) writeBy(store func(*results.Folder, *document.Document, []document.Format) error, d *document.Document) error {
	d.MadeBy(os.Args)
	if o.out != "" {
		folder, err := folderFor(o.out)
		if err != nil {
			return err
		}
		if err := store(folder, d, o.formats.stored()); err != nil {
			return err
		}
	}
	if err := errors.Join(o.formats.deliver(d), o.formats.print(d, o.out)); err != nil {
		return err
	}
	o.end(d, d.Exit, printed.line, "", o.out)
	return d.Exit
}

// end says how a command ends that has shown a document: err, if any. all is the command line that shows all of it.
func (o *output) end(d *document.Document, err error, all, folder, stored string) {
	if printed.full {
		all = ""
	}
	warn("%s\n", d.Ended(codeOf(err), all, folder, stored, o.formats.page(d, stored)))
}
