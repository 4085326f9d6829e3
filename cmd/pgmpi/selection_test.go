package main

import (
	"io"
	"testing"

	"pgmpi/internal/command"
	"pgmpi/internal/manual"
	"pgmpi/testkit/should"
)

// unselected names the flags of selection that a command which measures does not take, and why.
var unselected = map[string]struct {
	flags []string
	why   string
}{
	"explore":     {[]string{"only", "except"}, "it judges no guideline, but what the library chooses"},
	"overlap":     {[]string{"only", "except"}, "its guidelines are NB5 and NB7"},
	"fingerprint": {[]string{"msizes", "only", "except", "functions"}, "its argument names one call"},
	"selftest":    {[]string{"only", "except", "functions"}, "what is about --function must find the slowdown, and nothing else may"},
	"remedy":      {[]string{"np", "shape", "msizes", "only", "except", "functions"}, "it mends what its folder violates, where that was measured"},
}

// A command measures if it takes --mpiruns.
func TestEveryCommandThatMeasuresTakesTheFlagsOfSelection(t *testing.T) {
	for _, c := range manual.Commands(rootCommand(command.New(io.Discard, io.Discard))) {
		if c.Flags().Lookup("mpiruns") == nil {
			continue
		}
		lacks := map[string]bool{}
		for _, name := range unselected[c.Name()].flags {
			lacks[name] = true
		}
		for _, name := range []string{"np", "shape", "msizes", "only", "except", "functions"} {
			takes := c.Flags().Lookup(name) != nil
			should.Hold(t, takes != lacks[name], "pgmpi %s takes --%s: %v; the reason not to: %q", c.Name(), name, takes, unselected[c.Name()].why)
		}
	}
}
