package measure

import (
	"context"
	"time"

	"pgmpi/guidelines"
	"pgmpi/measure/host"
	"pgmpi/measure/launch"
	"pgmpi/measure/protocol"
	"pgmpi/measure/results"
)

// seeFactors keeps where the first mpirun of a shape in this process ran, and,
// after a --resume, only what differs from what is known.
func (s *Session) seeFactors(r *results.Run, l *host.Layout, argv []string) {
	if l == nil {
		return
	}
	if s.seen == nil {
		s.seen = map[guidelines.Shape]bool{}
	}
	s.seen[r.Shape] = true
	l.Shape, l.Since, l.Command = r.Shape.String(), results.RawName(r.Mode, r.Shape, r.Run), argv
	s.Manifest.Factors.Add(*l)
}

// ProbeNodes does one mpirun that measures nothing, and returns where its ranks run
// and on what. launcher is the launcher's argument list, with "{np}".
func ProbeNodes(ctx context.Context, launcher []string, rankPath string, np int, env map[string]string, stall time.Duration) (*host.Layout, error) {
	m := &mpirun{
		argv:     launch.RankArgv(launcher, rankPath, np),
		env:      environment(env),
		job:      &protocol.Job{Mode: protocol.ModeEnv, NP: np, PPN: np, Layout: true},
		stall:    stall,
		progress: func(int, int, string) {},
	}
	out, err := m.run(ctx)
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
