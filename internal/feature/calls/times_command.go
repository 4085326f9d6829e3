package calls

import (
	"fmt"

	"github.com/spf13/cobra"

	"pgmpi/analyze/judge"
	"pgmpi/internal/command"
	"pgmpi/internal/manual"
	"pgmpi/internal/reading"
)

func timesCommand(h *command.Host) *cobra.Command {
	o := command.Output{Host: h}
	var all bool
	c := &cobra.Command{
		Use:     "times DIR",
		Example: "pgmpi times DIR\npgmpi times DIR --format csv",
		Short:   "the run-times of a results folder, without verdicts",
		Long: `Shows for every function and msize how long a call takes: smallest, quartiles
and largest of the run medians of all mpiruns. Needs no MPI.`,
		Args:        command.Wants(1, 1, "one results folder"),
		Annotations: manual.MostNeeded("mock-ups full out format"),
		RunE:        func(c *cobra.Command, args []string) error { return showTimes(&o, args[0], all) },
	}
	fs := c.Flags()
	o.Into(fs)
	command.MockupsToo(fs, &all)
	command.Full(fs)
	o.Formats = h.FormatsFlag(fs, runTimes, "")
	return c
}

func showTimes(o *command.Output, path string, all bool) error {
	folder, m, err := reading.Open(path, reading.Timed...)
	if err != nil {
		return err
	}
	j, err := reading.Judge(folder, m, judge.Default())
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	t, err := newTimes(j.Side(path), all)
	if err != nil {
		return err
	}
	return o.Write(runTimes.Document(t))
}
