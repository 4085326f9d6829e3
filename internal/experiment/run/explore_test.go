package run_test

import (
	"errors"
	"slices"
	"testing"

	"pgmpi/guidelines"
	"pgmpi/internal/experiment/run"
	"pgmpi/internal/fail"
	"pgmpi/internal/fixture/bed"
)

// Mpiruns that cannot decide anything are refused before they are made, and again when the
// number of candidates is known.
func TestMpirunsThatCannotDecideAreRefused(t *testing.T) {
	b := bed.New(t)
	var refused *fail.Refused
	few := b.Config("[job]\nnp = [2]\nmpiruns = 2\nmsizes = [\"8\"]\n")
	if _, err := run.NewDryExplore(few, b.Out, nil, "test"); !errors.As(err, &refused) {
		t.Errorf("2 mpiruns, any number of candidates: %v", err)
	}
	enough := b.Config("[job]\nnp = [2]\nmpiruns = 6\nmsizes = [\"8\"]\n")
	if _, err := run.NewDryExplore(enough, b.Out, nil, "test"); err != nil {
		t.Errorf("6 mpiruns: %v", err)
	}
	if err := run.RefuseTests(enough, 6, 100); !errors.As(err, &refused) {
		t.Errorf("6 mpiruns, 100 candidates: %v", err)
	}
	if err := run.RefuseTests(enough, 0, 100); err != nil {
		t.Errorf("as many mpiruns as suit: %v", err)
	}
}

func TestMockupsOnNodesAreExploredWhereAllShapesHaveNodes(t *testing.T) {
	b := bed.New(t)
	for job, want := range map[string]bool{
		`np = [4]`: false, `shapes = ["2x2"]`: true, `shapes = ["2x2", "4x1"]`: false, "np = [4]\nshapes = [\"2x2\"]": false,
	} {
		config := b.Config("[job]\n" + job + "\nmsizes = [\"8\"]\n")
		list := run.Comparisons(run.Assumed(config), config)
		has := func(mockup string) bool {
			return slices.ContainsFunc(list, func(u guidelines.User) bool { return u.Pattern.Mockup == mockup })
		}
		if has("bcast_as_lane") != want || has("bcast_as_hier") != want || !has("bcast_as_allreduce") {
			t.Errorf("%s: on lanes %v, by leaders %v", job, has("bcast_as_lane"), has("bcast_as_hier"))
		}
	}
}
