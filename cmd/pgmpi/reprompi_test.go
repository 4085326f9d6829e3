package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgmpi/internal/fixture/must"
	"pgmpi/internal/fixture/should"
)

// reproFile writes what mpibenchmark prints for Reduce and its mock-up, which
// is faster by half.
func (b *fixture) reproFile(run int) string {
	b.t.Helper()
	var text strings.Builder
	text.WriteString("#@operation=MPI_BOR\n#@datatype=MPI_CHAR\n#@datatype_extent_bytes=1\n#@root_proc=0\n#@nprocs=4\n")
	fmt.Fprintf(&text, "%50s %10s %12s %14s \n", "test", "nrep", "count", "runtime_sec")
	for test, seconds := range map[string]float64{"MPI_Reduce": 3e-6, "GL_Reduce_as_Allreduce": 2e-6, "BBarrier": 1e-6} {
		for rep := range 9 {
			fmt.Fprintf(&text, "%50s %10d %12d %14.10f\n", test, rep, 1024, seconds+1e-8*float64(run)+1e-9*float64(rep))
		}
	}
	text.WriteString("# Execution time: 0s\n")
	path := filepath.Join(b.dir, fmt.Sprintf("run%d.dat", run))
	must.Do(b.t, os.WriteFile(path, []byte(text.String()), 0o666))
	return path
}

func TestOutputOfReproMPIIsJudged(t *testing.T) {
	b := emptyFixture(t, t.TempDir())
	args := []string{"analyze", "--from", "reprompi"}
	for run := range 8 {
		args = append(args, b.reproFile(run))
	}
	s := b.pgmpi(append(args, "--full")...).exits(t, 1)
	should.Contain(t, s.stdout, "p = 4; R = 8 mpiruns; datatype MPI_CHAR, op MPI_BOR", "GL8 Reduce", "1.49×", "no guideline is about them: BBarrier")
	entries, err := os.ReadDir(b.dir)
	should.Hold(t, err == nil && len(entries) == 8, "something was written without --out: %v, %v", entries, err)
	b.pgmpi(append(args, "--out", b.out, "--format", "csv")...).exits(t, 1)
	if r := b.report(); r.Exit != 1 || len(r.Verdicts) != 1 || r.Verdicts[0].Verdict != "violated" {
		t.Errorf("%+v", r.Verdicts)
	}
	gl := b.toml("[check]\nguidelines = [\"GL12\"]\n")
	b.pgmpi(append(args, "--guidelines", gl)...).exits(t, 2).says(t, "no test")
	b.pgmpi(args[:5]...).exits(t, 4).says(t, "too few")
	b.pgmpi(append(args, args[3])...).exits(t, 2).says(t, "given twice")
	b.pgmpi("analyze", "--from", "reprompy", args[3]).exits(t, 2).says(t, "reprompi")
	b.pgmpi("analyze", b.dir, "--guidelines", gl).exits(t, 2).says(t, "goes with --from")
	broken := filepath.Join(b.dir, "run0.dat")
	text := must.Get(os.ReadFile(broken))(t)
	must.Do(t, os.WriteFile(broken, text[:len(text)-60], 0o666))
	b.pgmpi(args...).exits(t, 3).says(t, "run0.dat:33: ")
}
