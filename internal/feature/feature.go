// Package feature is the door between the core and the tools that stand on it.
//
// A tool is a folder below this one with a feature.go, whose value of type Feature names everything that the core
// has to know: sections of gl.toml, kinds of measurements, commands, and flags of commands of the core.
// cmd/pgmpi/features.go lists these values, and is the only place that names a tool; without its line there a
// folder can be deleted. The core imports neither this package nor any folder below it.
package feature

import (
	"time"

	"github.com/spf13/cobra"

	"pgmpi/internal/command"
	"pgmpi/internal/conf"
	"pgmpi/internal/conf/glfile"
	"pgmpi/internal/document"
	"pgmpi/internal/experiment/run"
	"pgmpi/internal/settings"
	"pgmpi/measure/results"
)

// Feature describes a tool: its sections of gl.toml, its measurements, its commands, and its flags of pgmpi check.
type Feature struct {
	Sections []conf.Section // of gl.toml
	// Kinds lists its experiments. The first of a kind of folders tells how such a folder is judged.
	Kinds    []*run.Experiment
	Narrows  []settings.Narrow // flags by which pgmpi check is about some calls only
	Extends  []command.Extension
	Commands []Command
	Submits  []Submit
	Notes    []run.Note // on what another program has measured
	// Documents lists those that programs read as JSON.
	Documents []document.Forms
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
	Before string // the command that follows, or "" at the end of the group
	Make   func(*command.Host) *cobra.Command
}

// Submit describes a job that pgmpi submit writes instead of a check's: for a gl.toml, or for a results folder.
type Submit struct {
	Command string // the command of the job, and the flag that asks for it
	Usage   string // of that flag

	Measures *run.Experiment // the experiment of a gl.toml, or nil where a folder is named

	Of   []results.Kind // folders that the job may be for
	Into string         // the folder of the script, in that folder
	// Takes returns a function that estimates the time of the job. An error says why the job cannot begin.
	Takes func(config *glfile.File, folder, version string) (func() (time.Duration, error), error)
}
