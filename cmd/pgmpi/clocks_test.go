package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgmpi/internal/exitcode"
	"pgmpi/internal/fixture/must"
)

func TestClocksFindsAllRankProgramsBeforeItStartsOne(t *testing.T) {
	b := emptyFixture(t, t.TempDir())
	const rank = `#!/bin/sh
echo '{"program": "pgmpi-rank", "library": "openmpi", "lib_version": "Open MPI", "built_for": "Open MPI", "hash": "x"}'
`
	must.Do(t, os.WriteFile(filepath.Join(b.dir, "rank"), []byte(rank), 0o777))
	s := b.pgmpi("clocks", "--np", "2", "--rank", b.dir+"/rank,"+b.dir+"/nowhere").exits(t, exitcode.Setup).says(t, "no rank program at", "nowhere")
	if strings.Contains(s.stderr, "methods to examine") {
		t.Errorf("an mpirun was started: %s", s.stderr)
	}
}
