package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgmpi/measure/results"
	"pgmpi/testkit/mpirun"
	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

// slowBcast writes a check in which Bcast of 1 KiB takes 100 ms longer. That exceeds what else happens on a busy
// machine, even in four calls of 256 B, which take smallDelay longer.
func (b *fixture) slowBcast(more string) string {
	return b.TOML(`
[check]
guidelines = ["GL2:MPI_Bcast", "GL10"]
[job]
np = [2]
msizes = ["256", "1Ki"]
` + more + `
[measure]
alternate = false
first_calls = 1
warmup = 0
[nrep]
fixed = 3
[analyze]
test = "ranksum" # one disturbed mpirun of eight is no matter
` + b.Planted(fmt.Sprintf("MPI_Bcast:1000..1Ki:100000000ns@2,MPI_Bcast:256:%dns", smallDelay)))
}

const smallDelay = 50000 // ns

func TestSuspectedSplitOfAPlantedSlowdownIsViolatedByExperiment(t *testing.T) {
	t.Parallel()
	b := newFixture(t, mpirun.Libraries[1])
	gl := b.slowBcast("mpiruns = 8")
	b.Check("--guidelines", gl).Exits(t, 1)
	r := b.Report()
	v := r.Verdicts[0]
	should.Hold(t, v.Guideline == "GL2" && v.Msize == 1024 && v.Verdict == "violated" && v.K == 4 && v.PValue != nil && v.Runs == 8, "%+v", v)
	if r.Split == nil || r.Split.M != 1 || r.Split.Alpha != 0.01 {
		t.Errorf("%+v", r.Split)
	}
	split := filepath.Join(b.Out, "raw", "split-p2-03.tsv.gz")
	must.Do(t, os.Remove(split))
	before := b.Raw()
	b.Check("--resume").Exits(t, 1)
	for name, when := range b.Raw() {
		old, ok := before[name]
		should.Hold(t, (!ok || old.Equal(when)) && (ok || name == "split-p2-03.tsv.gz"), "--resume wrote %s", name)
	}
	b.Pgmpi("analyze", b.Out).Exits(t, 1)
	again := b.Report().Verdicts[0]
	should.Hold(t, again.Verdict == "violated" && again.PValue != nil, "analyze makes another verdict: %+v", again)
	// The experiment's samples are k calls: 4 of 256 B, next to one of 1 KiB.
	raw := must.Get(results.ReadRaw(split, 1<<20))(t)
	if len(raw.Cases) != 2 || raw.Cases[0].Calls != 4 || raw.Cases[0].Msize != 256 || raw.Cases[1].Calls != 0 || raw.Cases[1].Msize != 1024 {
		t.Fatalf("cases of %s: %+v", split, raw.Cases)
	}
	checkProbes(t, 2, raw.Probes, 5)
	for _, s := range raw.Samples[0] {
		should.Hold(t, s.NS >= 4*smallDelay, "4 calls took %d ns, less than their delays", s.NS)
	}
}

func TestWithoutTheExperimentASplitIsOnlySuspected(t *testing.T) {
	t.Parallel()
	b := newFixture(t, mpirun.Libraries[1])
	b.Check("--guidelines", b.slowBcast("mpiruns = 8"), "--no-split-experiment").Exits(t, 1)
	if r := b.Report(); r.Verdicts[0].Verdict != "suspected" || r.Split != nil {
		t.Errorf("%+v, %+v", r.Verdicts[0], r.Split)
	}
}

func TestMaxTimeAndMaxMpirunsEndACheckWithAVerdict(t *testing.T) {
	t.Parallel()
	b := newFixture(t, mpirun.Libraries[1])
	gl := b.TOML(strings.Replace(quick, "mpiruns = 3", "mpiruns = 4000", 1))
	// Two mpiruns, as a busy machine may have time for, are too few for a verdict.
	b.Check("--guidelines", gl, "--max-time", "4s").Exits(t, 0, 1, 4).Says(t, "job.max_time", "ended after")
	n := len(b.Raw())
	if r := b.Report(); r.R != n || n < 1 || n >= 4000 {
		t.Errorf("R = %d after %d mpiruns", r.R, n)
	}
	b.Check("--resume").Exits(t, 0, 1, 4)
	again := len(b.Raw())
	should.Hold(t, again == n, "%d mpiruns after --resume, %d before: that is one look more", again, n)
	b.Out += "-2"
	b.Check("--guidelines", gl, "--max-mpiruns", "3").Exits(t, 0, 1)
	should.Equal(t, len(b.Raw()), 3, "mpiruns")
}
