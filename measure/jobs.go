package measure

import (
	"context"
	"time"

	"pgmpi/guidelines"
	"pgmpi/measure/host"
	"pgmpi/measure/launch"
	"pgmpi/measure/protocol"
)

// RunJob does a job in one mpirun: argv is the launcher with the rank program
// and its arguments. Nothing is stored; `make bench` measures so.
func RunJob(ctx context.Context, argv []string, job *protocol.Job) (*protocol.Output, error) {
	return newMpirun(nil, argv, nil, time.Duration(job.StallNS)).run(ctx, job, nil)
}

// Examination is one mpirun that examines clocks and their synchronisation.
type Examination struct {
	NP       int
	Launch   []string // with "{np}"
	RankPath string
	Env      map[string]string // for the ranks
	Clock    string
	Job      protocol.ClocksJob
	// Progress gets the method that is being examined, and which of how many it is, from 0.
	Progress func(i, of int, method string)
}

// ExamineClocks starts the mpirun and returns what the ranks found. A failure of
// the mpirun is an *Error.
func ExamineClocks(ctx context.Context, e Examination) (*protocol.Output, error) {
	stall := time.Duration(Default().Stall)
	for _, s := range e.Job.Seconds {
		stall = max(stall, time.Duration(Default().Stall)+time.Duration(s*1e9))
	}
	job := &protocol.Job{Mode: protocol.ModeClocks, NP: e.NP, PPN: e.NP, Clock: e.Clock, StallNS: int64(stall), Clocks: &e.Job}
	return newMpirun(nil, launch.RankArgv(e.Launch, e.RankPath, e.NP), e.Env, stall).run(ctx, job, e.Progress)
}

// ProbeNodes does one mpirun that measures nothing, and returns where its ranks run
// and on what. launcher is the launcher's argument list, with "{np}".
func ProbeNodes(ctx context.Context, launcher []string, rankPath string, np int, env map[string]string, stall time.Duration) (*host.Layout, error) {
	m := newMpirun(nil, launch.RankArgv(launcher, rankPath, np), env, stall)
	out, err := m.run(ctx, &protocol.Job{Mode: protocol.ModeEnv, NP: np, PPN: np, Layout: true}, nil)
	if err != nil {
		return nil, err
	}
	if out.Layout == nil {
		return nil, &Error{Argv: m.argv, What: "the ranks said nothing of their nodes", Started: true,
			Remedy: "build pgmpi and the rank program again with `make build`"}
	}
	out.Layout.Shape, out.Layout.Command = guidelines.Shape{NP: np}.String(), m.argv
	return out.Layout, nil
}
