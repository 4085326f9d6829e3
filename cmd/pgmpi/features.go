package main

import (
	"slices"

	"github.com/spf13/cobra"

	"pgmpi/internal/command"
	"pgmpi/internal/experiment"
	"pgmpi/internal/experiment/run"
	"pgmpi/internal/feature"
	"pgmpi/internal/feature/overlap"
)

// features are the tools that stand on the core. Nothing else names them.
var features = []*feature.Feature{
	overlap.Feature,
}

// kinds are the experiments of the core and of all features.
func kinds() []*run.Experiment {
	out := slices.Clone(experiment.Kinds)
	for _, f := range features {
		out = append(out, f.Kinds...)
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
