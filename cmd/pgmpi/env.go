package main

import (
	"context"
	"encoding/json"

	"github.com/spf13/cobra"

	"pgmpi/analyze/report/environment"
	"pgmpi/internal/command"
	"pgmpi/internal/experiment/run"
	"pgmpi/internal/reading"
	"pgmpi/internal/remark"
	"pgmpi/internal/settings"
	"pgmpi/internal/untimed"
)

func envCommand(h *command.Host) *cobra.Command {
	var s settings.Settings
	o := command.Output{Host: h}
	c := &cobra.Command{
		Use:     "env [DIR|gl.toml]",
		Example: "pgmpi env\npgmpi env DIR --full",
		Short:   "show what can change a result: nodes, pinning, settings",
		Long: `Shows what can change a result, and marks what is doubtful, with its remedy.
With DIR it shows what a results folder recorded, with doubts about its mpiruns.
Without, it starts one mpirun for each --np and --shape, which looks at its
nodes and measures nothing.`,
		Args: command.OrFolder(&s),
		RunE: func(c *cobra.Command, args []string) error {
			var e *environment.Environment
			var err error
			if len(args) == 0 || s.File == args[0] {
				e, err = look(c.Context(), h.Version, &s)
			} else {
				e, err = recorded(h, args[0])
			}
			if err != nil {
				return err
			}
			e.Doubts = append(append([]remark.Remark{}, e.Factors.Remarks()...), e.Doubts...)
			return o.Write(environment.Environments.Document(e))
		},
	}
	fs := c.Flags()
	s.FileFlag(fs, "the configuration `FILE`, gl.toml (default: the defaults)")
	s.Keys(fs, "np", "shape", "launch", "hostfile", "rank")
	command.Full(fs)
	o.Formats = h.OneFormat(fs, environment.Environments)
	return c
}

func recorded(h *command.Host, path string) (*environment.Environment, error) {
	folder, m, err := reading.Open(path)
	if err != nil {
		return nil, err
	}
	doubts, err := reading.Doubts(folder, m)
	if err != nil {
		h.Note("note: what its mpiruns took is not looked at: " + err.Error())
	}
	return &environment.Environment{Version: m.Version, Rank: m.Rank, Factors: m.Factors, Config: m.Config, Doubts: doubts}, nil
}

// look finds the present environment by one mpirun for each number of processes and shape.
func look(ctx context.Context, version string, s *settings.Settings) (*environment.Environment, error) {
	config, err := s.Load(nil)
	if err != nil {
		return nil, err
	}
	ranks, err := untimed.NewOnce(config, nil)
	if err != nil {
		return nil, err
	}
	e := &environment.Environment{Version: version, Rank: ranks.Rank(), Factors: run.Factors()}
	if e.Config, err = json.Marshal(config); err != nil {
		return nil, err
	}
	layouts, err := ranks.Layouts(ctx)
	for _, l := range layouts {
		e.Factors.Add(l)
	}
	return e, err
}
