package remedy

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"testing"

	"pgmpi/internal/reading"
	"pgmpi/testkit/mpirun"
	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

// Whatever the proof says on this machine: only B ran under the setting, conformance calls were
// made, and a setting is exported if and only if one is proved.
func TestRemedyOfAPlantedSlowdown(t *testing.T) {
	t.Parallel()
	b := mpirun.New(t, mpirun.Libraries[1])
	gl := b.TOML(`
[check]
guidelines = ["GL10"]
[job]
np = [2]
msizes = ["256Ki"]
mpiruns = 8
[measure]
alternate = false
first_calls = 1
warmup = 0
[nrep]
fixed = 3
` + b.Planted("MPI_Bcast:256Ki:80000000ns@2"))
	b.Check("--guidelines", gl).Exits(t, 1)
	s := b.Pgmpi("remedy", b.Out, "--kinds", "environment", "--mpiruns", "5", "--format", "json", "--quiet").Exits(t, 0, 4)
	var r Result
	if err := json.Unmarshal([]byte(s.Stdout), &r); err != nil {
		t.Fatalf("%v: %s", err, s.Stdout)
	}
	if len(r.Cells) != 1 || r.Cells[0].Function != "MPI_Bcast" || r.Cells[0].BeforeS == nil || len(r.Proofs) != 1 || r.Proofs[0].Mpiruns != 10 {
		t.Fatalf("%+v", r)
	}
	folder := filepath.Join(b.Out, "remedy")
	for side, want := range map[string]bool{"a": false, "b": true} {
		_, m, err := reading.Open(filepath.Join(folder, r.Proofs[0].Folder, side))
		if err != nil {
			t.Fatal(err)
		}
		f, err := reading.ConfigOf(m)
		if err != nil {
			t.Fatal(err)
		}
		if _, there := f.MPI.Env["MALLOC_TRIM_THRESHOLD_"]; there != want || f.MPI.Env["PGMPI_DELAY"] == "" {
			t.Errorf("ranks of %s have %v; malloc's variables wanted: %t", side, f.MPI.Env, want)
		}
	}
	proved := s.Code == 0
	for _, name := range []string{"env.sh", "gl.toml"} {
		if b.There(filepath.Join(filepath.Base(b.Out), "remedy", name)) != proved || slices.Contains(r.Files, name) != proved {
			t.Errorf("exit code %d and %s do not go together: %+v", s.Code, name, r)
		}
	}
	if proved != (r.Conformance > 0) || proved != (len(r.Rejected) == 0) {
		t.Errorf("%+v", r)
	}
	b.Pgmpi("remedy", b.Out).Exits(t, 2).Says(t, "--force")
	b.Pgmpi("status", folder).Exits(t, 0).Shows(t, `a: stage 2 `)
	b.Pgmpi("remedy", b.Out, "--kinds", "environment", "--mpiruns", "5", "--resume", "--quiet").Exits(t, s.Code)
	if runs, _ := filepath.Glob(filepath.Join(folder, "proof-*", "*")); len(runs) != 1 {
		t.Errorf("after --resume there are %q", runs)
	}
	b.Pgmpi("submit", "--remedy", b.Out, "--", "--kinds", "environment").Exits(t, 0).Shows(t, "remedy/batch.sh: 2 processes, at most 15 min")
}

// Where no algorithm is faster on this machine, there is nothing to try.
func TestRemedyOfAnExplorationProvesItsAlgorithms(t *testing.T) {
	t.Parallel()
	b := mpirun.New(t, mpirun.Libraries[1])
	b.Pgmpi("explore", "--rank", b.Rank, "--np", "2", "--algorithms", "MPI_Reduce_scatter_block@pairwise", "--msizes", "64Ki", "--mpiruns", "6", "--out", b.Out, "--quiet").Exits(t, 0, 1, 4)
	s := b.Pgmpi("remedy", b.Out, "--mpiruns", "6", "--format", "json", "--quiet").Exits(t, 0, 4)
	var r Result
	must.Do(t, json.Unmarshal([]byte(s.Stdout), &r))
	if len(r.Cells) == 0 {
		t.Skipf("%s", s.Stdout)
	}
	proved := s.Code == 0
	tree, variable := r.Env["MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE"] != "", r.Env["MPIR_CVAR_REDUCE_SCATTER_BLOCK_INTRA_ALGORITHM"] == "pairwise"
	should.Hold(t, len(r.Proofs) > 0 && proved == (tree || variable) && tree == slices.Contains(r.Files, "mpich.json"), "%+v", r)
}
