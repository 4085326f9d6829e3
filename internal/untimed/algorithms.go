package untimed

import (
	"context"
	"maps"

	"pgmpi/analyze/report"
	"pgmpi/internal/conf/glfile"
	"pgmpi/internal/fail"
	"pgmpi/measure"
	"pgmpi/measure/launch"
	"pgmpi/measure/protocol"
)

// ReadAlgorithms asks the library in an mpirun of its own; no Starter is measure.Exec.
func ReadAlgorithms(ctx context.Context, config *glfile.File, start measure.Starter) (*report.Algorithms, error) {
	o, err := NewOnce(config, start)
	if err != nil {
		return nil, err
	}
	env := maps.Clone(launch.AlgorithmEnv(o.info.Library))
	maps.DeleteFunc(env, func(name, _ string) bool { _, own := config.MPI.Env[name]; return own })
	job := &protocol.Job{Mode: protocol.ModeAlgorithms, StallNS: int64(measure.Default().Stall)}
	out, err := o.do(ctx, o.shapes()[0], env, job, nil)
	switch {
	case ctx.Err() != nil:
		return nil, &fail.Interrupted{}
	case err != nil:
		return nil, fail.AsSetup(err)
	}
	return &report.Algorithms{Schema: report.AlgorithmsSchema, Library: o.info.LibVersion, Collectives: out.End.Algorithms}, nil
}
