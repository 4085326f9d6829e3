package untimed

import (
	"context"

	"pgmpi/analyze/report"
	"pgmpi/internal/conf/glfile"
	"pgmpi/internal/fail"
	"pgmpi/measure"
	"pgmpi/measure/launch"
)

// ReadAlgorithms asks the library in an mpirun of its own; start is measure.Exec by default.
func ReadAlgorithms(ctx context.Context, config *glfile.File, start measure.Starter) (*report.Algorithms, error) {
	o, err := NewOnce(config, start)
	if err != nil {
		return nil, err
	}
	shape := o.shapes()[0]
	words, err := launch.Launch(config.MPI.Launcher(), o.info, shape)
	if err != nil {
		return nil, fail.AsSetup(err)
	}
	list, err := measure.Algorithms(ctx, start, launch.RankArgv(words, o.path, shape), shape.NP, config.MPI, o.info.Library)
	switch {
	case ctx.Err() != nil:
		return nil, &fail.Interrupted{}
	case err != nil:
		return nil, fail.AsSetup(err)
	}
	return &report.Algorithms{Schema: report.AlgorithmsSchema, Library: o.info.LibVersion, Collectives: list}, nil
}
