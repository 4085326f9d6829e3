package main

import (
	"slices"

	"github.com/spf13/cobra"

	"pgmpi/analyze/report"
	"pgmpi/analyze/report/check"
	"pgmpi/analyze/report/checks"
	"pgmpi/analyze/report/environment"
	"pgmpi/internal/command"
	"pgmpi/internal/document"
	"pgmpi/internal/experiment"
	"pgmpi/internal/feature"
)

// equip gives a host what the commands need from the core and all features.
func equip(h *command.Host) {
	h.Kinds = slices.Clone(experiment.Kinds)
	for _, f := range features {
		h.Kinds, h.Narrows, h.Notes = append(h.Kinds, f.Kinds...), append(h.Narrows, f.Narrows...), append(h.Notes, f.Notes...)
		h.Extensions = append(h.Extensions, f.Extends...)
	}
}

// submits returns the jobs that pgmpi submit writes besides a check's.
func submits() (out []feature.Submit) {
	for _, f := range features {
		out = append(out, f.Submits...)
	}
	return out
}

// documents returns what programs read as JSON.
func documents() []document.Forms {
	out := []document.Forms{
		check.Reports, checks.Comparisons, checks.LevelLists, checks.Spreads, checks.Matrices, checks.Histories,
		environment.Environments, report.Statuses, report.AlgorithmLists,
	}
	for _, f := range features {
		out = append(out, f.Documents...)
	}
	return out
}

// addTo puts the commands of the features into their places in a group.
func addTo(group string, commands []*cobra.Command, h *command.Host) []*cobra.Command {
	for _, f := range features {
		for _, x := range f.Commands {
			if x.Group != group {
				continue
			}
			at := slices.IndexFunc(commands, func(c *cobra.Command) bool { return c.Name() == x.Before })
			if at < 0 {
				at = len(commands)
			}
			commands = slices.Insert(commands, at, x.Make(h))
		}
	}
	return commands
}
