package measure

import (
	"context"
	"time"

	"pgmpi/measure/protocol"
)

// RunJob does a job in one mpirun: argv is the launcher with the rank program
// and its arguments. Nothing is stored; `make bench` measures so.
func RunJob(ctx context.Context, argv []string, job *protocol.Job) (*protocol.Output, error) {
	m := &mpirun{argv: argv, env: environment(nil), job: job, stall: time.Duration(job.StallNS),
		progress: func(int, int, string) {}}
	return m.run(ctx)
}
