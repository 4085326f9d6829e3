package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

// testdata/older has a check of Reduce ≤ Allreduce by each version that is no longer made.
func TestFoldersOfOlderVersionsAreRead(t *testing.T) {
	t.Parallel()
	b := emptyFixture(t, t.TempDir())
	for _, version := range []string{"0.2.0", "0.3.0"} {
		dir := filepath.Join(b.Dir, version)
		must.Do(t, os.CopyFS(dir, os.DirFS(filepath.Join("testdata/older", version))))
		then := string(must.Get(os.ReadFile(filepath.Join(dir, "medians.csv")))(t))
		again := filepath.Join(b.Dir, "again-"+version)
		s := b.Pgmpi("analyze", dir, "--out", again).Exits(t, 0)
		should.Contain(t, s.Stdout, "MPICH 4.0.2, 2 processes, byte/bor, 10 mpiruns", " 3 tests")
		now := string(must.Get(os.ReadFile(filepath.Join(again, "medians.csv")))(t))
		should.Equal(t, firstColumns(now, 17), firstColumns(then, 17), "the medians of %s", version)
	}
	should.Contain(t, b.Pgmpi("compare", "0.2.0", "0.3.0").Exits(t, 0).Stdout, "NO CHANGE")
	should.Contain(t, b.Pgmpi("history", "0.2.0", "0.3.0").Exits(t, 0).Stdout, "2 checks of mpich", "pgmpi 0.2.0", "0.3.0")
	b.Pgmpi("analyze", "0.3.0", "--baseline", "0.2.0", "--out", "gated").Exits(t, 0)
}

func firstColumns(csv string, n int) string {
	out := ""
	_, rows, _ := strings.Cut(csv, "\n") // names may change
	for line := range strings.Lines(rows) {
		cells := strings.Split(strings.TrimSuffix(line, "\n"), ",")
		out += strings.Join(cells[:min(n, len(cells))], ",") + "\n"
	}
	return out
}
