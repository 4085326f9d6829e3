package reading_test

import (
	"slices"
	"testing"

	"pgmpi/internal/conf/glfile"
	"pgmpi/internal/reading"
	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

func TestAnotherCheckIsAboutWhatWasViolatedOrLeftOpen(t *testing.T) {
	const folder = "../../testdata/recompute/looks"
	f := glfile.Default()
	f.Job.NP, f.Check.Exclude = []int{7}, []string{"GL16"}
	note := must.Get(reading.Again(folder, &f))(t)
	should.Equal(t, note, "27 tests that "+folder+" found violated or left open")
	should.Hold(t, slices.Equal(f.Job.NP, []int{2}) && f.Job.Shapes == nil && f.Check.Exclude == nil, "%+v", f.Job)
	should.Hold(t, slices.Contains(f.Check.Guidelines, "GL16:MPI_Scan") && !slices.Contains(f.Check.Guidelines, "GL8:MPI_Bcast"), "%v", f.Check.Guidelines)
	// A split needs the size of its parts, too.
	should.Hold(t, slices.Contains(f.Check.Calls, "MPI_Reduce:262144:2") && slices.Contains(f.Check.Calls, "MPI_Reduce:65536:2"), "%v", f.Check.Calls)
	should.Equal(t, string(f.Job.Datatype), "byte")
	should.Equal(t, f.Validate(nil), nil)
	_, err := reading.Again("nosuch", &f)
	refused(t, err, "there is no folder nosuch")
}
