package experiment

import (
	"context"
	"errors"

	"pgmpi/internal/conf/glfile"
	"pgmpi/internal/experiment/run"
	"pgmpi/internal/fail"
	"pgmpi/internal/reading"
	"pgmpi/internal/untimed"
	"pgmpi/measure"
)

// CheckAroundLimits is a check that first asks the library for its eager limits, and where ranks are, if messages are
// among what it checks. It has the largest message below each limit and the one of a byte more, and pairs of ranks of
// each distance.
func CheckAroundLimits() *run.Experiment {
	x := *Check
	x.Prepare = aroundLimits
	return &x
}

// aroundLimits starts mpiruns that measure nothing. If one ends in an error, the first one that measures tells why,
// unless that would be waited for as long again.
func aroundLimits(ctx context.Context, config *glfile.File, o run.Options) (*glfile.File, error) {
	if o.Dry || !config.Check.AsksOfMessages(config.Guideline) {
		return config, nil
	}
	f := *config
	if o.Before != nil {
		old, err := reading.ConfigOf(o.Before)
		if err == nil {
			f.Check.Around, f.Check.Between = old.Check.Around, old.Check.Between
		}
		return &f, err
	}
	once, err := untimed.NewOnce(config, o.Start)
	if err != nil {
		return config, nil
	}
	limits, layouts, err := once.AboutMessages(ctx)
	var failed *measure.Error
	switch {
	case ctx.Err() != nil:
		return config, nil // the check says that it was interrupted, and how it goes on
	case errors.As(err, &failed) && failed.Late && !failed.Again:
		return nil, fail.AsSetup(err)
	case err != nil:
		return config, nil
	}
	for _, most := range limits {
		f.Check.Around = append(f.Check.Around, most, most+1)
	}
	f.Check.Between = untimed.PairsOf(layouts, f.Job.Seed)
	return &f, nil
}
