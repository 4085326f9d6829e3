package run

import (
	"context"
	"errors"
	"slices"
	"time"

	"pgmpi/internal/lists"
	"pgmpi/measure"
	"pgmpi/measure/protocol"
	"pgmpi/measure/results"
)

// A stage with With is measured in mpiruns of that mode, after their own samples are sent: each question
// has samples of its own, and no start of its own. What rides after a look was chosen by the mpiruns
// before the look, so that no mpirun both chooses a question and answers it.

type riding struct {
	planned map[protocol.Mode]bool // stages whose plan is fixed
	counted map[string]bool        // raw files of riders whose time is counted
	apart   bool                   // one has failed: each gets mpiruns of its own
}

func newRiding() riding {
	return riding{planned: map[protocol.Mode]bool{}, counted: map[string]bool{}}
}

// carries returns the stages that may ride in mpirun `run` of a mode, and how many mpiruns came before
// the first that carries. There are none in stage 2 before its first look is over.
func (c *Campaign) carries(mode protocol.Mode, run int) (stages []Stage, before int) {
	m := &c.Config.Measure
	if c.riding.apart || len(c.beside) > 0 || m.Fresh || m.Cache != protocol.CacheWarm {
		return nil, 0
	}
	if mode == protocol.ModeMeasure {
		if len(c.Manifest.Looks) < 2 || run <= c.Manifest.Looks[0] {
			return nil, 0
		}
		before = c.Manifest.Looks[0]
	}
	return lists.Keep(c.Stages, func(s Stage) bool { return s.With == mode && (s.Wanted == nil || s.Wanted(c)) }), before
}

// riders returns what rides in the next mpirun of a task.
func (c *Campaign) riders(t measure.Task, last int) (riders []measure.Task, err error) {
	stages, before := c.carries(t.Mode, t.Run)
	if len(stages) == 0 || c.Folder().Has(t.Mode, t.Shape, t.Run) || !c.timeToCarry(last-t.Run+1) {
		return nil, nil
	}
	for _, s := range stages {
		if !c.riding.planned[s.Mode] {
			c.riding.planned[s.Mode] = true
			runs := c.Manifest.R
			if before > 0 {
				runs = before
			}
			if err := c.fixAfter(s, runs); err != nil {
				return nil, err
			}
		}
		r := measure.Task{Mode: s.Mode, Shape: t.Shape, Run: t.Run - before, Cases: c.cases(s.Mode, t.Shape)}
		if len(r.Cases) > 0 && r.Run <= c.Manifest.Runs(s.Mode) && !c.Folder().Has(r.Mode, r.Shape, r.Run) {
			riders = append(riders, r)
		}
	}
	return riders, nil
}

// timeToCarry tells whether riders leave time for the mpiruns of the stage that carries them.
func (c *Campaign) timeToCarry(runs int) bool {
	var each time.Duration
	for _, last := range c.last {
		each += 2 * last // a rider may take as long as what carries it
	}
	needs := time.Duration(runs) * each
	limit := time.Duration(c.Config.Job.MaxTime)
	return (limit == 0 || c.spent+needs <= limit) && (c.Job.Ends.IsZero() || needs <= time.Until(c.Job.Ends))
}

// rode takes in what has ridden in the last mpirun. After a failure nothing rides any more: what failed
// is tried again in mpiruns of its own, where its fault is told.
func (c *Campaign) rode(ctx context.Context, t measure.Task) error {
	for _, r := range c.session.Rode {
		c.clock(r)
	}
	fault := c.session.Fault
	if fault == nil || ctx.Err() != nil {
		return nil
	}
	c.riding.apart = true
	what := fault.Error()
	if e := (*measure.Error)(nil); errors.As(fault, &e) {
		what = e.What
	}
	failed := t.Riders[min(len(c.session.Rode), len(t.Riders)-1)]
	c.Manifest.Repeated(results.RawName(failed.Mode, failed.Shape, failed.Run), what)
	c.Say("the %s failed in an mpirun that had its other samples, and gets mpiruns of its own: %s",
		c.nameOf(failed.Mode), what)
	return c.Folder().WriteManifest(c.Manifest)
}

func (c *Campaign) nameOf(mode protocol.Mode) string {
	return c.Stages[slices.IndexFunc(c.Stages, func(s Stage) bool { return s.Mode == mode })].Name
}

// rodeBefore counts the time of what rode in an mpirun on disk.
func (c *Campaign) rodeBefore(t measure.Task) error {
	stages, before := c.carries(t.Mode, t.Run)
	for _, s := range stages {
		if run := t.Run - before; c.Folder().Has(s.Mode, t.Shape, run) {
			r, err := c.Folder().ReadRun(s.Mode, t.Shape, run, &c.Manifest.Plan)
			if err != nil {
				return err
			}
			if r.With != "" {
				c.clock(r)
			}
		}
	}
	return nil
}
