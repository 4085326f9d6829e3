package main

import (
	"context"
	"fmt"

	"pgmpi/analyze"
	"pgmpi/analyze/medians"
	"pgmpi/measure"
	"pgmpi/measure/protocol"
	"pgmpi/measure/results"
)

// measureAndFollowUp is stage 2 with its looks, then the experiment on
// split-robustness that its medians ask for.
func (c *opened) measureAndFollowUp(ctx context.Context, s *measure.Session) error {
	s.AtLook = func(run int) (map[int]bool, error) {
		collected, err := collect(s.Folder, s.Manifest, run)
		if err != nil {
			return nil, err
		}
		return analyze.Needed(s.Manifest, collected, c.config.Analyze, run)
	}
	if err := s.MeasureAll(ctx); err != nil {
		return err
	}
	c.sayStopped(protocol.ModeMeasure)
	if !c.config.Measure.SplitExperiment {
		return nil
	}
	if err := c.planFollowUps(s); err != nil {
		return err
	}
	if err := s.FollowUp(ctx); err != nil {
		return err
	}
	c.sayStopped(protocol.ModeSplit)
	return nil
}

// planFollowUps fixes the experiment when stage 2 has ended. What was planned
// stays so as soon as one of its mpiruns is there.
func (c *opened) planFollowUps(s *measure.Session) error {
	for _, shape := range s.Manifest.Plan.Shapes {
		runs, err := s.Folder.Finished(protocol.ModeSplit, shape)
		if err != nil || len(runs) > 0 {
			return err
		}
	}
	collected, err := collect(s.Folder, s.Manifest, s.Manifest.R)
	if err != nil {
		return err
	}
	if s.Manifest.Split, err = analyze.FollowUps(s.Manifest, collected, c.config.Analyze); err != nil {
		return err
	}
	return s.Folder.WriteManifest(s.Manifest)
}

// sayStopped tells that max_time has ended a stage.
func (c *opened) sayStopped(mode protocol.Mode) {
	n, ok := c.Manifest.Stopped[mode]
	if !ok {
		return
	}
	c.progress.clear()
	what := "stage 2"
	if mode == protocol.ModeSplit {
		what = "the split experiment"
	}
	fmt.Fprintf(stderr, "job.max_time = %v: %s ended after %d mpiruns\n", c.config.Job.MaxTime, what, n)
}

// collect reads the mpiruns of stage 2 up to the given one, and the split
// experiment, one raw file at a time.
func collect(folder *results.Folder, m *results.Manifest, upTo int) (*medians.Set, error) {
	c := medians.New(m)
	for _, mode := range []protocol.Mode{protocol.ModeMeasure, protocol.ModeSplit} {
		for _, shape := range m.Plan.Shapes {
			for r, err := range folder.Runs(mode, shape, &m.Plan) {
				if err == nil && mode == protocol.ModeMeasure && r.Run > upTo {
					break
				}
				if err == nil {
					err = c.Add(r)
				}
				if err != nil {
					return nil, err
				}
			}
		}
	}
	return c, nil
}
