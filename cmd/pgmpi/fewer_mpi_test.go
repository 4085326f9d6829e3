package main

import (
	"testing"

	"pgmpi/analyze/judge"
	"pgmpi/testkit/mpirun"
	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

// onFour checks Bcast on four processes, in few mpiruns.
const onFour = `
[check]
guidelines = ["fewer"]
functions = ["MPI_Bcast"]
[job]
np = [4]
mpiruns = 8
msizes = ["8Ki"]
[nrep]
fixed = 1
[measure]
alternate = false
first_calls = 0
warmup = 0
[analyze]
test = "ranksum" # one disturbed mpirun of eight is no matter
`

// A Bcast that takes 120 ms more on four processes alone is mended by calling it on fewer: more than four processes wait
// for a turn on a busy machine. Open MPI's processes yield their cores to each other.
func TestACallThatIsSlowOnFourProcessesAloneIsFasterOnFewer(t *testing.T) {
	t.Parallel()
	b := newFixture(t, mpirun.Libraries[0])
	path := b.TOML(onFour + b.Planted("MPI_Bcast:8Ki:120000000ns@4"))
	said := b.Check(path).Exits(t, 1)
	r := b.Report()
	must.Hold(t, len(r.Verdicts) == 1, "%d tests", len(r.Verdicts))
	v := &r.Verdicts[0]
	should.Hold(t, v.Guideline == "FP1" && v.Verdict == judge.Violated && *v.RatioLo95 > 1.05, "%+v", v)
	said.Shows(t, "Bcast")
}
