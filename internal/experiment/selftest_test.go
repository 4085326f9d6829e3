package experiment_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"pgmpi/internal/experiment"
	"pgmpi/internal/experiment/run"
	"pgmpi/internal/fail"
	"pgmpi/internal/fixture/bed"
	"pgmpi/internal/fixture/must"
	"pgmpi/internal/fixture/should"
)

func selftest(b *bed.Bed) *experiment.Selftest {
	b.T.Helper()
	if err := os.WriteFile(b.Rank+"-delay.so", nil, 0o666); err != nil {
		b.T.Fatal(err)
	}
	config := experiment.SelftestDefaults()
	config.Job.NP, config.MPI.Rank, config.MPI.Launch = []int{2}, b.Rank, []string{"true", "{np}"}
	s := &experiment.Selftest{Config: config, Function: "MPI_Allgather", Out: b.Out, Version: "test", Tell: func(run.Event) {}, Start: b.Fake.Start}
	if err := s.Prepare(); err != nil {
		b.T.Fatal(err)
	}
	return s
}

func TestSelftestFindsWhatItPlantsAndNothingElse(t *testing.T) {
	bed.Bubble(t, func(t *testing.T, b *bed.Bed) {
		s := selftest(b)
		found, err := s.Do(t.Context())
		must.Do(t, err)
		a := found.A
		should.Hold(t, a.Tests == 33 && a.False == 0, "%+v", a)
		p := found.B
		should.Hold(t, p.Msize == 1024 && len(p.Shown) == 6 && p.Wrong == 0, "%+v", p)
		_, err = os.Stat(filepath.Join(b.Out, "check-2", "report.json"))
		should.Do(t, err)
	})
}

func TestAFailureOfASelftestNamesNoFolderToGoOnIn(t *testing.T) {
	bed.Bubble(t, func(t *testing.T, b *bed.Bed) {
		b.Fake.Fault = func(launch int) bed.Fault {
			if launch > 2 {
				return bed.Dies
			}
			return bed.NoFault
		}
		_, err := selftest(b).Do(t.Context())
		var failed *fail.Failed
		should.Hold(t, errors.As(err, &failed) && failed.Twice, "%v", err)
	})
}
