package experiment

import (
	"context"

	"pgmpi/internal/conf/glfile"
	"pgmpi/internal/experiment/run"
	"pgmpi/internal/reading"
	"pgmpi/internal/untimed"
)

// CheckAroundLimits is a check that first asks the library for its eager limits where messages are among what it
// checks, and has the largest message below each and the one of a byte more.
func CheckAroundLimits() *run.Experiment {
	x := *Check
	x.Prepare = aroundLimits
	return &x
}

// aroundLimits starts an mpirun that measures nothing. If that fails, the first one that measures tells why.
func aroundLimits(ctx context.Context, config *glfile.File, o run.Options) (*glfile.File, error) {
	if o.Dry || !config.Check.AsksOfMessages(config.Guideline) {
		return config, nil
	}
	f := *config
	if o.Before != nil {
		old, err := reading.ConfigOf(o.Before)
		if err == nil {
			f.Check.Around = old.Check.Around
		}
		return &f, err
	}
	once, err := untimed.NewOnce(config, o.Start)
	if err != nil {
		return config, nil
	}
	limits, err := once.EagerLimits(ctx)
	if err != nil {
		return config, nil
	}
	for _, most := range limits {
		f.Check.Around = append(f.Check.Around, most, most+1)
	}
	return &f, nil
}
