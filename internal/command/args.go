package command

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"pgmpi/internal/settings"
)

func UsageError(c *cobra.Command, err error) error {
	if !c.HasParent() {
		return fmt.Errorf("%w; see `pgmpi help`", err)
	}
	return fmt.Errorf("%s: %w; see `pgmpi help %[1]s`", c.Name(), err)
}

const AnyNumber = -1

// Wants refuses fewer arguments than least and more than most; the error asks for what.
func Wants(least, most int, what string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		switch {
		case most == 0 && len(args) > 0:
			return UsageError(c, fmt.Errorf("unexpected argument %q", args[0]))
		case len(args) < least || most != AnyNumber && len(args) > most:
			return UsageError(c, errors.New("give "+what))
		}
		return nil
	}
}

// OrFile takes the configuration as the only argument, instead of --guidelines.
func OrFile(s *settings.Settings) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if err := Wants(0, 1, "one gl.toml, or none")(c, args); err != nil || len(args) == 0 {
			return err
		}
		if s.File != "" {
			return UsageError(c, fmt.Errorf("%s and --guidelines %s: give one of the two", args[0], s.File))
		}
		if settings.IsFolder(args[0]) {
			return UsageError(c, fmt.Errorf("%s is a folder, and a gl.toml is wanted", args[0]))
		}
		s.File = args[0]
		return nil
	}
}

// OrFolder takes a results folder as the only argument, or a configuration.
func OrFolder(s *settings.Settings) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) == 1 && settings.IsFolder(args[0]) {
			return nil
		}
		if err := Wants(0, 1, "one results folder or gl.toml, or none")(c, args); err != nil {
			return err
		}
		return OrFile(s)(c, args)
	}
}
