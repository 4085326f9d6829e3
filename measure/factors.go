package measure

import (
	"context"
	"time"

	"pgmpi/guidelines"
	"pgmpi/measure/results"
)

// seeFactors keeps where the first mpirun of a shape in this process ran, and,
// after a --resume, only what differs from what is known.
func (s *Session) seeFactors(r *results.Run, l *results.Layout, argv []string) {
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

// Look does one mpirun that measures nothing, and returns where its ranks run
// and on what. launch is the launcher's argument list, with "{np}".
func Look(ctx context.Context, launch []string, rankPath string, np int, env map[string]string, stall time.Duration) (*results.Layout, error) {
	m := &mpirun{
		argv:     RankArgv(launch, rankPath, np),
		env:      environment(env),
		job:      &results.Job{Mode: results.ModeEnv, NP: np, PPN: np, Layout: true},
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
