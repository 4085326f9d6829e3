package run

import (
	"strings"
	"testing"

	"pgmpi/guidelines"
	"pgmpi/internal/conf/glfile"
	"pgmpi/testkit/should"
)

func TestResumeNamesTheKeysThatDifferAndNoOthers(t *testing.T) {
	before, now := glfile.Default(), glfile.Default()
	should.Do(t, sameMeasurement(&before, &now, "out"))
	before.Job.MPIRuns, now.Job.MPIRuns = 10, 25
	now.NREP.CovMean.Window = 30
	now.MPI.Env = map[string]string{"OMPI_MCA_pml": "ob1"}
	before.Guideline = []guidelines.User{{ID: "grows", Monotony: "MPI_Bcast"}, {ID: "gone", Split: "MPI_Bcast"}}
	now.Guideline = []guidelines.User{{ID: "grows", Monotony: "MPI_Reduce"}}
	err := sameMeasurement(&before, &now, "out")
	want := []string{
		"out was measured with another configuration:",
		`  guideline.gone: {"id":"gone","split":"MPI_Bcast"} there, nothing now`,
		`  guideline.grows.monotony: "MPI_Bcast" there, "MPI_Reduce" now`,
		`  job.mpiruns: 10 there, 25 now`,
		`  mpi.env.OMPI_MCA_pml: nothing there, "ob1" now`,
		`  nrep.cov_mean.window: 20 there, 30 now`,
		"  take a new folder",
	}
	should.Hold(t, err != nil && strings.HasPrefix(err.Error(), strings.Join(want, "\n")), "%v", err)
}
