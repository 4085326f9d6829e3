package campaign

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgmpi/guidelines"
	"pgmpi/measure/protocol"
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

func TestOwnMockupsOfTheSlowedCollectiveMustFindThePlant(t *testing.T) {
	s := &Selftest{Config: SelftestDefaults(), Function: "MPI_Scan"}
	s.Config.Mockup = []guidelines.Mockups{{File: "a.so", IDs: []string{"scan_as_mine", "bcast_as_mine"}}}
	if err := s.choose(); err != nil {
		t.Fatal(err)
	}
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
	config := ExploreDefaults()
	config.Mockup = []guidelines.Mockups{{File: "a.so", IDs: []string{"scan_as_mine", "bcast_as_mine"}}}
	list := &Algorithms{Collectives: []protocol.Algorithms{{Collective: "MPI_Scan", Names: []protocol.Algorithm{{Name: "linear"}}}}}
	var others []string
	for _, u := range comparisons(list, config) {
		others = append(others, u.Pattern.Mockup)
	}
	if want := []string{"MPI_Scan@itself", "MPI_Scan@linear", "scan_as_exscan+reduce_local", "scan_as_mine"}; !slices.Equal(others, want) {
		t.Errorf("%v, want %v", others, want)
	}
}
