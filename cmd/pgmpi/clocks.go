package main

import (
	"cmp"
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"pgmpi/analyze/report"
	"pgmpi/guidelines"
	"pgmpi/internal/conf"
	"pgmpi/internal/fail"
	"pgmpi/measure"
	"pgmpi/measure/launch"
	"pgmpi/measure/protocol"
)

func clocksCommand() *cobra.Command {
	x := &clocksRun{}
	c := &cobra.Command{
		Use:   "clocks",
		Short: "examine clocks and their synchronisation on this machine",
		Long: `Shows the clocks that can time a repetition, with their resolution and cost, and
for every method of clock synchronisation how far the ranks' global clocks are
from rank 0's right after it and some seconds later, how long it takes, and how
many rounds and messages. One mpirun for every number of processes and every
shape. Nothing is written to disk. docs/clocks.md explains the methods.

With --barrier it shows instead when each rank leaves MPI_Barrier, which other
benchmarks synchronise with: the ranks enter it at the same time on the global
clock, and each stamps when it leaves, 1000 times (--calls). --rank takes the
rank programs of several libraries, which are then shown one after the other.`,
		RunE: func(c *cobra.Command, _ []string) error {
			switch {
			case c.Flags().Changed("calls") && !x.barrier:
				return fail.Setupf("--calls goes with --barrier")
			case c.Flags().Changed("seconds") && x.barrier:
				return fail.Setupf("--seconds does not go with --barrier")
			}
			return x.run(c.Context())
		},
	}
	fs := c.Flags()
	fs.IntSliceVar(&x.np, "np", nil, "numbers of processes, a comma `LIST` (default: the processes of the batch job, else the cores)")
	fs.StringSliceVar(&x.shapes, "shape", nil, "shapes nodes × processes per node, a comma `LIST`: 2x1,1x2,16x32")
	fs.StringSliceVar(&x.ranks, "rank", nil, "the rank program, or those of several libraries, a comma `LIST` of files (default: as for check)")
	fs.StringVar(&x.launch, "launch", "", "the launcher, a `TEXT` that is split at spaces: \"mpirun.mpich -np {np}\" (default: what comes with the rank program's library)")
	fs.StringVar(&x.clock, "clock", measure.Default().Clock, "the `CLOCK`: "+strings.Join(protocol.Clocks, ", "))
	fs.StringSliceVar(&x.methods, "clock-sync", nil, "methods, a comma `LIST` (default: shared, skampi, netgauge, jk, hca, hca2, hca3 and hca3+shared; with --barrier one: shared on one host, else hca3+shared)")
	fs.Float64SliceVar(&x.seconds, "seconds", []float64{1, 5, 10}, "when the clocks are compared, a comma `LIST` of seconds after a synchronisation")
	fs.Lookup("seconds").DefValue = "1,5,10" // as it is to be typed
	fs.BoolVar(&x.barrier, "barrier", false, "when each rank leaves MPI_Barrier, instead of methods of synchronisation")
	fs.IntVar(&x.calls, "calls", barrierCalls, "with --barrier, how many barriers to stamp, a `NUMBER`")
	x.format = oneFormat(fs, report.ClockLists)
	return c
}

// clocksRun is one call of `pgmpi clocks`.
type clocksRun struct {
	np      []int
	shapes  []string
	ranks   []string
	launch  string
	clock   string
	methods []string
	seconds []float64
	barrier bool
	calls   int
	format  *formatFlag
}

// How many barriers --barrier stamps: as many as S-REVISITED, Fig. 10, and at most.
const (
	barrierCalls     = 1000
	mostBarrierCalls = 1_000_000
)

// longestWait keeps a slip of the keyboard from waiting for days.
const longestWait = 3600

func (c *clocksRun) check() error {
	if len(c.methods) == 0 && !c.barrier {
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
	errs.Check(len(c.ranks) <= 1 || c.launch == "", "--launch", "is for one library, and --rank names %d: leave it out", len(c.ranks))
	errs.Check(!c.barrier || len(c.methods) <= 1, "--clock-sync", "names %d methods: --barrier uses one", len(c.methods))
	errs.Check(!c.barrier || c.calls >= 1 && c.calls <= mostBarrierCalls, "--calls", "%d is not 1 to %d", c.calls, mostBarrierCalls)
	for i, s := range c.seconds {
		errs.Check(s > 0 && s <= longestWait && (i == 0 || s > c.seconds[i-1]),
			"--seconds", "%v must be above 0, at most %d, and ascending", c.seconds, longestWait)
	}
	if len(errs) > 0 {
		return fail.AsSetup(errs[0])
	}
	return nil
}

func (c *clocksRun) run(ctx context.Context) error {
	if err := c.check(); err != nil {
		return err
	}
	if len(c.ranks) == 0 {
		c.ranks = []string{""}
	}
	programs, err := c.programs()
	if err != nil {
		return err
	}
	var found []report.Clocks
	var exits []report.BarrierExits
	var failed error
	job := measure.JobConfig{NP: c.np, Shapes: c.shapes}
	for _, p := range programs {
		for _, shape := range job.On(job.NPOr(launch.DefaultNP)) {
			out, err := c.examine(ctx, p, shape)
			if err != nil {
				failed = cmp.Or(failed, err)
				break
			}
			if c.barrier {
				exits = append(exits, c.exitsOf(p.Info, shape, out))
			} else {
				found = append(found, c.clocksOf(shape, out))
			}
		}
	}
	return cmp.Or(failed, c.show(found, exits))
}

// programs finds all rank programs before the first is started; "" is the usual one.
func (c *clocksRun) programs() (all []*measure.Outside, err error) {
	for _, rank := range c.ranks {
		mpi := measure.DefaultMPI()
		mpi.Rank, mpi.Launch = rank, strings.Fields(c.launch)
		ranks, err := measure.FindRanks(mpi, nil)
		if err != nil {
			return nil, fail.AsSetup(err)
		}
		all = append(all, ranks)
	}
	return all, nil
}

func (c *clocksRun) examine(ctx context.Context, ranks *measure.Outside, shape guidelines.Shape) (*protocol.Output, error) {
	what := &protocol.ClocksJob{Clock: c.clock, Methods: c.methods, Seconds: c.seconds}
	stall := time.Duration(measure.Default().Stall)
	if c.barrier {
		what.Seconds, what.Barriers = nil, c.calls
		warn("%s: barriers to stamp: %d\n", shape, c.calls)
	} else {
		wait := slices.Max(append([]float64{0}, c.seconds...))
		stall += time.Duration(wait * 1e9)
		warn("%s: methods to examine: %d; each synchronises (up to seconds) and is then watched for %v s\n", shape, len(c.methods), wait)
	}
	start := time.Now()
	progress := func(i, of int, method string) {
		warn("%4.0f s  %s (%d of %d)\n", time.Since(start).Seconds(), method, i+1, of)
	}
	out, err := ranks.Do(ctx, shape, nil, &protocol.Job{StallNS: int64(stall), Clocks: what}, progress)
	var failed *measure.Error
	switch {
	case err == nil && c.barrier && (out.End.Barriers == nil || len(out.Exits) != shape.NP):
		return nil, errors.New("the ranks sent no exits of MPI_Barrier: build pgmpi and the rank program again with `make build`")
	case err == nil:
		return out, nil
	case ctx.Err() != nil:
		return nil, &fail.Interrupted{}
	case !errors.As(err, &failed) || !failed.Started:
		return nil, fail.AsSetup(err)
	}
	return nil, err
}

func (c *clocksRun) clocksOf(shape guidelines.Shape, out *protocol.Output) report.Clocks {
	host, _ := os.Hostname()
	return report.Clocks{Shape: shape.String(), NP: shape.NP, Clock: c.clock, Clocks: out.End.Clocks, Syncs: out.Syncs, Host: host}
}

func (c *clocksRun) exitsOf(info protocol.RankInfo, shape guidelines.Shape, out *protocol.Output) report.BarrierExits {
	host, _ := os.Hostname()
	x := report.BarrierExits{Shape: shape.String(), NP: shape.NP, Library: info.LibVersion, Clock: c.clock, Barriers: *out.End.Barriers, Ranks: out.Exits, Host: host}
	if out.End.Clock != nil {
		x.ClockTickNS = out.End.Clock.TickNS
	}
	return x
}

// show prints what was found, and returns an error where no method worked.
func (c *clocksRun) show(found []report.Clocks, exits []report.BarrierExits) error {
	if len(exits) > 0 {
		return show(report.BarrierLists.Document(&exits), c.format.printed())
	}
	if len(found) == 0 {
		return nil
	}
	if err := show(report.ClockLists.Document(&found), c.format.printed()); err != nil {
		return err
	}
	for _, r := range found {
		if slices.ContainsFunc(r.Syncs, func(s protocol.ClockSync) bool { return s.Failed == "" }) {
			return nil
		}
	}
	return errors.New("no clock synchronisation worked here; see the reasons above")
}
