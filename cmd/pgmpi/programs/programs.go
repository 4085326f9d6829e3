// Package programs has the commands that run somebody's MPI program: profile, gain and apply. What they do is
// internal/gain's.
package programs

import (
	"github.com/spf13/cobra"

	"pgmpi/internal/fail"
)

// misused is an error of a command line that cobra has taken.
func misused(c *cobra.Command, what string) error {
	return fail.Setupf("%s: %s; see `pgmpi help %[1]s`", c.Name(), what)
}
