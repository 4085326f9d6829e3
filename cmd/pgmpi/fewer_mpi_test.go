package main

import (
	"fmt"
	"path/filepath"
	"testing"

	"pgmpi/analyze/judge"
	"pgmpi/testkit/mpirun"
	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

// slowOnFour gives Bcast on four processes a chain of tiny segments, and a binomial tree on fewer.
const slowOnFour = "1\n7\n2\n2\n1\n0 6 0 0\n4\n1\n0 3 0 64\n"

// A call of four processes that is slow by a rule of the library is mended by calling it on fewer, at whatever load.
func TestACallThatIsSlowOnFourProcessesAloneIsFasterOnFewer(t *testing.T) {
	t.Parallel()
	b := newFixture(t, mpirun.Libraries[0])
	b.Put("rules", slowOnFour)
	path := b.TOML(fmt.Sprintf(`
[check]
guidelines = ["fewer"]
functions = ["MPI_Bcast"]
[job]
np = [4]
mpiruns = 5
msizes = ["8Ki"]
[nrep]
fixed = 3
[measure]
alternate = false
[mpi]
env = { OMPI_MCA_coll_tuned_use_dynamic_rules = "1", OMPI_MCA_coll_tuned_dynamic_rules_filename = %q }
`, filepath.Join(b.Dir, "rules")))
	said := b.Check(path).Exits(t, 1)
	r := b.Report()
	must.Hold(t, len(r.Verdicts) == 1, "%d tests", len(r.Verdicts))
	v := &r.Verdicts[0]
	should.Hold(t, v.Guideline == "FP1" && v.Verdict == judge.Violated && *v.RatioLo95 > 1.05, "%+v", v)
	said.Shows(t, `Bcast on `, `\[FP1\]`)
}
