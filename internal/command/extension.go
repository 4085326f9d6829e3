package command

import (
	"slices"

	"github.com/spf13/cobra"

	"pgmpi/internal/experiment/run"
	"pgmpi/internal/settings"
)

// Extension lets a feature add to a command of the core.
type Extension struct {
	Of string // the command
	// Add declares flags, and may change the help and what the command does. It returns what --out means with them.
	Add func(c *cobra.Command, s *settings.Settings, o *Output) (out string)
}

// Extend adds to a command what features have for it. It returns what --out then means.
func (h *Host) Extend(c *cobra.Command, s *settings.Settings, o *Output) (out string) {
	for _, x := range h.Extensions {
		if x.Of == c.Name() {
			out += x.Add(c, s, o)
		}
	}
	return out
}

// Analyzed returns the experiments whose folders pgmpi analyze judges again.
func (h *Host) Analyzed() []*run.Experiment {
	return slices.DeleteFunc(slices.Clone(h.Kinds), func(x *run.Experiment) bool { return !x.Analyzed })
}
