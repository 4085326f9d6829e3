package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgmpi/analyze/judge"
	"pgmpi/analyze/series"
	"pgmpi/internal/remark"
	"pgmpi/testkit/mpirun"
	"pgmpi/testkit/must"
)

func comparisonOf(t *testing.T, text string) *series.Comparison {
	t.Helper()
	var c series.Comparison
	if err := json.Unmarshal([]byte(text), &c); err != nil {
		t.Fatalf("%v in:\n%.500s", err, text)
	}
	return &c
}

// plantedCase checks a pattern at one size, with few calls: each that is slowed down takes 100 ms longer, which
// exceeds what else happens on a busy machine.
const plantedCase = `
[check]
guidelines = ["GL5"]
[job]
np = [2]
mpiruns = 8
msizes = ["64"]
[measure]
turns = 1
alternate = false
first_calls = 1
warmup = 0
[nrep]
fixed = 3
[analyze]
alpha = 0.05
`

// sides writes two gl.toml: in one the mock-up is slow, in the other the collective.
func (b *fixture) sides() (kept, slow string) {
	b.T.Helper()
	return b.SetUp("kept", plantedCase+b.Planted("MPI_Alltoall:64:100000000ns@2")), b.SetUp("slow", plantedCase+b.Planted("MPI_Allgather:64:100000000ns@2"))
}

// oneIs fails the test unless the results folder has just this verdict.
func (b *fixture) oneIs(verdict judge.Verdict) {
	b.T.Helper()
	if r := b.Report(); len(r.Verdicts) != 1 || r.Verdicts[0].Function != "MPI_Allgather" || r.Verdicts[0].Verdict != verdict {
		b.T.Errorf("not %s: %+v", verdict, r.Verdicts)
	}
}

// A call is slower than before, and a guideline that was kept is violated (S-PGMPI §5.2).
func TestPlantedSlowdownIsFoundAndASlowdownAndNewlyViolates(t *testing.T) {
	t.Parallel()
	b := newFixture(t, mpirun.Libraries[1])
	kept, slow := b.sides()
	b.Check("--guidelines", kept).Exits(t, 0)
	b.oneIs(judge.Kept)
	before := b.Out
	b.Out += "-after"
	b.Check("--guidelines", slow).Exits(t, 1)
	b.oneIs(judge.Violated)

	s := b.Pgmpi("compare", before, b.Out, "--format", "json").Exits(t, 1)
	c := comparisonOf(t, s.Stdout)
	if len(c.Cases) != 1 || c.Cases[0].Change != series.Slower || *c.Cases[0].Ratio < 2 || c.Test != judge.TestRankSum {
		t.Errorf("cases %+v by %s", c.Cases, c.Test)
	}
	if len(c.Guidelines) != 1 || c.Guidelines[0].Change != series.NewlyViolated || c.Guidelines[0].Guideline != "GL5" {
		t.Errorf("guidelines %+v", c.Guidelines)
	}
	differ, warned := ofSetUps(c.Differences), ofSetUpsWarned(c.Warnings)
	if len(differ) != 1 || !strings.HasSuffix(differ[0].Factor, "PGMPI_DELAY") || len(warned) != 0 {
		t.Errorf("the plant is the only difference, not %+v, %+v", differ, warned)
	}
	b.Pgmpi("compare", b.Out, before).Exits(t, 0)
	b.Pgmpi("compare", before, b.Out, "--alternative", "less").Exits(t, 1) // for the guideline
	// Two folders of one set-up and one of another do not repeat.
	out := filepath.Join(b.Dir, "spread")
	b.Pgmpi("compare", "--repeat", before, before, b.Out, "--format", "csv,json", "--out", out).Exits(t, 0)
	var spread series.Spread
	text, err := os.ReadFile(filepath.Join(out, "reproduce.json"))
	if err != nil || json.Unmarshal(text, &spread) != nil {
		t.Fatal(err)
	}
	if len(spread.Cases) != 1 || spread.Cases[0].MaxOverMin < 2 || spread.Cases[0].Normalised[0] != 1 || len(ofSetUpsWarned(spread.Warnings)) != 1 {
		t.Errorf("%+v", spread)
	}
}

// ofSetUps drops differences in the state of the machine.
func ofSetUps(all []series.Difference) []series.Difference {
	return slices.DeleteFunc(slices.Clone(all), func(d series.Difference) bool { return strings.HasPrefix(d.Factor, "machine state") })
}

func ofSetUpsWarned(all []remark.Remark) []remark.Remark {
	return slices.DeleteFunc(slices.Clone(all), func(r remark.Remark) bool {
		return strings.HasPrefix(string(r.ID), "differs-machine-state") || r.ID == remark.MachineShift
	})
}

// The other way round: a slow call becomes better, and keeps a guideline again (S-PGMPI §5.3). The two sides
// alternate.
func TestSlowdownTakenAwayIsFasterAndNewlyKept(t *testing.T) {
	t.Parallel()
	b := newFixture(t, mpirun.Libraries[1])
	kept, slow := b.sides()
	s := b.Pgmpi("ab", slow, kept, "--out", b.Out, "--format", "json", "--quiet").Exits(t, 0)
	c := comparisonOf(t, s.Stdout)
	if len(c.Guidelines) != 1 || c.Guidelines[0].Change != series.NewlyKept || c.Guidelines[0].Guideline != "GL5" {
		t.Errorf("guidelines %+v", c.Guidelines)
	}
	if c.Cases[0].Change != series.Faster || *c.Cases[0].Ratio > 0.5 || c.Test != judge.TestCappedRank || !c.Paired {
		t.Errorf("cases %+v by %s", c.Cases, c.Test)
	}
	whole := b.Out
	for side, verdict := range map[string]judge.Verdict{"a": judge.Violated, "b": judge.Kept} {
		b.Out = filepath.Join(whole, side)
		b.Pgmpi("analyze", b.Out).Exits(t, 0, 1)
		b.oneIs(verdict)
	}
}

// sameTwice sets up a check of a few collectives, whose tests of --alpha 0.5 four mpiruns are enough for.
const sameTwice = `
[check]
guidelines = ["GL8", "GL5", "GL12"]
[job]
np = [2]
msizes = ["8", "4Ki"]
[nrep]
max = 200
[mpi]
`

// The benches test what it finds: all cases of an mpirun share its speed, so that by chance all of them are found
// at once.
func TestABComparesASetUpWithItselfAndResumes(t *testing.T) {
	eitherAtOnce(t, func(t *testing.T, b *fixture) {
		gl := b.SetUp("same", sameTwice)
		args := []string{"ab", gl, gl, "--out", b.Out, "--mpiruns", "4", "--alpha", "0.5", "--quiet", "--format", "json,csv,table"}
		s := b.Pgmpi(args...).Exits(t, 0, 1)
		c := comparisonOf(t, s.Stdout)
		if len(c.Cases) != 6 || c.M != 6 || !c.Paired {
			t.Errorf("%d cases, m = %d, paired %v", len(c.Cases), c.M, c.Paired)
		}
		if !regexp.MustCompile(`(?m)^A: \d+ violated; .*a/report\.txt\nB: \d+ violated, .* A; .*b/report\.txt$`).MatchString(s.Stderr) {
			t.Errorf("what each side violates is not said:\n%s", s.Stderr)
		}
		if differ := ofSetUps(c.Differences); len(differ) != 0 {
			t.Errorf("one set-up differs from itself: %+v", differ)
		}
		for _, name := range []string{"ab.json", "compare.json", "compare.csv", "compare.txt", "a/report.json", "b/report.txt", "a/raw/nrep-p2-1.tsv.gz", "b/raw/run-p2-04.tsv.gz"} {
			if _, err := os.Stat(filepath.Join(b.Out, name)); err != nil {
				t.Error(err)
			}
		}
		b.Pgmpi(args...).Exits(t, 2).Says(t, "not empty", "--resume")

		whole := b.Out
		b.Out = filepath.Join(whole, "b")
		before := b.Raw()
		const missing = "run-p2-03.tsv.gz"
		must.Do(t, os.Remove(filepath.Join(b.Out, "raw", missing)))
		b.Pgmpi("compare", whole).Exits(t, 1, 4)
		b.Pgmpi(append(args, "--resume")...).Exits(t, 0, 1)
		for name, when := range b.Raw() {
			if again := !when.Equal(before[name]); again != (name == missing) {
				t.Errorf("%s was measured again: %v", name, again)
			}
		}
		if again := comparisonOf(t, b.Pgmpi("compare", whole, "--format", "json").Exits(t, 0, 1).Stdout); !again.Paired {
			t.Error("compare of the folder of ab does not pair")
		}
	})
}
