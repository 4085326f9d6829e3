package main

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"pgmpi/internal/fixture/must"
	"pgmpi/internal/fixture/should"
)

// osuTimes writes times of a collective on 64 processes, in us, by bytes.
func osuTimes(t *testing.T, dir, name string, us func(bytes int) float64) {
	t.Helper()
	text := "# OSU MPI " + name + " Latency Test v7.4\n# Datatype: MPI_FLOAT.\n# Size       Avg Latency(us)\n"
	for bytes := 4; bytes <= 1<<20; bytes *= 4 {
		text += fmt.Sprintf("%d %.2f\n", bytes, us(bytes))
	}
	must.Do(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666))
}

func TestATableIsHeldAgainstWhatOthersMeasured(t *testing.T) {
	dir := t.TempDir()
	jobs := filepath.Join(dir, "jobs")
	osuTimes(t, dir, "Reduce", func(bytes int) float64 { return 10 + .004*float64(bytes) })
	osuTimes(t, dir, "Allreduce", func(bytes int) float64 { return 12 + .001*float64(bytes) })
	inProcess("analyze", "--from", "osu", "--np", "64", "--out", jobs, filepath.Join(dir, "Reduce"), filepath.Join(dir, "Allreduce")).exits(t, 0)
	folder := filepath.Dir(must.Get(filepath.Glob(filepath.Join(jobs, "manifest.json")))(t)[0])
	s := inProcess("lint", "--against", folder).exits(t, 0)
	should.Contain(t, s.stdout, "Folders  0, and 1 of libraries without a known table")
	s = inProcess("lint", "--against", folder, "--table", "libmpich.so").exits(t, 2)
	fit := inProcess("fit", folder).exits(t, 0)
	should.Contain(t, fit.stdout, "alpha + beta·bytes holds for 2 of 2 functions", "10.0", "4.00")
	should.Contain(t, inProcess("fit", folder, "--format", "csv").exits(t, 0).stdout, "MPI_Reduce,p64,1,")
}
