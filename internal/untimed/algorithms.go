package untimed

import (
	"context"

	"pgmpi/analyze/report"
	"pgmpi/internal/conf/glfile"
	"pgmpi/measure"
	"pgmpi/measure/launch"
	"pgmpi/measure/protocol"
)

// ReadAlgorithms asks the library in an mpirun of its own; start is measure.Exec by default.
func ReadAlgorithms(ctx context.Context, config *glfile.File, start measure.Starter) (*report.Algorithms, error) {
	o, err := NewOnce(config, start)
	if err != nil {
		return nil, err
	}
	env := measure.Env(launch.AlgorithmEnv(o.ranks.Info.Library), config.MPI.Env)
	out, err := o.ask(ctx, o.shapes()[0], env, &protocol.Job{StallNS: int64(measure.Default().Stall), Algorithms: &protocol.AlgorithmsJob{}})
	if err != nil {
		return nil, err
	}
	return &report.Algorithms{Schema: report.AlgorithmsSchema, Library: o.ranks.Info.LibVersion, Collectives: out.End.Algorithms.Collectives}, nil
}
