package main

import (
	"cmp"
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"pgmpi/analyze/report"
	"pgmpi/guidelines"
	"pgmpi/internal/campaign"
	"pgmpi/internal/conf"
	"pgmpi/measure"
	"pgmpi/measure/launch"
	"pgmpi/measure/protocol"
)

var clocksCommand = command{
	name:  "clocks",
	short: "examine clocks and their synchronisation on this machine",
	long: `Shows the clocks that can time a repetition, with their resolution and cost, and
for every method of clock synchronisation how far the ranks' global clocks are
from rank 0's right after it and some seconds later, how long it takes, and how
many rounds and messages. One mpirun for every number of processes and every
shape. Nothing is written to disk. docs/clocks.md explains the methods.`,
	flags: func(fs *pflag.FlagSet) action {
		c := &clocksRun{}
		fs.IntSliceVar(&c.np, "np", nil, "numbers of processes, a comma `LIST` (default: the processes of the batch job, else the cores)")
		fs.StringSliceVar(&c.shapes, "shape", nil, "shapes nodes × processes per node, a comma `LIST`: 2x1,1x2,16x32")
		fs.StringVar(&c.rank, "rank", "", "the rank program `FILE` (default: as for check)")
		fs.StringVar(&c.launch, "launch", "", "the launcher, a `TEXT` that is split at spaces: \"mpirun.mpich -np {np}\" (default: what comes with the rank program's library)")
		fs.StringVar(&c.clock, "clock", measure.Default().Clock, "the `CLOCK`: "+strings.Join(protocol.Clocks, ", "))
		fs.StringSliceVar(&c.methods, "clock-sync", nil, "methods, a comma `LIST` (default shared,skampi,netgauge,jk,hca,hca2,hca3,hca3+shared)")
		fs.Float64SliceVar(&c.seconds, "seconds", []float64{1, 5, 10}, "when the clocks are compared, a comma `LIST` of seconds after a synchronisation")
		fs.Lookup("seconds").DefValue = "1,5,10" // as it is to be typed
		c.format = oneFormat(fs, report.ClockLists)
		return func(ctx context.Context, _ []string) error { return c.run(ctx) }
	},
}

// clocksRun is one call of `pgmpi clocks`.
type clocksRun struct {
	np      []int
	shapes  []string
	rank    string
	launch  string
	clock   string
	methods []string
	seconds []float64
	format  *formatFlag
}

// longestWait keeps a slip of the keyboard from waiting for days.
const longestWait = 3600

func (c *clocksRun) check() error {
	if len(c.methods) == 0 {
		// One two-level method represents them all.
		c.methods = slices.DeleteFunc(slices.Clone(protocol.ClockSyncs), func(m string) bool {
			return strings.Contains(m, "+") && m != "hca3+shared"
		})
	}
	var errs conf.FieldErrors
	for _, np := range c.np {
		errs.Check(np > 0, "--np", "%d is no number of processes", np)
	}
	for _, text := range c.shapes {
		_, err := guidelines.ParseShape(text)
		errs.Check(err == nil, "--shape", "%v", err)
	}
	errs.Name("--clock", "clock", c.clock, protocol.Clocks)
	for _, m := range c.methods {
		errs.Name("--clock-sync", "clock synchronisation", m, protocol.ClockSyncs)
	}
	for i, s := range c.seconds {
		errs.Check(s > 0 && s <= longestWait && (i == 0 || s > c.seconds[i-1]),
			"--seconds", "%v must be above 0, at most %d, and ascending", c.seconds, longestWait)
	}
	if len(errs) > 0 {
		return setup(errs[0])
	}
	return nil
}

func (c *clocksRun) run(ctx context.Context) error {
	if err := c.check(); err != nil {
		return err
	}
	path, err := launch.FindRank(c.rank)
	if err != nil {
		return setup(err)
	}
	info, err := launch.Probe(path)
	if err != nil {
		return setup(err)
	}
	var found []report.Clocks
	worked := false
	job := measure.JobConfig{NP: c.np, Shapes: c.shapes}
	for _, shape := range job.On(job.NPOr(launch.DefaultNP)) {
		var r report.Clocks
		if r, err = c.examine(ctx, info, path, shape); err != nil {
			break
		}
		found = append(found, r)
		worked = worked || slices.ContainsFunc(r.Syncs, func(s protocol.ClockSync) bool { return s.Failed == "" })
	}
	if len(found) > 0 {
		err = cmp.Or(err, show(report.ClockLists.Document(&found), c.format.printed()))
	}
	if err == nil && !worked {
		err = errors.New("no clock synchronisation worked here; see the reasons above")
	}
	return err
}

func (c *clocksRun) examine(ctx context.Context, info protocol.RankInfo, path string, shape guidelines.Shape) (report.Clocks, error) {
	argv, err := launch.Launch(launch.Config{Words: strings.Fields(c.launch)}, info, shape)
	if err != nil {
		return report.Clocks{}, setup(err)
	}
	argv = launch.RankArgv(argv, path, shape)
	wait := slices.Max(append([]float64{0}, c.seconds...))
	warn("%s: methods to examine: %d; each synchronises (up to seconds) and is then watched for %v s\n", shape, len(c.methods), wait)
	start := time.Now()
	progress := func(i, of int, method string) {
		warn("%4.0f s  %s (%d of %d)\n", time.Since(start).Seconds(), method, i+1, of)
	}
	out, err := measure.ExamineClocks(ctx, argv, shape, c.clock, &protocol.ClocksJob{Methods: c.methods, Seconds: c.seconds}, progress)
	var failed *measure.Error
	switch {
	case err == nil:
		host, _ := os.Hostname()
		return report.Clocks{Shape: shape.String(), NP: shape.NP, Clock: c.clock, Clocks: out.End.Clocks, Syncs: out.Syncs, Host: host}, nil
	case ctx.Err() != nil:
		return report.Clocks{}, &campaign.Interrupted{}
	case errors.As(err, &failed) && !failed.Started:
		return report.Clocks{}, setup(err)
	}
	return report.Clocks{}, err
}
