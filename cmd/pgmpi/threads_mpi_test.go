package main

import (
	"strings"
	"testing"

	"pgmpi/measure/protocol"
	"pgmpi/testkit/mpirun"
)

func TestEveryThreadLevelIsAskedForAndRecorded(t *testing.T) {
	bothAtOnce(t, func(t *testing.T, b *fixture) {
		for i, level := range protocol.ThreadLevels {
			if !b.has(i) && !mpirun.Everything {
				continue
			}
			out, err := b.RunJob(1, syncJob(1, 2), "--thread-level", level)
			if err != nil {
				t.Errorf("%s: %v", level, err)
				continue
			}
			// A library may provide more than it is asked for; these two do not.
			if got := out.End.Timing.ThreadLevel; got != level {
				t.Errorf("%s was asked for, %q is recorded", level, got)
			}
		}
		if _, err := b.RunJob(1, syncJob(1, 2), "--thread-level", "multipel"); err == nil || !strings.Contains(err.Error(), "did you mean multiple?") {
			t.Errorf("an unknown level: %v", err)
		}
	})
}
