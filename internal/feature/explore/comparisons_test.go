package explore

import (
	"errors"
	"slices"
	"testing"

	"pgmpi/analyze/report"
	"pgmpi/guidelines"
	"pgmpi/internal/conf/glfile"
	"pgmpi/internal/fail"
	"pgmpi/measure/protocol"
	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

func TestTestsOfManyCandidatesNeedMoreMpiruns(t *testing.T) {
	config := glfile.Default()
	for mpiruns, want := range map[int]bool{6: true, 0: false} {
		config.Job.MPIRuns = mpiruns
		var refused *fail.Refused
		err := refuseTests(&config, 100)
		should.Hold(t, errors.As(err, &refused) == want && (want || err == nil), "%d mpiruns, 100 candidates: %v", mpiruns, err)
	}
}

func TestMockupsOnNodesAreExploredWhereAllShapesHaveNodes(t *testing.T) {
	for job, want := range map[string]bool{
		`np = [4]`: false, `shapes = ["2x2"]`: true, `shapes = ["2x2", "4x1"]`: false, "np = [4]\nshapes = [\"2x2\"]": false,
	} {
		config := must.Get(glfile.Parse("gl.toml", []byte("[job]\n"+job+"\nmsizes = [\"8\"]\n")))(t)
		list := comparisons(assumed(config), config)
		has := func(mockup string) bool {
			return slices.ContainsFunc(list, func(u guidelines.User) bool { return u.Pattern.Mockup == mockup })
		}
		should.Hold(t, has("bcast_as_lane") == want && has("bcast_as_hier") == want && has("bcast_as_allreduce"),
			"%s: on lanes %v, by leaders %v", job, has("bcast_as_lane"), has("bcast_as_hier"))
	}
}

func TestOwnMockupsAreExploredBesideThoseOfPgmpi(t *testing.T) {
	config := Experiment.Defaults()
	config.Mockup = []guidelines.Mockups{{File: "a.so", IDs: []string{"scan_as_mine", "bcast_as_mine"}}}
	list := &report.Algorithms{Collectives: []protocol.Algorithms{{Collective: "MPI_Scan", Names: []protocol.Algorithm{{Name: "linear"}}}}}
	var others []string
	for _, u := range comparisons(list, config) {
		others = append(others, u.Pattern.Mockup)
	}
	should.Equal(t, others, []string{"MPI_Scan@itself", "MPI_Scan@linear", "scan_as_exscan+reduce_local", "scan_as_textbook@chain", "scan_as_textbook@doubling", "scan_as_mine"})
}

func TestMockupsAreExploredWhereOwnAlgorithmsAreNotKnown(t *testing.T) {
	list := &report.Algorithms{Library: "MPICH Version: 9.0", Collectives: []protocol.Algorithms{
		{Collective: "MPI_Scan", Variable: "MPIR_CVAR_SCAN_INTRA_ALGORITHM"}, {Collective: "MPI_Bcast"}}}
	var others []string
	for _, u := range comparisons(list, Experiment.Defaults()) {
		others = append(others, u.Pattern.Mockup)
	}
	should.Equal(t, others, []string{"MPI_Scan@itself", "scan_as_exscan+reduce_local", "scan_as_textbook@chain", "scan_as_textbook@doubling"})
	should.Contain(t, nothing(list), "Not known for this version of the library: its own algorithms of MPI_Scan.")
}
