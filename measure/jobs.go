package measure

import (
	"context"
	"maps"
	"time"

	"pgmpi/guidelines"
	"pgmpi/measure/launch"
	"pgmpi/measure/protocol"
)

// Outside does jobs outside of any results folder, each in an mpirun of its own. Nothing is
// stored.
type Outside struct {
	MPI   MPIConfig
	Start Starter           // Exec if nil
	Path  string            // of the rank program
	Info  protocol.RankInfo // of the rank program
}

// FindRanks finds the rank program of a configuration, and asks it what it is.
func FindRanks(mpi MPIConfig, start Starter) (o *Outside, err error) {
	if mpi, err = mpi.Installed(); err != nil {
		return nil, err
	}
	o = &Outside{MPI: mpi, Start: start}
	if o.Path, err = launch.FindRank(mpi.Rank); err == nil {
		o.Info, err = launch.Probe(o.Path, mpi.Env[launch.LibraryPath])
	}
	return o, err
}

// Do does a job on a shape, under an environment beside mpi.env. progress may be nil.
// A failure of the mpirun is an *Error.
func (o *Outside) Do(ctx context.Context, shape guidelines.Shape, env map[string]string, job *protocol.Job,
	progress func(done, total int, name string)) (*protocol.Output, error) {
	words, err := launch.Launch(o.MPI.Launcher(), o.Info, shape)
	if err != nil {
		return nil, err
	}
	if job.NP = shape.NP; shape.Nodes > 0 {
		job.Place = shape.String()
	}
	argv := launch.RankArgv(words, o.Path, shape, o.MPI.RankArgs()...)
	m := newMpirun(o.Start, argv, Env(o.MPI.Env, env), limitsFor(o.MPI, shape.NP, time.Duration(job.StallNS)))
	m.progress = progress
	out, err := m.run(ctx, job)
	if err == nil && out.Layout != nil {
		out.Layout.Shape, out.Layout.Command = shape.String(), argv
	}
	return out, err
}

// Env joins variables of the environment; later ones win.
func Env(sets ...map[string]string) map[string]string {
	all := map[string]string{}
	for _, set := range sets {
		maps.Copy(all, set)
	}
	return all
}
