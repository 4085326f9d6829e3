package command

import (
	"cmp"
	"errors"
	"os"
	"time"

	"github.com/spf13/pflag"

	"pgmpi/analyze"
	"pgmpi/internal/document"
	"pgmpi/internal/exitcode"
	"pgmpi/internal/fail"
	"pgmpi/internal/progress"
	"pgmpi/internal/reading"
	"pgmpi/measure/results"
)

// Output says what a command measures into, and how it shows what it found.
type Output struct {
	*Host
	Out           string // a folder
	Resume, Quiet bool
	Dry           DryRun
	Formats       *FormatFlag
	Of            string          // the CASE of a fingerprint
	Progress      *progress.Shown // nil where nothing is measured
	resumes       bool            // --resume is a flag of the command
	label         []string
	explain       []string // select the verdicts to explain
}

// DryRun holds --dry-run and --launch-time.
type DryRun struct {
	Wanted     bool
	LaunchTime time.Duration // or timed
}

// timed is a time of a launch that empty mpiruns have to tell.
const timed = -1

// launchTime is the value of --launch-time.
type launchTime struct{ to *time.Duration }

func (l launchTime) String() string { return "" }
func (l launchTime) Type() string   { return "duration" }
func (l launchTime) Set(text string) error {
	if text == "timed" {
		*l.to = timed
		return nil
	}
	took, err := time.ParseDuration(text)
	if err != nil || took <= 0 {
		return errors.New("give a time above 0, such as 10s, or the word timed")
	}
	*l.to = took
	return nil
}

func (o *Output) Folder(fs *pflag.FlagSet, usual string) {
	fs.StringVar(&o.Out, "out", "", "the results folder `DIR` (default "+usual+")")
	fs.StringArrayVar(&o.label, "label", nil, "a label `KEY=VALUE` of this measurement, such as commit=4f3c2a1, for report.json and `pgmpi history`; may be given again")
	fs.BoolVar(&o.Quiet, "quiet", false, "no progress")
}

func (o *Output) Resumable(fs *pflag.FlagSet) {
	o.resumes = true
	fs.BoolVar(&o.Resume, "resume", false, "go on in a folder with finished mpiruns")
}

// FolderOr takes a folder where --out names none. Whoever gives --resume has to name one; the stages, which always go
// on, have no such flag.
func (o *Output) FolderOr(usual string) error {
	if o.resumes && o.Resume && o.Out == "" {
		return fail.Setupf("--resume needs the folder in which to go on: --out FOLDER")
	}
	o.Out = cmp.Or(o.Out, usual)
	return nil
}

// ShownOrMeasured declares the flags of a command that shows a results folder, or measures one.
func (o *Output) ShownOrMeasured(fs *pflag.FlagSet, usual string) {
	fs.StringVar(&o.Out, "out", "", "a `DIR`: with a results folder, for the document in all formats of --format; without, the folder for what is measured (default "+usual+")")
	o.Resumable(fs)
	fs.BoolVar(&o.Quiet, "quiet", false, "no progress")
}

func (d *DryRun) Flags(fs *pflag.FlagSet) {
	fs.BoolVar(&d.Wanted, "dry-run", false, "print the plan, the launch lines and an estimate of time and memory; start and write nothing")
	fs.Var(launchTime{&d.LaunchTime}, "launch-time", "with --dry-run: the `TIME` that the start of an mpirun takes, such as 10s; timed: start two empty ones for it")
}

func (d *DryRun) check() error {
	if !d.Wanted && d.LaunchTime != 0 {
		return fail.Setupf("--launch-time is for the estimate of --dry-run; how long ranks may take to start is mpi.start_limit")
	}
	return nil
}

func (o *Output) Explains(fs *pflag.FlagSet) {
	fs.StringArrayVar(&o.explain, "explain", nil,
		"show what the verdicts of a `SELECTOR` rest on: GUIDELINE[:FUNCTION]:MSIZE[:SHAPE], such as GL8:4Ki or GL1:Bcast:1Ki:p2; without a size (GL8, Scan), only the violated ones; violated, all violated ones; may be given again")
	Full(fs)
}

func Full(fs *pflag.FlagSet) {
	fs.Bool("full", false, "print how it was measured, all tables and legends, not only what comes first")
}

func MockupsToo(fs *pflag.FlagSet, all *bool) {
	fs.BoolVar(all, "mock-ups", false, "mock-ups too, not only collectives")
}

func (o *Output) Into(fs *pflag.FlagSet) {
	fs.StringVar(&o.Out, "out", "", "a `DIR` for the report in all formats of --format (default: nothing is written)")
}

func FolderFor(path string) (*results.Folder, error) {
	if err := os.MkdirAll(path, 0o777); err != nil {
		return nil, fail.AsSetup(err)
	}
	return &results.Folder{Path: path}, nil
}

// Write writes all formats: into the folder of --out, if there is one, into named files, and the
// first to standard output. The command ends as the document says.
func (o *Output) Write(d *document.Document) error { return o.WriteBy(reading.Store, d) }

// Written writes an answer of another kind of document than the command usually gives.
func Written[T any](o *Output, k document.Kind[T], find func() (*T, error)) error {
	if err := o.Formats.As(k); err != nil {
		return err
	}
	found, err := find()
	if err != nil {
		return err
	}
	return o.Write(k.Document(found))
}

func (o *Output) WriteBy(store func(*results.Folder, *document.Document, []document.Format) error, d *document.Document) error {
	d.MadeBy(os.Args)
	if o.Out != "" {
		folder, err := FolderFor(o.Out)
		if err != nil {
			return err
		}
		if err := store(folder, d, o.Formats.stored()); err != nil {
			return err
		}
	}
	if err := errors.Join(o.Formats.deliver(d), o.Formats.Print(d, o.Out)); err != nil {
		return err
	}
	o.End(d, d.Exit, o.Line, "", o.Out)
	return d.Exit
}

// End says how a command ends that has shown a document: with err, if it is not nil. all is the command line that
// shows all of the document.
func (o *Output) End(d *document.Document, err error, all, folder, stored string) {
	if o.Full {
		all = ""
	}
	code, shown := Code(err), *d
	shown.Page, shown.Line = o.Page, o.Line
	o.Warn("%s\n", shown.Ended(code, all, folder, stored, o.Formats.page(d, stored)))
}

// Code returns the exit code of an error (docs/guide.md, "Exit codes").
func Code(err error) int {
	switch {
	case err == nil:
		return exitcode.OK
	case errors.Is(err, fail.ErrFound):
		return exitcode.Violated
	case fail.Is[*fail.Interrupted](err):
		return exitcode.Interrupted
	case fail.Is[*fail.Setup](err), fail.Is[*analyze.NotComparable](err):
		return exitcode.Setup
	case fail.Is[*fail.Refused](err):
		return exitcode.NoVerdict
	}
	return exitcode.Failed
}

// Show prints a document and returns how the command ends. all is the command that shows all of the document, or ""
// for the command that was given; path is the file that was written, or "".
func (o *Output) Show(d *document.Document, all, path string) error {
	if err := o.Formats.Print(d, ""); err != nil {
		return err
	}
	o.End(d, d.Exit, cmp.Or(all, o.Line), "", path)
	return d.Exit
}

// Explained tells whether --explain was given.
func (o *Output) Explained() bool { return len(o.explain) > 0 }
