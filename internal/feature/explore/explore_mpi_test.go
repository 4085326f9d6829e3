package explore

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgmpi/measure/protocol"
	"pgmpi/testkit/mpirun"
	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

func explored(b *mpirun.Fixture) (e Exploration) {
	b.T.Helper()
	must.Do(b.T, json.Unmarshal([]byte(b.Read("explore.json")), &e))
	return e
}

func TestExplorationHasEveryCellAndItsFiles(t *testing.T) {
	mpirun.EitherAtOnce(t, func(t *testing.T, b *mpirun.Fixture) {
		b.Pgmpi("explore", "--rank", b.Rank, "--out", b.Out, "--np", "2", "--algorithms", "MPI_Scan,!MPI_Scan@recursive_doubling", "--msizes", "8,1Ki", "--select", "1",
			"--mpiruns", "6", "--format", "table,csv,json,markdown,junit,openmetrics").Exits(t, 0, 1)
		e := explored(b)
		// MPICH cannot force smp, its default, within a node.
		faulty := slices.ContainsFunc(e.Unused, func(u Unused) bool { return u.Status != string(protocol.StatusUnavailable) })
		if len(e.Cells) != 2 || e.Cells[0].Function != "MPI_Scan" || e.Cells[0].Own == nil || e.Cells[0].Mockup == nil || faulty {
			t.Errorf("found %+v, unused %+v", e.Cells, e.Unused)
		}
		explorationGoesOn(b)
		for _, name := range []string{"explore.txt", "explore.csv", "explore.md", "explore.junit.xml", "explore.prom"} {
			if _, err := os.Stat(filepath.Join(b.Out, name)); err != nil {
				t.Error(err)
			}
		}
	})
}

// explorationGoesOn takes mpiruns out of an exploration's folder: the other commands know how
// far it is, and --resume measures what is missing and nothing else.
func explorationGoesOn(b *mpirun.Fixture) {
	b.T.Helper()
	before := b.Read("explore.json")
	tests, _ := filepath.Glob(filepath.Join(b.Out, "raw", "explore-*"))
	for _, name := range append(tests[min(2, len(tests)):], filepath.Join(b.Out, "explore.json")) {
		must.Do(b.T, os.Remove(name))
	}
	finished := b.Raw()
	b.Pgmpi("check", "--rank", b.Rank, "--out", b.Out, "--resume").Exits(b.T, 2).Says(b.T, "is a folder of pgmpi explore", "pgmpi explore --out")
	dry := b.Pgmpi("explore", "--rank", b.Rank, "--out", b.Out, "--resume", "--dry-run").Exits(b.T, 0).Stdout
	status := b.Pgmpi("status", b.Out).Exits(b.T, 0).Stdout
	if len(tests) > 2 && (!strings.Contains(status, "test of candidates") || !strings.Contains(dry, "(2 of 6 are done)")) {
		b.T.Errorf("status: %s\n--dry-run: %s", status, dry)
	}
	b.Pgmpi("explore", "--rank", b.Rank, "--out", b.Out, "--resume", "--format", "table,csv,json,markdown,junit,openmetrics").Exits(b.T, 0, 1)
	again := b.Raw()
	for name, when := range finished {
		if !when.Equal(again[name]) {
			b.T.Errorf("%s was finished, and was measured again", name)
		}
	}
	if now, _ := filepath.Glob(filepath.Join(b.Out, "raw", "explore-*")); len(now) != len(tests) {
		b.T.Errorf("%d mpiruns test, before %d", len(now), len(tests))
	}
	after := b.Read("explore.json")
	b.Pgmpi("analyze", b.Out).Exits(b.T, 0, 1)
	if b.Read("explore.json") != after {
		b.T.Error("analyze writes another explore.json")
	}
	if len(before) == 0 || !strings.Contains(b.Pgmpi("status", b.Out).Exits(b.T, 0).Stdout, "finished") {
		b.T.Error("status does not know that it is finished")
	}
}

func TestForcedAlgorithmIsNotExplored(t *testing.T) {
	t.Parallel()
	b := mpirun.New(t, mpirun.Libraries[0])
	file := b.TOML("[mpi]\nenv = { OMPI_MCA_coll_tuned_bcast_algorithm = \"1\" }\n")
	s := b.Pgmpi("explore", "--guidelines", file, "--rank", b.Rank, "--out", b.Out, "--np", "2").Exits(t, 2)
	if want := "gl.toml:2:"; !strings.Contains(s.Stderr, want) || !strings.Contains(s.Stderr, "MPI_Bcast") {
		t.Errorf("%s: not %s", s.Stderr, want)
	}
}

func TestExplorationIsPlannedWithoutStartingAnything(t *testing.T) {
	t.Parallel()
	b := mpirun.New(t, mpirun.Libraries[1])
	s := b.Pgmpi("explore", "--dry-run", "--rank", b.Rank, "--np", "2").Exits(t, 0)
	for _, want := range []string{"3 choose among them, about 14 others test", "4 algorithms of each collective", "p2 test of candidates"} {
		if !strings.Contains(s.Stdout, want) {
			t.Errorf("not %q:\n%s", want, s.Stdout)
		}
	}
	gl := b.TOML("[job]\nnp = [2]\n")
	b.Pgmpi("submit", gl, "--explore", "--out", b.Out, "--", "--rank", b.Rank, "--select", "2").Exits(t, 0)
	if script := b.Read("batch.sh"); !strings.Contains(script, "explore --guidelines") || !strings.Contains(script, "--select 2") {
		t.Errorf("the script: %s", script)
	}
}

// A library that gives an old result again while one case is timed, which the data of that case
// cannot show: the call behind its timed ones does, and the exploration ends with 3.
func TestExplorationEndsWithThreeWhenDataGoStaleWhileTheyAreTimed(t *testing.T) {
	mpirun.EitherAtOnce(t, func(t *testing.T, b *mpirun.Fixture) {
		gl := b.TOML("[job]\nnp = [2]\nmpiruns = 6\nmsizes = [\"64\"]\n[nrep]\nfixed = 200\n[explore]\nselect = 1\nalgorithms = [\"MPI_Allgather\"]\n")
		s := b.With("wrong-stale-after-100").Pgmpi("explore", "--rank", b.Rank, "--out", b.Out, "--guidelines", gl).Exits(t, 3)
		should.Contain(t, s.Stderr, "gave wrong data")
		unused := explored(b).Unused
		should.Hold(t, slices.ContainsFunc(unused, func(u Unused) bool {
			return u.Function == "MPI_Allgather" && u.Status == string(protocol.StatusWrong)
		}) &&
			slices.ContainsFunc(unused, func(u Unused) bool {
				return strings.Contains(u.Message, "in a call on other data after the timed ones")
			}),
			"unused: %+v", unused)
	})
}
