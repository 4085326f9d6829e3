package main

import (
	"bufio"
	"errors"
	"os"
	"strings"

	"github.com/spf13/pflag"

	"pgmpi/analyze/judge"
	"pgmpi/analyze/report"
	"pgmpi/internal/campaign"
	"pgmpi/measure/results"
)

// output is where results go and what is printed.
type output struct {
	out                   string // a folder
	resume, quiet, dryRun bool
	mpiruns               int    // of a command, where nothing says how many; 0: what suits the tests
	all                   bool   // mock-ups too
	alternative           string // of a comparison
	formats               *formatFlag
	explain               []string  // selectors of verdicts that are explained
	progress              *progress // once the campaign is prepared
}

func (o *output) folder(fs *pflag.FlagSet) {
	fs.StringVar(&o.out, "out", "", "the results folder `DIR` (default pgmpi-<UTC time>)")
	if fs.Name() != "nrep" && fs.Name() != "measure" {
		fs.BoolVar(&o.resume, "resume", false, "go on in a folder with finished mpiruns")
	}
	fs.BoolVar(&o.quiet, "quiet", false, "no progress")
}

func (o *output) dry(fs *pflag.FlagSet) {
	fs.BoolVar(&o.dryRun, "dry-run", false, "print the plan, the launch lines and an estimate of time and memory; start and write nothing")
}

func (o *output) explains(fs *pflag.FlagSet) {
	fs.StringArrayVar(&o.explain, "explain", nil,
		"show what the verdicts of a `SELECTOR` rest on: GUIDELINE[:FUNCTION]:MSIZE[:SHAPE], such as GL8:4Ki or GL1:MPI_Bcast:1Ki:p2; may be given again")
}

func (o *output) compared(fs *pflag.FlagSet) {
	fs.StringVar(&o.alternative, "alternative", string(judge.TwoSided),
		"what is asked of B against A, a `WORD`: "+strings.Join(judge.Strings(judge.Alternatives), ", ")+" (greater: B takes longer)")
	o.functions(fs)
	o.formats = formatsFlag(fs, report.Comparisons, "")
}

func (o *output) functions(fs *pflag.FlagSet) {
	fs.BoolVar(&o.all, "all", false, "mock-ups too, not only collectives")
}

func (o *output) into(fs *pflag.FlagSet) {
	fs.StringVar(&o.out, "out", "", "a `DIR` for the report in all formats of --format (default: nothing is written)")
}

// formatFlag is --format: the formats of a kind of document that it names.
type formatFlag struct {
	pick   func(text string) ([]report.Format, error)
	text   string
	picked []report.Format
	err    error // of text; dispatch returns it once all flags are parsed
}

// Set implements pflag.Value.
func (f *formatFlag) Set(text string) error {
	f.text = text
	f.picked, f.err = f.pick(text)
	return nil
}

// String implements pflag.Value.
func (f *formatFlag) String() string { return f.text }

// Type implements pflag.Value: help puts the default of a string in quotes.
func (f *formatFlag) Type() string { return "string" }

func newFormat(fs *pflag.FlagSet, usual, usage string, pick func(string) ([]report.Format, error)) *formatFlag {
	f := &formatFlag{pick: pick}
	_ = f.Set(usual)
	fs.Var(f, "format", usage)
	return f
}

// oneFormat is --format of a command that writes one document to standard output.
func oneFormat[T any](fs *pflag.FlagSet, k report.Kind[T]) *formatFlag {
	return newFormat(fs, k.Formats()[0], "`FORMAT`: "+strings.Join(k.Formats(), ", "), func(name string) ([]report.Format, error) {
		f, err := k.Format(name)
		return []report.Format{f}, err
	})
}

// formatsFlag is --format of a command that writes a document into a folder too.
func formatsFlag[T any](fs *pflag.FlagSet, k report.Kind[T], folder string) *formatFlag {
	return newFormat(fs, k.Formats()[0], "comma `LIST` of "+strings.Join(k.Formats(), ", ")+": the first to standard output"+folder, k.Pick)
}

// usually is the format of a name, or the usual one of a kind that lacks it.
func usually[T any](k report.Kind[T], name string) report.Format {
	f, err := k.Format(name)
	if err != nil {
		f, _ = k.Format(k.Formats()[0])
	}
	return f
}

// show writes a document to standard output.
func show(d *report.Document, f report.Format) error {
	out := bufio.NewWriter(stdout)
	return errors.Join(f.Write(out, d), out.Flush())
}

// folderFor makes the folder of --out.
func folderFor(path string) (*results.Folder, error) {
	if err := os.MkdirAll(path, 0o777); err != nil {
		return nil, setup(err)
	}
	return &results.Folder{Path: path}, nil
}

// write writes all formats into the folder of --out, where one is given, and the
// first to standard output.
func (o *output) write(d *report.Document) error {
	if o.out != "" {
		folder, err := folderFor(o.out)
		if err != nil {
			return err
		}
		if err := campaign.Store(folder, d, o.formats.picked); err != nil {
			return err
		}
	}
	return show(d, o.formats.picked[0])
}
