package measure

import (
	"strings"
	"testing"

	"pgmpi/internal/conf"
	"pgmpi/nrep"
	"pgmpi/testkit/should"
)

func TestTimingKeysAreValidated(t *testing.T) {
	for _, c := range []struct {
		change func(*Config)
		key    string
		says   string
	}{
		{func(c *Config) { c.Sync = "barier" }, "sync", "did you mean barrier"},
		{func(c *Config) { c.Sync = "spin" }, "sync", "round_time"},
		{func(c *Config) { c.Sample = "maximum" }, "sample", "local"},
		{func(c *Config) { c.Cache = "hot" }, "cache", "rotate"},
		{func(c *Config) { c.Window = 0 }, "window", "above 0s"},
		{func(c *Config) { c.Slice = -1 }, "slice", "above 0s"},
		{func(c *Config) { c.MaxDrift = 0 }, "max_drift", "above 0s"},
		{func(c *Config) { c.Turns = -1 }, "turns", "must be 1"},
		{func(c *Config) { c.Turns = maxTurns + 1 }, "turns", "to 10000"},
		{func(c *Config) { c.Counters = []string{"page-fault"} }, "counters", "did you mean page-faults"},
		{func(c *Config) { c.Counters = []string{"mpi_t:"} }, "counters", "names no performance variable"},
		{func(c *Config) { c.Counters = []string{"cycles", "mpi_t:x", "cycles"} }, "counters", "given twice"},
		{func(c *Config) { c.Counters = []string{"raw:3g"} }, "counters", "no number of an event"},
		{func(c *Config) { c.Windows = []conf.Duration{1} }, "windows", "go with measure.sync"},
		{func(c *Config) { c.Sync, c.Windows = "window", []conf.Duration{1, 0} }, "windows", "above 0s"},
		{func(c *Config) { c.Sync, c.Fresh = "window_auto", true }, "fresh", "pilot"},
		{func(c *Config) { c.Turns, c.Provable = 2, true }, "turns", "check of their own"},
	} {
		cfg := Default()
		c.change(&cfg)
		errs := cfg.Validate()
		should.Hold(t, len(errs) == 1 && errs[0].Key == c.key && strings.Contains(errs[0].Msg, c.says), "%s: %v, want %q", c.key, errs, c.says)
	}
	mpi := DefaultMPI()
	if errs := mpi.Validate(); len(errs) > 0 || mpi.RankArgs() != nil {
		t.Errorf("%v, arguments %q", errs, mpi.RankArgs())
	}
	mpi.ThreadLevel = "multipel"
	errs := mpi.Validate()
	should.Hold(t, len(errs) == 1 && errs[0].Key == "thread_level" && strings.Contains(errs[0].Msg, "did you mean multiple"), "thread_level: %v", errs)
	cfg := Default()
	n := nrep.Default()
	if cfg.Turns = n.Max; len(cfg.CheckTurns(n)) != 0 {
		t.Error("a case may have nrep.max turns")
	}
	if n.Fixed = 10; len(cfg.CheckTurns(n)) != 1 {
		t.Error("there are more turns than nrep.fixed")
	}
	cfg = Default()
	cfg.Sync = "auto"
	errs = cfg.Validate()
	should.Hold(t, len(errs) == 0, "%v", errs)
}
