package measure

import (
	"strings"
	"testing"
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
	} {
		cfg := Default()
		c.change(&cfg)
		if errs := cfg.Validate(); len(errs) != 1 || errs[0].Key != c.key || !strings.Contains(errs[0].Msg, c.says) {
			t.Errorf("%s: %v, want %q", c.key, errs, c.says)
		}
	}
	mpi := DefaultMPI()
	if errs := mpi.Validate(); len(errs) > 0 || mpi.RankArgs() != nil {
		t.Errorf("%v, arguments %q", errs, mpi.RankArgs())
	}
	mpi.ThreadLevel = "multipel"
	if errs := mpi.Validate(); len(errs) != 1 || errs[0].Key != "thread_level" || !strings.Contains(errs[0].Msg, "did you mean multiple") {
		t.Errorf("thread_level: %v", errs)
	}
	cfg := Default()
	cfg.Sync = "auto"
	if errs := cfg.Validate(); len(errs) > 0 {
		t.Error(errs)
	}
}
