package measure

import (
	"context"
	"time"

	"pgmpi/measure/launch"
	"pgmpi/measure/protocol"
)

// Examination is one mpirun that examines clocks and their synchronisation.
type Examination struct {
	NP       int
	Launch   []string // with "{np}"
	RankPath string
	Env      map[string]string // for the ranks
	Clock    string
	Job      protocol.ClocksJob
	// Progress gets the method that is in work, and which of how many it is, from 0.
	Progress func(i, of int, method string)
}

// ExamineClocks starts the mpirun and returns what the ranks found. A failure of
// the mpirun is an *Error.
func ExamineClocks(ctx context.Context, e Examination) (*protocol.Output, error) {
	stall := time.Duration(Default().Stall)
	for _, s := range e.Job.Seconds {
		stall = max(stall, time.Duration(Default().Stall)+time.Duration(s*1e9))
	}
	m := &mpirun{
		argv: launch.RankArgv(e.Launch, e.RankPath, e.NP),
		env:  environment(e.Env),
		job: &protocol.Job{Mode: protocol.ModeClocks, NP: e.NP, PPN: e.NP, Clock: e.Clock,
			StallNS: int64(stall), Clocks: &e.Job},
		stall:    stall,
		progress: e.Progress,
	}
	return m.run(ctx)
}
