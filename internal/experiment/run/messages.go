package run

import (
	"context"

	"pgmpi/measure/launch"
	"pgmpi/measure/protocol"
)

// countMessages has an mpirun of each shape count what the library sends inside of its
// calls, if measure.messages asks for it.
func (c *Campaign) countMessages(ctx context.Context) error {
	if !c.Config.Measure.Messages {
		return nil
	}
	if launch.CountingEnv(c.Manifest.Rank.Library) == nil {
		c.say("note: measure.messages: only Open MPI counts the messages inside of its calls")
		return nil
	}
	c.plan(protocol.ModeMessages, 1)
	if err := c.stage(ctx, protocol.ModeMessages, 1, 1); err != nil {
		return err
	}
	if c.data.medians != nil && !c.data.medians.HasMessages() {
		c.say("note: measure.messages: this Open MPI has counted none: it lacks the component pml/monitoring, or OMPI_MCA_pml leaves that out")
	}
	return nil
}
