package run_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgmpi/analyze/report"
	"pgmpi/guidelines"
	"pgmpi/internal/experiment/run"
	"pgmpi/internal/fail"
	"pgmpi/internal/fixture/bed"
	"pgmpi/internal/fixture/must"
	"pgmpi/measure/protocol"
)

func selftest(b *bed.Bed) *run.Selftest {
	b.T.Helper()
	must.Do(b.T, os.WriteFile(b.Rank+"-delay.so", nil, 0o666))
	config := run.SelftestDefaults()
	config.Job.NP, config.MPI.Rank, config.MPI.Launch = []int{2}, b.Rank, []string{"true", "{np}"}
	s := &run.Selftest{Config: config, Function: "MPI_Allgather", Out: b.Out, Version: "test", Tell: func(run.Event) {}, Start: b.Fake.Start}
	must.Do(b.T, s.Prepare())
	return s
}

func TestSelftestFindsWhatItPlantsAndNothingElse(t *testing.T) {
	bed.Bubble(t, func(t *testing.T, b *bed.Bed) {
		s := selftest(b)
		a := must.Get(s.Identities(t.Context()))(t)
		if a.Tests != 33 || a.False != 0 {
			t.Errorf("%+v", a)
		}
		p := must.Get(s.Planted(t.Context(), a.Report))(t)
		if p.Msize != 1024 || len(p.Shown) != 6 || p.Wrong != 0 {
			t.Errorf("%+v", p)
		}
		if _, err := os.Stat(filepath.Join(b.Out, "check-2", "report.json")); err != nil {
			t.Error(err)
		}
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
		_, err := selftest(b).Identities(t.Context())
		var failed *fail.Failed
		if !errors.As(err, &failed) || !failed.Twice {
			t.Errorf("%v", err)
		}
	})
}

func TestOwnMockupsOfTheSlowedCollectiveMustFindThePlant(t *testing.T) {
	s := &run.Selftest{Config: run.SelftestDefaults(), Function: "MPI_Scan"}
	s.Config.Mockup = []guidelines.Mockups{{File: "a.so", IDs: []string{"scan_as_mine", "bcast_as_mine"}}}
	must.Do(t, s.Choose())
	var own []guidelines.UserPattern
	for _, u := range s.Config.Guideline {
		if strings.HasPrefix(u.ID, "own-") {
			own = append(own, *u.Pattern)
		}
	}
	if len(own) != 1 || own[0] != (guidelines.UserPattern{Function: "MPI_Scan", Mockup: "scan_as_mine"}) {
		t.Errorf("compared with %v", own)
	}
}

func TestOwnMockupsAreExploredBesideThoseOfPgmpi(t *testing.T) {
	config := run.ExploreDefaults()
	config.Mockup = []guidelines.Mockups{{File: "a.so", IDs: []string{"scan_as_mine", "bcast_as_mine"}}}
	list := &report.Algorithms{Collectives: []protocol.Algorithms{{Collective: "MPI_Scan", Names: []protocol.Algorithm{{Name: "linear"}}}}}
	var others []string
	for _, u := range run.Comparisons(list, config) {
		others = append(others, u.Pattern.Mockup)
	}
	if want := []string{"MPI_Scan@itself", "MPI_Scan@linear", "scan_as_exscan+reduce_local", "scan_as_mine"}; !slices.Equal(others, want) {
		t.Errorf("%v, want %v", others, want)
	}
}
