package run

import (
	"context"
	"maps"
	"slices"

	"pgmpi/internal/untimed"
)

// seeSettings notes, once, what of mpi.env chooses an algorithm and does nothing. It
// measures nothing, and starts nothing where mpi.env has no such variable.
func (c *Campaign) seeSettings(ctx context.Context) {
	env := c.Config.MPI.Env
	names := slices.DeleteFunc(slices.Sorted(maps.Keys(env)), func(name string) bool { return !untimed.ChoosesAlgorithm(name) })
	if c.sawSettings || len(names) == 0 {
		return
	}
	c.sawSettings = true
	o := untimed.OnceWith(c.Config, c.Start, c.RankPath, c.Manifest.Rank)
	found, err := o.Ignored(ctx, c.Manifest.Plan.Shapes[0], env, names)
	if err != nil {
		return // the first mpirun that measures tells why, and what to do
	}
	for _, text := range found {
		if c.Manifest.Ignored(text) {
			c.Say("note: mpi.env: %s", text)
		}
	}
}
