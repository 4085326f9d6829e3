package app

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"pgmpi/internal/conf/glfile"
	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

const profileOfFour = `{"schema":"pgmpi-profile/1","program":"app","processes":4,"ranks":4,"finished":true,"wall_ns":1000000000,"calls":[
{"function":"MPI_Allreduce","bytes":4,"processes":2,"communicator":"part","datatype":"MPI_INT","op":"MPI_MAX","calls":10,"ranks":4,"sum_ns":400000000,"least_rank_ns":1,"most_rank_ns":200000000},
{"function":"MPI_Bcast","bytes":65536,"processes":4,"communicator":"world","datatype":"MPI_BYTE","calls":10,"ranks":4,"sum_ns":200000000,"least_rank_ns":1,"most_rank_ns":100000000},
{"function":"MPI_Barrier","bytes":0,"processes":4,"communicator":"world","calls":10,"ranks":4,"sum_ns":100000000,"least_rank_ns":1,"most_rank_ns":50000000},
{"function":"MPI_Bcast","bytes":0,"processes":4,"communicator":"world","datatype":"MPI_BYTE","calls":10,"ranks":4,"sum_ns":100000000,"least_rank_ns":1,"most_rank_ns":50000000},
{"function":"MPI_Alltoallv","bytes":1024,"processes":4,"communicator":"world","datatype":"MPI_BYTE","uneven":true,"calls":10,"ranks":4,"sum_ns":200000000,"least_rank_ns":1,"most_rank_ns":100000000},
{"function":"MPI_Scan","bytes":8,"processes":4,"communicator":"world","datatype":"MPI_DOUBLE","op":"MPI_SUM","calls":4,"ranks":4,"sum_ns":1000,"least_rank_ns":1,"most_rank_ns":900}]}`

// Uneven calls, and calls of less than .1 % of the run-time, are left out.
func TestACheckIsPlannedFromWhatAProgramCalls(t *testing.T) {
	path := filepath.Join(t.TempDir(), "app.prof")
	must.Do(t, os.WriteFile(path, []byte(profileOfFour), 0o666))
	f := glfile.Default()
	note := must.Get(callsOf(path, &f))(t)
	should.Hold(t, slices.Equal(f.Job.NP, []int{2, 4}) && f.Job.Datatype == "int" && f.Job.Op == "max", "%+v", f.Job)
	should.Hold(t, f.Job.Shapes != nil, "a results folder cannot be read with null for shapes")
	p := must.Get(f.Plan(f.Job.NP))(t)
	for _, test := range p.Tests {
		should.Hold(t, test.Function == "MPI_Allreduce" && test.Msize == 4 && test.Shape.NP == 2 ||
			test.Shape.NP == 4 && (test.Function == "MPI_Bcast" && test.Msize == 65536 || test.Function == "MPI_Barrier"), "%+v", test)
	}
	should.Hold(t, len(p.Tests) >= 3, "%d tests", len(p.Tests))
	should.Hold(t, slices.Equal(f.Check.Calls, []string{"MPI_Allreduce:4:2", "MPI_Bcast:65536:4", "MPI_Barrier::4"}), "%v", f.Check.Calls)
	should.Contain(t, note, "70.0 %")
}

func TestAProgramWithoutSuchCallsHasNothingToCheck(t *testing.T) {
	path := filepath.Join(t.TempDir(), "app.prof")
	must.Do(t, os.WriteFile(path, []byte(`{"schema":"pgmpi-profile/1","processes":1,"ranks":1,"wall_ns":1,"calls":[]}`), 0o666))
	_, err := callsOf(path, &glfile.File{})
	should.Fail(t, err, "nothing to gain", "no calls")
}
