package campaign

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

func (b *bed) selftest() *Selftest {
	b.t.Helper()
	if err := os.WriteFile(b.rank+"-delay.so", nil, 0o666); err != nil {
		b.t.Fatal(err)
	}
	config := SelftestDefaults()
	config.Job.NP, config.MPI.Rank, config.MPI.Launch = []int{2}, b.rank, []string{"true", "{np}"}
	s := &Selftest{Config: config, Function: "MPI_Allgather", Out: b.out, Version: "test", Tell: func(Event) {}, Start: b.fake.Start}
	if err := s.Prepare(); err != nil {
		b.t.Fatal(err)
	}
	return s
}

func TestSelftestFindsWhatItPlantsAndNothingElse(t *testing.T) {
	bubble(t, func(t *testing.T, b *bed) {
		s := b.selftest()
		a, err := s.Identities(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if a.Tests != 33 || a.False != 0 {
			t.Errorf("%+v", a)
		}
		p, err := s.Planted(t.Context(), a.Report)
		if err != nil {
			t.Fatal(err)
		}
		if p.Msize != 1024 || len(p.Shown) != 6 || p.Wrong != 0 {
			t.Errorf("%+v", p)
		}
		if _, err := os.Stat(filepath.Join(b.out, "check-2", "report.json")); err != nil {
			t.Error(err)
		}
	})
}

func TestAFailureOfASelftestNamesNoFolderToGoOnIn(t *testing.T) {
	bubble(t, func(t *testing.T, b *bed) {
		b.fake.Fault = func(launch int) fault {
			if launch > 2 {
				return dies
			}
			return noFault
		}
		_, err := b.selftest().Identities(t.Context())
		var failed *Failed
		if !errors.As(err, &failed) || !failed.Twice {
			t.Errorf("%v", err)
		}
	})
}
