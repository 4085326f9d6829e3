package command

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/pflag"

	"pgmpi/internal/document"
	"pgmpi/internal/experiment/run"
	"pgmpi/internal/fail"
	"pgmpi/internal/progress"
	"pgmpi/internal/settings"
	"pgmpi/internal/version"
)

// Host says where a command prints, on which page, and what program runs it.
type Host struct {
	Stdout, Stderr io.Writer
	Version        string
	Kinds          []*run.Experiment // all experiments; the first of a kind judges its folders
	Narrows        []settings.Narrow // flags by which pgmpi check is about some calls only
	Extensions     []Extension       // of commands of the core
	Notes          []run.Note        // on what another program has measured
	document.Page
	Full bool   // print all sections, not only those that come first
	Line string // the command line that was given, without --format and --out
}

// New returns a host that prints to these writers. Given reads the flags of its command.
func New(stdout, stderr io.Writer) *Host {
	return &Host{Stdout: stdout, Stderr: stderr, Version: version.String()}
}

// Given takes the page and the command line from the running command's flags and arguments.
func (h *Host) Given(fs *pflag.FlagSet, args []string) (err error) {
	h.Line = "pgmpi " + strings.Join(without(args, "--format", "--out"), " ")
	h.Page, h.Full, err = h.page(fs)
	return err
}

// Check refuses wrong values of --format and of the flags of the page.
func (h *Host) Check(fs *pflag.FlagSet) error {
	_, _, err := h.page(fs)
	return err
}

func (h *Host) page(fs *pflag.FlagSet) (document.Page, bool, error) {
	if f := FormatOf(fs); f != nil && f.err != nil {
		return document.Page{}, false, fail.Setupf("--format: %w", f.err)
	}
	return pageOf(fs, os.Getenv, h.Columns())
}

// Warn writes to standard error. Only our own line breaks break lines there.
func (h *Host) Warn(format string, args ...any) {
	fmt.Fprint(h.Stderr, document.Said(format, args...))
}

// Note writes a sentence to standard error, in lines that fit a terminal.
func (h *Host) Note(text string) { h.Warn("%s\n", h.Prose(text)) }

// NewProgress returns a display of a measurement's progress on standard error.
func (h *Host) NewProgress(quiet bool) *progress.Shown { return progress.New(h.Stderr, h.Note, quiet) }

// Say writes to standard output.
func (h *Host) Say(text string) error {
	_, err := fmt.Fprint(h.Stdout, text)
	return err
}

// Print writes a document to standard output: its first sections, or with --full all.
func (h *Host) Print(d *document.Document, f document.Format) error {
	if !h.Full {
		d = d.Brief()
	}
	return h.put(d, f)
}

func (h *Host) put(d *document.Document, f document.Format) error {
	shown := *d
	shown.Page = h.Page
	out := bufio.NewWriter(h.Stdout)
	return cmp.Or(f.Write(out, &shown), out.Flush()) // Flush says again what went wrong in Write
}
