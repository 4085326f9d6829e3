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

func TestLintJudgesATableWithoutMPI(t *testing.T) {
	t.Setenv("PATH", "")
	s := inProcess("lint", "--np", "64", "--functions", "Reduce", "--msizes", "8,1Mi").exits(t, 0)
	should.Contain(t, s.stdout, "SUSPECTED BY TABLE: 3 of 5 tests", "Nothing was measured", "GL8", "rabenseifner")
	should.Hold(t, !strings.Contains(strings.ToLower(s.stdout), "violated"), "a table violates: %s", s.stdout)
	csv := inProcess("lint", "--np", "64", "--functions", "Reduce", "--msizes", "8,1Mi", "--all", "--format", "csv").exits(t, 0)
	should.Contain(t, csv.stdout, "suspected by table: nothing was measured,GL8,MPI_Reduce,reduce_as_allreduce,64,1048576,", ",GL1,")
	page := filepath.Join(t.TempDir(), "x.html")
	inProcess("lint", "--np", "64,1024", "--functions", "Reduce", "--format", "html="+page).exits(t, 0)
	should.Contain(t, string(must.Get(os.ReadFile(page))(t)), "GL14: how many times slower by table", "Reduce, p = 1024", "suspected by table")
}

// S-PGMPI, section 5.2: 31 messages of 1.7 us against five.
func TestLintMakesTheEstimateOfThePaper(t *testing.T) {
	direct := filepath.Join(t.TempDir(), "direct.txt")
	must.Do(t, os.WriteFile(direct, []byte("MPI_Gather\n  * basic_linear <512 binomial\n"), 0o666))
	s := inProcess("lint", "--np", "32", "--functions", "Gather", "--msizes", "64,1Ki", "--table", direct,
		"--alpha", "1.7", "--gap", "1.7", "--beta", "0", "--copy", "0", "--format", "csv").exits(t, 0)
	should.Contain(t, s.stdout, ",32,64,64,1,basic_linear,5.27e-05,8.5e-06,6.2,true")
}

func TestLintRefusesWhatItCannotUse(t *testing.T) {
	for _, c := range [][]string{
		{"--table", "nowhere"}, {"--table", "lint_test.go"}, {"--alpha", "-1"}, {"--beta", "NaN"}, {"--fit", "nowhere*"}, {"--fit", "testdata"},
		{"--against"}, {"--against", "testdata"}, {"--against", "--np", "4", "x"}, {"a.toml", "b.toml"}, {"--np", "0"},
	} {
		s := inProcess(append([]string{"lint"}, c...)...).exits(t, 2)
		should.Hold(t, s.stdout == "" && strings.Count(s.stderr, "\n") == 1, "%q: %s%s", c, s.stdout, s.stderr)
	}
}

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
