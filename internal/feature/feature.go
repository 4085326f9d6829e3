// Package feature is the door between the core and the tools that stand on it.
//
// A tool is a folder below this one with a feature.go, whose value of type Feature names everything that the core has to
// know: sections of gl.toml, kinds of measurements, commands, and flags of commands of the core. cmd/pgmpi/features.go lists these values, and
// is the only place that names a tool; without its line there a folder can be deleted. The core imports neither this
// package nor any folder below it.
package feature

import (
	"time"

	"github.com/spf13/cobra"

	"pgmpi/internal/command"
	"pgmpi/internal/conf"
	"pgmpi/internal/conf/glfile"
	"pgmpi/internal/experiment/run"
	"pgmpi/internal/settings"
	"pgmpi/measure/results"
)

// Feature is a tool: what it is told in gl.toml, what it measures, its commands, and its flags of pgmpi check.
type Feature struct {
	Sections []conf.Section // of gl.toml
	// Kinds are its experiments. The first of a kind of folders tells how such a folder is judged.
	Kinds    []*run.Experiment
	Narrows  []settings.Narrow // flags by which pgmpi check is about some calls only
	Extends  []command.Extension
	Commands []Command
	Submits  []Submit
	Notes    []run.Note // to what another program has measured
}

// Use makes the core know the features. It is called once, before any gl.toml is read.
func Use(features ...*Feature) []*Feature {
	for _, f := range features {
		glfile.Register(f.Sections...)
	}
	return features
}

// Command has a place in the overview of commands.
type Command struct {
	Group  string // its title
	Before string // the command that it stands before, or "" at the end of the group
	Make   func(*command.Host) *cobra.Command
}

// Submit is a job that pgmpi submit writes in place of a check's: it is of a gl.toml, or of a results folder.
type Submit struct {
	Command string // whose job it is, and the flag that asks for it
	Usage   string // of the flag

	Measures *run.Experiment // what a gl.toml is for, or nil where a folder is named

	Of   []results.Kind // folders that it may be of
	Into string         // the folder of the script, in that folder
	// Takes returns what estimates the time of the job. An error says why it cannot begin.
	Takes func(config *glfile.File, folder, version string) (func() (time.Duration, error), error)
}
