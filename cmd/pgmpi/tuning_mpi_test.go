package main

import (
	"os"
	"path/filepath"
	"testing"

	"pgmpi/internal/campaign"
	"pgmpi/internal/conf/glfile"
)

// onProcesses is a configuration of a fixture's library, for calls of a campaign itself.
func (b *fixture) onProcesses(np ...int) *glfile.File {
	b.t.Helper()
	if os.Geteuid() == 0 {
		b.t.Setenv("OMPI_ALLOW_RUN_AS_ROOT", "1")
		b.t.Setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1")
	}
	f := glfile.Default()
	f.MPI.Rank, f.Job.NP = b.rank, np
	if b.lib.yield { // more ranks than cores would spin
		f.MPI.Env["LD_PRELOAD"] = filepath.Join(b.bin, "yield.so")
	}
	return &f
}

// bad are the outcomes that are not right.
func bad(all []campaign.Outcome) (out []campaign.Outcome) {
	for _, o := range all {
		if o.State != campaign.CallRight {
			out = append(out, o)
		}
	}
	return out
}

func TestUntouchedLibrariesMakeLegalCallsRight(t *testing.T) {
	eachLibrary(t, func(t *testing.T, b *fixture) {
		all, err := campaign.Legal(t.Context(), b.onProcesses(2, 3, 4, 5), nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range bad(all) {
			t.Errorf("%s: %s: %s: %s", o.Shape, o.Call, o.State, o.Message)
		}
		t.Logf("%d calls", len(all))
	})
}

func TestTryBad(t *testing.T) {
	b := newFixture(t, libraries[0])
	f := b.onProcesses(4)
	f.Measure.Stall = 5e9
	all, err := campaign.Legal(t.Context(), f, map[string]string{"OMPI_MCA_coll_tuned_use_dynamic_rules": "1", "OMPI_MCA_coll_tuned_dynamic_rules_filename": "/tmp/bad.rules"})
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range bad(all) {
		t.Logf("%s: %s: %s: %s\n    %s", o.Shape, o.Call, o.State, o.Message, o.Cause)
	}
}
