package untimed

import (
	"context"

	"pgmpi/guidelines"
	"pgmpi/internal/conf/glfile"
	"pgmpi/internal/fail"
	"pgmpi/measure"
	"pgmpi/measure/launch"
	"pgmpi/measure/protocol"
)

// Once does untimed jobs, each in an mpirun of its own, outside of any results folder.
type Once struct {
	config *glfile.File
	start  measure.Starter // by default measure.Exec
	path   string          // of the rank program
	info   protocol.RankInfo
}

func NewOnce(config *glfile.File, start measure.Starter) (*Once, error) {
	path, err := launch.FindRank(config.MPI.Rank)
	if err != nil {
		return nil, fail.AsSetup(err)
	}
	info, err := launch.Probe(path)
	if err != nil {
		return nil, fail.AsSetup(err)
	}
	return OnceWith(config, start, path, info), nil
}

// OnceWith takes a rank program that has been found and probed already.
func OnceWith(config *glfile.File, start measure.Starter, path string, info protocol.RankInfo) *Once {
	return &Once{config, start, path, info}
}

func (o *Once) shapes() []guidelines.Shape {
	return o.config.Job.On(o.config.Job.NPOr(launch.DefaultNP))
}

// do does a job on a shape, under an environment beside mpi.env. If the mpirun fails, the error
// is a *measure.Error.
func (o *Once) do(ctx context.Context, shape guidelines.Shape, env map[string]string, job *protocol.Job,
	progress func(done, total int, name string)) (*protocol.Output, error) {
	words, err := launch.Launch(o.config.MPI.Launcher(), o.info, shape)
	if err != nil {
		return nil, fail.AsSetup(err)
	}
	job.NP = shape.NP
	if shape.Nodes > 0 {
		job.Place = shape.String()
	}
	argv := launch.RankArgv(words, o.path, shape, o.config.MPI.RankArgs()...)
	return measure.Do(ctx, o.start, argv, o.config.MPI, env, job, progress)
}
