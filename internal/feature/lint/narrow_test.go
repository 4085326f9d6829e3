package lint

import (
	"slices"
	"testing"

	"pgmpi/internal/conf/glfile"
	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

// On 1024 processes Reduce of 1 MiB goes along a binomial tree, which Allreduce beats (docs/at-scale.md).
func TestACheckIsPlannedFromWhatATableMakesSuspect(t *testing.T) {
	f := glfile.Default()
	f.Job.NP, f.Job.Msizes = []int{1024}, []string{"8", "1Mi"}
	note := must.Get(suspects("openmpi", &f))(t)
	should.Hold(t, slices.Contains(f.Check.Calls, "MPI_Reduce:1048576:1024") && !slices.Contains(f.Check.Calls, "MPI_Reduce:8:1024"), "%v", f.Check.Calls)
	should.Contain(t, note, "suspected by the table of openmpi")
	for _, test := range must.Get(f.Plan(f.Job.NP))(t).Tests {
		should.Hold(t, test.Function != "MPI_Reduce" || test.Msize == 1<<20, "%+v", test)
	}
	f.Job.Msizes, f.Check.Functions, f.Check.Calls = []string{"8"}, []string{"MPI_Bcast"}, nil
	_, err := suspects("openmpi", &f)
	should.Fail(t, err, "check without --lint", "nothing is suspected")
}
