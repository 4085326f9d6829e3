package run

import (
	"context"

	"pgmpi/analyze"
	"pgmpi/analyze/series"
	"pgmpi/internal/conf"
	"pgmpi/internal/reading"
	"pgmpi/measure/protocol"
)

// ReadGate reads what the check is held against, before anything is measured.
func (c *Campaign) ReadGate() (err error) {
	c.Against, err = reading.Baselines(c.Config, c.Manifest, c.Path)
	return err
}

// confirm measures again, after everything else, what would make the night red.
func (c *Campaign) confirm(ctx context.Context) error {
	if c.Against == nil {
		return nil
	}
	if err := c.planConfirmation(); err != nil {
		return c.failure(ctx, err)
	}
	x := c.Manifest.Confirm
	if x == nil {
		return nil
	}
	c.say("%s would make this night red: measured again in %s", conf.Plural(len(x.Comparisons), "test"), conf.Plural(x.R, "mpirun"))
	c.plan(protocol.ModeConfirm, x.R)
	if err := c.stage(ctx, protocol.ModeConfirm, 1, x.R); err != nil {
		return err
	}
	c.sayStopped(protocol.ModeConfirm, "measuring again")
	return nil
}

// planConfirmation fixes what is measured again. What was planned stays so as soon as
// one of its mpiruns is there.
func (c *Campaign) planConfirmation() error {
	if begun, err := c.begun(protocol.ModeConfirm); begun || err != nil {
		return err
	}
	data, err := c.collected(c.Manifest.R, reading.JudgedModes...)
	if err != nil {
		return err
	}
	a, err := analyze.Judge(c.Manifest, data, c.Config.Analyze)
	if err != nil {
		return err
	}
	c.Manifest.Planned(protocol.ModeConfirm, series.Confirmation(a, c.Against))
	return c.Folder().WriteManifest(c.Manifest)
}
