package main

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"time"

	"github.com/spf13/pflag"

	"pgmpi/internal/campaign"
	"pgmpi/measure"
	"pgmpi/measure/host"
	"pgmpi/measure/launch"
	"pgmpi/measure/protocol"
)

var envCommand = command{
	name:  "env",
	args:  "[DIR]",
	short: "show what can change a result: nodes, pinning, settings",
	long: `Shows what can change a result (S-REVISITED, Table VI), and what of it is
doubtful, with the remedy. With DIR, as a results folder has it. Without, as
it is now: one mpirun for each --np looks at its nodes and measures nothing.`,
	flags: func(fs *pflag.FlagSet) func(context.Context, []string) error {
		var s settings
		all := pflag.NewFlagSet("", pflag.ContinueOnError)
		s.measuring(all)
		for _, name := range []string{"guidelines", "np", "launch", "rank"} {
			fs.AddFlag(all.Lookup(name))
		}
		s.fs = fs
		format := fs.String("format", "table", "`FORMAT`: table or json")
		return func(ctx context.Context, args []string) error {
			if *format != "table" && *format != "json" {
				return setupf("env: --format is table or json, not %q", *format)
			}
			var e *environmentShown
			var err error
			switch len(args) {
			case 0:
				e, err = look(ctx, &s)
			case 1:
				e, err = recorded(args[0])
			default:
				return setupf("env: give at most one results folder; see `pgmpi help env`")
			}
			if err != nil {
				return err
			}
			return e.write(stdout, *format)
		}
	},
}

// environmentShown is what `pgmpi env` prints.
type environmentShown struct {
	Version string            `json:"pgmpi_version"`
	Rank    protocol.RankInfo `json:"rank"`
	Factors host.Factors      `json:"factors"`
	Doubts  []host.Doubt      `json:"doubts"`
	Config  json.RawMessage   `json:"config"`
}

// recorded takes everything from a results folder.
func recorded(path string) (*environmentShown, error) {
	_, m, err := campaign.OpenResults(path)
	if err != nil {
		return nil, err
	}
	return &environmentShown{Version: m.Version, Rank: m.Rank, Factors: m.Factors, Config: m.Config}, nil
}

// look starts one mpirun for each number of processes.
func look(ctx context.Context, s *settings) (*environmentShown, error) {
	config, err := s.load(nil)
	if err != nil {
		return nil, err
	}
	np := config.Job.NP
	if len(np) == 0 {
		np = []int{launch.DefaultNP()}
	}
	path, err := launch.FindRank(config.MPI.Rank)
	if err != nil {
		return nil, setup(err)
	}
	e := &environmentShown{Version: version, Factors: campaign.Factors()}
	if e.Rank, err = launch.Probe(path); err != nil {
		return nil, setup(err)
	}
	if e.Config, err = json.Marshal(config); err != nil {
		return nil, err
	}
	for _, n := range np {
		launch, err := launch.Launch(config.MPI.Launch, e.Rank, n)
		if err != nil {
			return nil, setup(err)
		}
		l, err := measure.ProbeNodes(ctx, launch, path, n, config.MPI.Env, time.Duration(config.Measure.Stall))
		switch {
		case ctx.Err() != nil:
			return nil, &exit{exitInterrupted, errors.New("interrupted")}
		case err != nil:
			return nil, setup(err)
		}
		e.Factors.Add(*l)
	}
	return e, nil
}

func (e *environmentShown) write(w io.Writer, format string) error {
	e.Doubts = e.Factors.Doubts()
	if format == "table" {
		return e.table(w)
	}
	if e.Doubts == nil {
		e.Doubts = []host.Doubt{}
	}
	j := json.NewEncoder(w)
	j.SetIndent("", " ")
	return j.Encode(e)
}
