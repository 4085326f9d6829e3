package selftest

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgmpi/analyze/judge"
	"pgmpi/guidelines"
	"pgmpi/internal/experiment/run"
	"pgmpi/internal/fail"
	"pgmpi/measure"
	"pgmpi/testkit/bed"
	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

func prepared(b *bed.Bed) *Trial {
	b.T.Helper()
	if err := os.WriteFile(b.Rank+"-delay.so", nil, 0o666); err != nil {
		b.T.Fatal(err)
	}
	config := defaults()
	config.Job.NP, config.MPI.Rank, config.MPI.Launch = []int{2}, b.Rank, []string{"true", "{np}"}
	s := &Trial{Config: config, Function: "MPI_Allgather", Out: b.Out, Version: "test", Tell: func(run.Event) {}, Start: b.Fake.Start}
	if err := s.Prepare(); err != nil {
		b.T.Fatal(err)
	}
	return s
}

func TestSelftestFindsWhatItPlantsAndNothingElse(t *testing.T) {
	bed.Bubble(t, func(t *testing.T, b *bed.Bed) {
		s := prepared(b)
		found, err := s.Do(t.Context())
		must.Do(t, err)
		a := found.A
		should.Hold(t, a.Tests == 33 && a.False == 0, "%+v", a)
		p := found.B
		should.Hold(t, p.Msize == 1024 && len(p.Shown) == 6 && p.Wrong == 0, "%+v", p)
		for i, want := range []Share{{Percent: 25, Msize: 1024, Tests: 10, Found: 10}, {Percent: 10, Msize: 16384, Tests: 10, Found: 10}} {
			should.Equal(t, p.Small[i], want, "small plants")
		}
		should.Hold(t, !found.Failed() && found.Busy() == "", "it has not passed: %s", found.Busy())
		_, err = os.Stat(filepath.Join(b.Out, "check-2", "report.json"))
		should.Do(t, err)
	})
}

func TestSelftestFailsWhenTheSlowdownIsMissing(t *testing.T) {
	bed.Bubble(t, func(t *testing.T, b *bed.Bed) {
		s := prepared(b)
		s.Start = func(argv, env []string, stderr io.Writer) (*measure.Ranks, error) {
			return b.Fake.Start(argv, slices.DeleteFunc(env, func(v string) bool { return strings.HasPrefix(v, "PGMPI_DELAY=") }), stderr)
		}
		found, err := s.Do(t.Context())
		must.Do(t, err)
		p := found.B
		should.Hold(t, found.Failed() && p.Wrong == 6 && p.Again == 6 && p.Small[0].Found == 0, "%+v", p)
		should.Hold(t, errors.Is(kind.Document(found).Exit, fail.ErrFound), "it does not end as failed")
	})
}

func TestSelftestSaysThatABusyMachineCannotTell(t *testing.T) {
	for what, r := range map[string]*Result{
		"17 of 33 tests of a collective against itself are undecided": {A: &Identities{Tests: 33, Verdicts: map[judge.Verdict]int{judge.Undecided: 17}}, B: &Planted{}},
		"4 of 10 slowdowns by 25 % were found":                        {A: &Identities{Tests: 33}, B: &Planted{Small: []Share{{Percent: 25, Tests: 10, Found: 4}, {Percent: 10, Tests: 10}}}},
		"":                                                            {A: &Identities{Tests: 33, Verdicts: map[judge.Verdict]int{judge.Undecided: 16}}, B: &Planted{Small: []Share{{Percent: 25, Tests: 10, Found: 5}, {Percent: 10, Tests: 10}}}},
	} {
		should.Equal(t, r.Busy(), what, "reason")
	}
}

func TestAFailureOfASelftestNamesNoFolderToGoOnIn(t *testing.T) {
	bed.Bubble(t, func(t *testing.T, b *bed.Bed) {
		b.Fake.Fault = func(launch int) bed.Fault {
			if launch > 2 {
				return bed.Dies
			}
			return bed.NoFault
		}
		_, err := prepared(b).Do(t.Context())
		var failed *fail.Failed
		should.Hold(t, errors.As(err, &failed) && failed.Twice, "%v", err)
	})
}

func TestOwnMockupsOfTheSlowedCollectiveMustFindThePlant(t *testing.T) {
	s := &Trial{Config: defaults(), Function: "MPI_Scan"}
	s.Config.Mockup = []guidelines.Mockups{{File: "a.so", IDs: []string{"scan_as_mine", "bcast_as_mine"}}}
	must.Do(t, s.choose())
	var own []guidelines.UserPattern
	for _, u := range s.Config.Guideline {
		if strings.HasPrefix(u.ID, "own-") {
			own = append(own, *u.Pattern)
		}
	}
	should.Hold(t, len(own) == 1 && own[0] == (guidelines.UserPattern{Function: "MPI_Scan", Mockup: "scan_as_mine"}), "compared with %v", own)
}
