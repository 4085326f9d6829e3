package experiment_test

import (
	"errors"
	"strings"
	"testing"

	"pgmpi/guidelines"
	"pgmpi/internal/experiment"
	"pgmpi/internal/fail"
	"pgmpi/internal/fixture/bed"
	"pgmpi/internal/fixture/should"
)

func TestNoExperimentGoesOnInAnotherOnesFolder(t *testing.T) {
	config, path := experiment.Explore.Defaults(), t.TempDir()+"/out"
	config.MPI.Rank, config.MPI.Launch, config.Job.NP = bed.RankProgram(t), []string{"true", "{np}"}, []int{2}
	config.Job.MPIRuns, config.Job.Msizes, config.Check.Functions = 3, guidelines.MsizeList{"8"}, []string{"MPI_Bcast"}
	if _, _, err := bed.Run(t, experiment.Fingerprint("MPI_Bcast:8"), config, path, &bed.Ranks{}); err != nil {
		t.Fatal(err)
	}
	var refused *fail.Setup
	_, _, err := bed.Run(t, experiment.Explore, config, path, &bed.Ranks{})
	should.Hold(t, errors.As(err, &refused) && strings.Contains(err.Error(), "is a folder of pgmpi fingerprint: `pgmpi fingerprint CASE --out "+path+" --resume` goes on in it"),
		"%v", err)
}
