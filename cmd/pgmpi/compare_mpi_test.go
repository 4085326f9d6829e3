package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgmpi/analyze"
	"pgmpi/analyze/judge"
	"pgmpi/analyze/series"
	"pgmpi/internal/fixture/must"
	"pgmpi/internal/remark"
)

// setUp writes the gl.toml of one side and returns its path.
func (b *fixture) setUp(name, text string) string {
	b.t.Helper()
	path := filepath.Join(b.dir, name+".toml")
	must.Do(b.t, os.WriteFile(path, []byte(text+fmt.Sprintf("rank = %q\n", b.rank)), 0o666))
	return path
}

func comparisonOf(t *testing.T, text string) *series.Comparison {
	t.Helper()
	var c series.Comparison
	if err := json.Unmarshal([]byte(text), &c); err != nil {
		t.Fatalf("%v in:\n%.500s", err, text)
	}
	return &c
}

// oneCase checks a pattern at one size; [mpi] comes last, so that a side can
// add to it.
const oneCase = `
[check]
guidelines = [%q]
[job]
np = [2]
mpiruns = 10
msizes = ["64Ki"]
[nrep]
fixed = 100
[mpi]
`

// isFound fails the test unless the slow algorithm that was planted in the results
// folder by the library's own switch is found at its size, where it is slow.
func (b *fixture) isFound(function string, without *analyze.Verdict) {
	b.t.Helper()
	v := b.report().Verdicts[0]
	if v.Function != function || v.Msize != 64<<10 || v.Verdict != "violated" || v.Alternative == nil || v.Ratio == nil {
		b.t.Fatalf("planted: %+v", v)
	}
	if *v.Ratio < 1.3**without.Ratio {
		b.t.Errorf("the plant does not show: ratio %.2f without, %.2f with it", *without.Ratio, *v.Ratio)
	}
}

// A slow algorithm that the library is told to use is found: the call is slower
// than before, and a guideline that was kept is violated (S-PGMPI §5.2).
func TestForcedSlowAlgorithmIsFoundAndASlowdownAndNewlyViolates(t *testing.T) {
	b := newFixture(t, libraries[0])
	gl := fmt.Sprintf(oneCase, "GL5")
	b.check("--guidelines", b.setUp("before", gl)).exits(t, 0, 1, 4)
	before, without := b.out, b.report().Verdicts[0]
	b.out += "-after"
	plant := `env = { OMPI_MCA_coll_tuned_use_dynamic_rules = "1", OMPI_MCA_coll_tuned_allgather_algorithm = "1" }` + "\n"
	b.check("--guidelines", b.setUp("after", gl+plant)).exits(t, 1)
	b.isFound("MPI_Allgather", &without)

	s := b.pgmpi("compare", before, b.out, "--format", "json").exits(t, 1)
	c := comparisonOf(t, s.stdout)
	if len(c.Cases) != 1 || c.Cases[0].Change != series.Slower || *c.Cases[0].Ratio < 1.3 || c.Test != judge.TestRankSum {
		t.Errorf("cases %+v by %s", c.Cases, c.Test)
	}
	if len(c.Guidelines) != 1 || c.Guidelines[0].Change != series.NewlyViolated || c.Guidelines[0].Guideline != "GL5" {
		t.Errorf("guidelines %+v", c.Guidelines)
	}
	differ, warned := ofSetUps(c.Differences), ofSetUpsWarned(c.Warnings)
	if len(differ) != 2 || !strings.HasSuffix(differ[0].Factor, "allgather_algorithm") || len(warned) != 0 {
		t.Errorf("the plant is the only difference, not %+v, %+v", differ, warned)
	}
	b.pgmpi("compare", b.out, before).exits(t, 0)
	b.pgmpi("compare", before, b.out, "--alternative", "less").exits(t, 1) // for the guideline
	// Two folders of one set-up and one of another do not repeat.
	out := filepath.Join(b.dir, "spread")
	b.pgmpi("compare", "--repeat", before, before, b.out, "--format", "csv,json", "--out", out).exits(t, 0)
	var spread series.Spread
	text, err := os.ReadFile(filepath.Join(out, "reproduce.json"))
	if err != nil || json.Unmarshal(text, &spread) != nil {
		t.Fatal(err)
	}
	if len(spread.Cases) != 1 || spread.Cases[0].MaxOverMin < 1.3 || spread.Cases[0].Normalised[0] != 1 || len(ofSetUpsWarned(spread.Warnings)) != 2 {
		t.Errorf("%+v", spread)
	}
}

// ofSetUps leaves out that the machine was in another state.
func ofSetUps(all []series.Difference) []series.Difference {
	return slices.DeleteFunc(slices.Clone(all), func(d series.Difference) bool { return strings.HasPrefix(d.Factor, "machine state") })
}

func ofSetUpsWarned(all []remark.Remark) []remark.Remark {
	return slices.DeleteFunc(slices.Clone(all), func(r remark.Remark) bool {
		return strings.HasPrefix(string(r.ID), "differs-machine-state") || r.ID == remark.MachineShift
	})
}

// The other way round: a library that was told to use a slow algorithm is told
// to use a better one, and keeps a guideline again (S-PGMPI §5.3). The two sides
// alternate.
func TestForcedBetterAlgorithmIsFasterAndNewlyKept(t *testing.T) {
	b := newFixture(t, libraries[1])
	gl := fmt.Sprintf(oneCase, "GL21")
	before := b.setUp("before", gl+`env = { MPIR_CVAR_ALLTOALL_INTRA_ALGORITHM = "brucks" }`+"\n")
	after := b.setUp("after", gl+`env = { MPIR_CVAR_ALLTOALL_INTRA_ALGORITHM = "pairwise" }`+"\n")
	s := b.pgmpi("ab", before, after, "--out", b.out, "--format", "json", "--quiet").exits(t, 0)
	c := comparisonOf(t, s.stdout)
	if len(c.Guidelines) != 1 || c.Guidelines[0].Change != series.NewlyKept || c.Guidelines[0].Guideline != "GL21" {
		t.Errorf("guidelines %+v", c.Guidelines)
	}
	whole := b.out
	b.out = filepath.Join(whole, "b")
	b.pgmpi("analyze", b.out).exits(t, 0, 1, 4)
	without := b.report().Verdicts[0]
	b.out = filepath.Join(whole, "a")
	b.pgmpi("analyze", b.out).exits(t, 1)
	b.isFound("MPI_Alltoall", &without)
	if c.Cases[0].Change != series.Faster || *c.Cases[0].Ratio > 0.75 || c.Test != judge.TestCappedRank || !c.Paired {
		t.Errorf("cases %+v by %s", c.Cases, c.Test)
	}
}

// sameTwice is a set-up with a few collectives; eight mpiruns are enough for them.
const sameTwice = `
[check]
guidelines = ["GL8", "GL5", "GL12"]
[job]
np = [2]
mpiruns = 8
msizes = ["8", "4Ki"]
[nrep]
max = 200
[mpi]
`

// What it finds is left to the benches: all cases of an mpirun share its speed, so
// that by chance all of them are found at once.
func TestABComparesASetUpWithItselfAndResumes(t *testing.T) {
	bothAtOnce(t, func(t *testing.T, b *fixture) {
		gl := b.setUp("same", sameTwice)
		args := []string{"ab", gl, gl, "--out", b.out, "--quiet", "--format", "json,csv,table"}
		s := b.pgmpi(args...).exits(t, 0, 1)
		c := comparisonOf(t, s.stdout)
		if len(c.Cases) != 6 || c.M != 6 || !c.Paired {
			t.Errorf("%d cases, m = %d, paired %v", len(c.Cases), c.M, c.Paired)
		}
		if !regexp.MustCompile(`(?m)^A: \d+ violated; .*a/report\.txt\nB: \d+ violated, .* A; .*b/report\.txt$`).MatchString(s.stderr) {
			t.Errorf("what each side violates is not said:\n%s", s.stderr)
		}
		if differ := ofSetUps(c.Differences); len(differ) != 0 {
			t.Errorf("one set-up differs from itself: %+v", differ)
		}
		for _, name := range []string{"ab.json", "compare.json", "compare.csv", "compare.txt", "a/report.json", "b/report.txt", "a/raw/nrep-p2-3.tsv.gz", "b/raw/run-p2-08.tsv.gz"} {
			if _, err := os.Stat(filepath.Join(b.out, name)); err != nil {
				t.Error(err)
			}
		}
		b.pgmpi(args...).exits(t, 2).says(t, "not empty", "--resume")

		whole := b.out
		b.out = filepath.Join(whole, "b")
		before := b.raw()
		const missing = "run-p2-05.tsv.gz"
		must.Do(t, os.Remove(filepath.Join(b.out, "raw", missing)))
		b.pgmpi("compare", whole).exits(t, 1, 4)
		b.pgmpi(append(args, "--resume")...).exits(t, 0, 1)
		for name, when := range b.raw() {
			if again := !when.Equal(before[name]); again != (name == missing) {
				t.Errorf("%s was measured again: %v", name, again)
			}
		}
		if again := comparisonOf(t, b.pgmpi("compare", whole, "--format", "json").exits(t, 0, 1).stdout); !again.Paired {
			t.Error("compare of the folder of ab does not pair")
		}
	})
}
