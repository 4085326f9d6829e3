package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgmpi/internal/exitcode"
	"pgmpi/testkit/must"
)

func TestClocksFindsAllRankProgramsBeforeItStartsOne(t *testing.T) {
	needs(t, "clocks")
	b := emptyFixture(t, t.TempDir())
	const rank = `#!/bin/sh
echo '{"program": "pgmpi-rank", "library": "openmpi", "lib_version": "Open MPI", "built_for": "Open MPI", "hash": "x"}'
`
	must.Do(t, os.WriteFile(filepath.Join(b.Dir, "rank"), []byte(rank), 0o777))
	s := b.Pgmpi("clocks", "--np", "2", "--rank", b.Dir+"/rank,"+b.Dir+"/nowhere").Exits(t, exitcode.Setup).Says(t, "no rank program at", "nowhere")
	if strings.Contains(s.Stderr, "methods to examine") {
		t.Errorf("an mpirun was started: %s", s.Stderr)
	}
	b.Pgmpi("clocks", "--calls", "20").Exits(t, exitcode.Setup).Says(t, "--calls goes with --barrier")
	b.Pgmpi("clocks", "--barrier", "--seconds", "1").Exits(t, exitcode.Setup).Says(t, "--seconds does not go with --barrier")
}
