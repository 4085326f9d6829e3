package run

import (
	"context"
	"fmt"
	"time"

	"pgmpi/guidelines"
	"pgmpi/internal/fail"
	"pgmpi/measure"
)

// fits returns an *Interrupted when an mpirun of a shape that takes as long as its
// last one would not end before the batch job does.
func (c *Campaign) fits(shape guidelines.Shape) error {
	if c.Job.Ends.IsZero() {
		return nil
	}
	left, takes := time.Until(c.Job.Ends), c.last[shape]
	switch {
	case left <= 0:
		return &fail.Interrupted{Why: fmt.Sprintf("batch job %s is past its time limit", c.Job.ID)}
	case left <= takes && !c.onlyInParts(takes, left):
		return &fail.Interrupted{Why: fmt.Sprintf("batch job %s ends at %s, in %v, and an mpirun takes about %v",
			c.Job.ID, c.Job.Ends.Format(time.TimeOnly), left.Round(time.Second), takes.Round(time.Second))}
	}
	return nil
}

// onlyInParts tells whether an mpirun takes longer than the whole batch job has time
// for, and can leave a part in the time that is left.
func (c *Campaign) onlyInParts(takes, left time.Duration) bool {
	return takes >= c.Job.Ends.Sub(c.opened) && left > measure.PartTime && c.Config.Measure.LeavesParts()
}

// signalGrace is how much later than the ranks, which die of it, the driver may get
// the signal that ends a job.
const signalGrace = time.Second

// jobIsOver tells whether an mpirun has failed because its batch job is at its end.
// Where the end comes with a signal, it leaves that to the context.
func (c *Campaign) jobIsOver(ctx context.Context, e *measure.Error) bool {
	if c.Job.ID == "" {
		return false
	}
	if e.JobOver || !c.Job.Ends.IsZero() && !time.Now().Before(c.Job.Ends) {
		return true
	}
	select {
	case <-ctx.Done():
	case <-time.After(signalGrace):
	}
	return false
}
