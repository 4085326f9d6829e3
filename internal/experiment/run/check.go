package run

import (
	"context"
	"fmt"

	"pgmpi/analyze"
	"pgmpi/internal/conf"
	"pgmpi/internal/fail"
	"pgmpi/internal/reading"
	"pgmpi/measure/protocol"
	"pgmpi/measure/results"
)

// Predict is stage 1 (S-PGMPI §4.2): nrep.predictions mpiruns predict the
// repetitions of every case.
func (c *Campaign) Predict(ctx context.Context) error {
	c.plan(protocol.ModeNREP, c.predictions())
	return c.stage(ctx, protocol.ModeNREP, 1, c.predictions())
}

// Measure is stage 2 (S-REVISITED, Algorithm 5) after a Predict that may have
// been another process's: R mpiruns, each of which measures all cases of a
// shape in an order of its own.
func (c *Campaign) Measure(ctx context.Context) error {
	c.plan(protocol.ModeNREP, c.predictions())
	c.plan(protocol.ModeMeasure, c.Manifest.R)
	for _, shape := range c.Manifest.Plan.Shapes {
		for r, err := range c.Folder().Runs(protocol.ModeNREP, shape, &c.Manifest.Plan) {
			if err != nil {
				return &fail.Failed{Err: err}
			}
			c.Manifest.Learned(r, c.Config.NREP)
			c.clock(r)
		}
	}
	return c.measure(ctx, 1, c.Manifest.R)
}

func (c *Campaign) measure(ctx context.Context, first, last int) error {
	if err := Unpredicted(c.Manifest, c.Path); err != nil {
		return &fail.Failed{Err: err}
	}
	return c.stage(ctx, protocol.ModeMeasure, first, last)
}

// Unpredicted is the error that stage 1 has not been done in a folder.
func Unpredicted(m *results.Manifest, folder string) error {
	for i, c := range m.Plan.Cases {
		if _, skipped := m.Skip[i]; !skipped && m.NRep[i].N < 1 {
			return fmt.Errorf("%s has no repetitions for %s at %s: run `pgmpi nrep --out %s` first, or give nrep.fixed",
				folder, c.Function, conf.HumanSize(c.Msize), folder)
		}
	}
	return nil
}

// Check does stages 1 and 2 with the looks, then the experiment on
// split-robustness that the medians of stage 2 ask for, measures again what would be an
// alarm, and judges.
func (c *Campaign) Check(ctx context.Context) (*reading.Judgement, error) {
	c.data.wanted = true
	c.plan(protocol.ModeMeasure, c.Manifest.R)
	if err := c.Predict(ctx); err != nil {
		return nil, err
	}
	if err := c.measure(ctx, 1, c.Manifest.R); err != nil {
		return nil, err
	}
	c.sayStopped(protocol.ModeMeasure, "stage 2")
	if c.Config.Measure.SplitExperiment {
		if err := c.followUp(ctx); err != nil {
			return nil, err
		}
	}
	if err := c.confirm(ctx); err != nil {
		return nil, err
	}
	if err := c.countMessages(ctx); err != nil {
		return nil, err
	}
	data, err := c.collected(c.Manifest.R, reading.JudgedModes...)
	if err != nil {
		return nil, err
	}
	j, err := reading.Judged(c.Folder(), c.Manifest, data, c.Config.Analyze)
	if err != nil {
		return nil, err
	}
	return j, j.HoldAgainst(c.Against, reading.TimesConfig(c.Config))
}

// followUp measures the experiment on split-robustness (docs/dev/statistics.md), in
// mpiruns of its own.
func (c *Campaign) followUp(ctx context.Context) error {
	if err := c.planFollowUps(); err != nil {
		return c.failure(ctx, err)
	}
	split := c.Manifest.Split
	if split == nil || len(split.Comparisons) == 0 {
		return nil
	}
	c.plan(protocol.ModeSplit, split.R)
	if err := c.stage(ctx, protocol.ModeSplit, 1, split.R); err != nil {
		return err
	}
	c.sayStopped(protocol.ModeSplit, "the split experiment")
	return nil
}

// planFollowUps fixes the experiment when stage 2 has ended. What was planned
// stays so as soon as one of its mpiruns is there.
func (c *Campaign) planFollowUps() error {
	if begun, err := c.begun(protocol.ModeSplit); begun || err != nil {
		return err
	}
	data, err := c.collected(c.Manifest.R, protocol.ModeMeasure)
	if err != nil {
		return err
	}
	plan, err := analyze.PlanSplit(c.Manifest, data, c.Config.Analyze, c.Against.SplitViolated)
	if err != nil {
		return err
	}
	c.Manifest.Planned(protocol.ModeSplit, plan)
	return c.Folder().WriteManifest(c.Manifest)
}

// begun tells whether there is an mpirun of a mode.
func (c *Campaign) begun(mode protocol.Mode) (bool, error) {
	for _, shape := range c.Manifest.Plan.Shapes {
		if runs, err := c.Folder().Finished(mode, shape); err != nil || len(runs) > 0 {
			return err == nil, err
		}
	}
	return false, nil
}

// sayStopped tells that max_time has ended a stage.
func (c *Campaign) sayStopped(mode protocol.Mode, stage string) {
	if n, ok := c.Manifest.Stopped[mode]; ok {
		c.say("job.max_time = %v: %s ended after %d mpiruns", c.Config.Job.MaxTime, stage, n)
	}
}
