package measure

import (
	"context"
	"maps"
	"slices"
	"time"

	"pgmpi/guidelines"
	"pgmpi/measure/host"
	"pgmpi/measure/protocol"
)

// RunJob does a job in one mpirun: argv is the launcher with the rank program
// and its arguments. Nothing is stored; `make bench` measures so.
func RunJob(ctx context.Context, argv []string, job *protocol.Job) (*protocol.Output, error) {
	return newMpirun(nil, argv, nil, limitsFor(DefaultMPI(), job.NP, time.Duration(job.StallNS))).run(ctx, job)
}

// ExamineClocks does one mpirun that examines a clock and methods of clock
// synchronisation on a shape. progress gets the method that is being examined, and which of
// how many it is, from 0. A failure of the mpirun is an *Error.
func ExamineClocks(ctx context.Context, argv []string, shape guidelines.Shape, clock string, what *protocol.ClocksJob,
	progress func(i, of int, method string)) (*protocol.Output, error) {
	longest := slices.Max(append([]float64{0}, what.Seconds...))
	stall := time.Duration(Default().Stall) + time.Duration(longest*1e9)
	job := &protocol.Job{Mode: protocol.ModeClocks, NP: shape.NP, Clock: clock, StallNS: int64(stall), Clocks: what}
	if shape.Nodes > 0 {
		job.Place = shape.String()
	}
	m := newMpirun(nil, argv, nil, limitsFor(DefaultMPI(), shape.NP, stall))
	m.progress = progress
	return m.run(ctx, job)
}

// Do does a job that times nothing in one mpirun under an environment beside mpi.env.
// progress, or nil, hears what the ranks say of how far they are. A failure of the mpirun is
// an *Error.
func Do(ctx context.Context, start Starter, argv []string, mpi MPIConfig, env map[string]string, job *protocol.Job,
	progress func(done, total int, name string)) (*protocol.Output, error) {
	all := maps.Clone(mpi.Env)
	if all == nil {
		all = map[string]string{}
	}
	maps.Copy(all, env)
	m := newMpirun(start, argv, all, limitsFor(mpi, job.NP, time.Duration(job.StallNS)))
	m.progress = progress
	return m.run(ctx, job)
}

// ProbeNodes does one mpirun of a shape that measures nothing, and returns where its
// ranks run and on what.
func ProbeNodes(ctx context.Context, argv []string, shape guidelines.Shape, mpi MPIConfig, stall time.Duration) (*host.Layout, error) {
	out, err := newMpirun(nil, argv, mpi.Env, limitsFor(mpi, shape.NP, stall)).run(ctx, &protocol.Job{Mode: protocol.ModeEnv, NP: shape.NP, Layout: true})
	if err != nil {
		return nil, err
	}
	if out.Layout == nil {
		return nil, &Error{Argv: argv, What: "the ranks said nothing of their nodes", Started: true,
			Remedy: "build pgmpi and the rank program again with `make build`"}
	}
	out.Layout.Shape, out.Layout.Command = shape.String(), argv
	return out.Layout, nil
}
