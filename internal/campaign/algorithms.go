package campaign

import (
	"context"

	"pgmpi/internal/conf/glfile"
	"pgmpi/measure"
	"pgmpi/measure/launch"
)

// ReadAlgorithms asks the library in an mpirun of its own; no Starter is measure.Exec.
func ReadAlgorithms(ctx context.Context, config *glfile.File, start measure.Starter) (*Algorithms, error) {
	path, err := launch.FindRank(config.MPI.Rank)
	if err != nil {
		return nil, setup(err)
	}
	info, err := launch.Probe(path)
	if err != nil {
		return nil, setup(err)
	}
	shape := config.Job.On(config.Job.NPOr(launch.DefaultNP))[0]
	words, err := launch.Launch(config.MPI.Launcher(), info, shape)
	if err != nil {
		return nil, setup(err)
	}
	list, err := measure.Algorithms(ctx, start, launch.RankArgv(words, path, shape), shape.NP, config.MPI, info.Library)
	switch {
	case ctx.Err() != nil:
		return nil, &Interrupted{}
	case err != nil:
		return nil, setup(err)
	}
	return &Algorithms{algorithmsSchema, info.LibVersion, list}, nil
}
