package clocks

import (
	"cmp"
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"time"

	"pgmpi/guidelines"
	"pgmpi/internal/conf"
	"pgmpi/internal/fail"
	"pgmpi/measure"
	"pgmpi/measure/launch"
	"pgmpi/measure/protocol"
)

// examination asks how well clocks are synchronised, or when ranks leave MPI_Barrier.
type examination struct {
	Job      measure.JobConfig // np and shapes
	Ranks    []string          // rank programs, of several libraries; the usual one if empty
	Launch   string            // the launcher of a single library; what comes with it if ""
	Clock    string
	Methods  []string
	Seconds  []float64 // after a synchronisation, when the clocks are compared
	Barriers *int      // how many to stamp; nil examines the methods
	Tell     func(format string, args ...any)
}

// What may be asked for.
const (
	mostBarriers = 1_000_000
	longestWait  = 3600 // keeps a typing error from waiting for days
)

// Check names the flag of `pgmpi clocks` that is wrong, and chooses methods where none is named.
func (x *examination) Check() error {
	var errs conf.FieldErrors
	for _, np := range x.Job.NP {
		errs.Check(np > 0, "--np", "%d is no number of processes", np)
	}
	for _, text := range x.Job.Shapes {
		_, err := guidelines.ParseShape(text)
		errs.Check(err == nil, "--shape", "%v", err)
	}
	errs.Name("--clock", "clock", x.Clock, protocol.Clocks)
	for _, m := range x.Methods {
		errs.Name("--clock-sync", "clock synchronisation", m, protocol.ClockSyncs)
	}
	errs.Check(len(x.Ranks) <= 1 || x.Launch == "", "--launch", "is for one library, and --rank names %d: leave it out", len(x.Ranks))
	errs.Check(x.Barriers == nil || len(x.Methods) <= 1, "--clock-sync", "names %d methods: --barrier uses one", len(x.Methods))
	if n := x.Barriers; n != nil {
		errs.Check(*n >= 1 && *n <= mostBarriers, "--calls", "%d is not 1 to %d", *n, mostBarriers)
	}
	for i, s := range x.Seconds {
		errs.Check(s > 0 && s <= longestWait && (i == 0 || s > x.Seconds[i-1]),
			"--seconds", "%v must be above 0, at most %d, and ascending", x.Seconds, longestWait)
	}
	if len(errs) > 0 {
		return fail.AsSetup(errs[0])
	}
	if len(x.Methods) == 0 && x.Barriers == nil {
		// One method of two levels stands for all of them.
		x.Methods = slices.DeleteFunc(slices.Clone(protocol.ClockSyncs), func(m string) bool {
			return strings.Contains(m, "+") && m != "hca3+shared"
		})
	}
	return nil
}

// Do starts an mpirun for each rank program and shape, and returns what is found as far as it gets.
func (x *examination) Do(ctx context.Context) (found []Clocks, exits []BarrierExits, failed error) {
	programs, err := x.programs()
	if err != nil {
		return nil, nil, err
	}
	host, _ := os.Hostname()
	for _, p := range programs {
		for _, shape := range x.Job.On(x.Job.NPOr(launch.DefaultNP)) {
			out, err := x.on(ctx, p, shape)
			if err != nil {
				failed = cmp.Or(failed, err)
				break
			}
			if x.Barriers == nil {
				found = append(found, Clocks{Shape: shape.String(), NP: shape.NP, Clock: x.Clock, Clocks: out.End.Clocks, Syncs: out.Syncs, Host: host})
				continue
			}
			e := BarrierExits{Shape: shape.String(), NP: shape.NP, Library: p.Info.LibVersion, Clock: x.Clock,
				Barriers: *out.End.Barriers, Ranks: out.Exits, Host: host}
			if out.End.Clock != nil {
				e.ClockTickNS = out.End.Clock.TickNS
			}
			exits = append(exits, e)
		}
	}
	return found, exits, failed
}

func (x *examination) programs() (all []*measure.Outside, err error) {
	ranks := x.Ranks
	if len(ranks) == 0 {
		ranks = []string{""}
	}
	for _, rank := range ranks {
		mpi := measure.DefaultMPI()
		mpi.Rank, mpi.Launch = rank, strings.Fields(x.Launch)
		found, err := measure.FindRanks(mpi, nil)
		if err != nil {
			return nil, fail.AsSetup(err)
		}
		all = append(all, found)
	}
	return all, nil
}

func (x *examination) on(ctx context.Context, ranks *measure.Outside, shape guidelines.Shape) (*protocol.Output, error) {
	what := &protocol.ClocksJob{Clock: x.Clock, Methods: x.Methods}
	stall := time.Duration(measure.Default().Stall)
	if x.Barriers != nil {
		what.Barriers = *x.Barriers
		x.Tell("%s: barriers to stamp: %d\n", shape, *x.Barriers)
	} else {
		what.Seconds = x.Seconds
		wait := slices.Max(append([]float64{0}, x.Seconds...))
		stall += time.Duration(wait * 1e9)
		x.Tell("%s: methods to examine: %d; each synchronises (up to seconds) and is then watched for %v s\n", shape, len(x.Methods), wait)
	}
	start := time.Now()
	progress := func(i, of int, method string) {
		x.Tell("%4.0f s  %s (%d of %d)\n", time.Since(start).Seconds(), method, i+1, of)
	}
	out, err := ranks.Do(ctx, shape, nil, &protocol.Job{StallNS: int64(stall), Clocks: what}, progress)
	var failed *measure.Error
	switch {
	case err == nil && x.Barriers != nil && (out.End.Barriers == nil || len(out.Exits) != shape.NP):
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
