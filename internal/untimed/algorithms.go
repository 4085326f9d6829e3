package untimed

import (
	"context"

	"pgmpi/analyze/report"
	"pgmpi/internal/conf/glfile"
	"pgmpi/internal/fail"
	"pgmpi/measure"
	"pgmpi/measure/launch"
)

// ReadAlgorithms asks the library in an mpirun of its own; no Starter is measure.Exec.
func ReadAlgorithms(ctx context.Context, config *glfile.File, start measure.Starter) (*report.Algorithms, error) {
	path, err := launch.FindRank(config.MPI.Rank)
	if err != nil {
		return nil, fail.AsSetup(err)
	}
	info, err := launch.Probe(path)
	if err != nil {
		return nil, fail.AsSetup(err)
	}
	shape := config.Job.On(config.Job.NPOr(launch.DefaultNP))[0]
	words, err := launch.Launch(config.MPI.Launcher(), info, shape)
	if err != nil {
		return nil, fail.AsSetup(err)
	}
	list, err := measure.Algorithms(ctx, start, launch.RankArgv(words, path, shape), shape.NP, config.MPI, info.Library)
	switch {
	case ctx.Err() != nil:
		return nil, &fail.Interrupted{}
	case err != nil:
		return nil, fail.AsSetup(err)
	}
	return &report.Algorithms{Schema: report.AlgorithmsSchema, Library: info.LibVersion, Collectives: list}, nil
}
