// Package programs has the commands that run somebody's MPI program: profile, gain and apply. What they print
// with comes from cmd/pgmpi; what they do is internal/gain's.
package programs

import (
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"pgmpi/internal/document"
	"pgmpi/internal/fail"
	"pgmpi/internal/progress"
)

// Host is what a command needs of pgmpi, one for each.
type Host struct {
	// Formats declares --format for a kind of document, and --full if it has a screen.
	Formats func(fs *pflag.FlagSet, k document.Forms, full bool)
	// Show prints a document and how the command ends, which it returns. all is the command that shows all of it, if
	// not the one that was given; path is what was written, "" for nothing.
	Show     func(d *document.Document, all, path string) error
	Progress func(quiet bool) *progress.Shown
}

// misused is an error of a command line that cobra has taken.
func misused(c *cobra.Command, what string) error {
	return fail.Setupf("%s: %s; see `pgmpi help %[1]s`", c.Name(), what)
}
