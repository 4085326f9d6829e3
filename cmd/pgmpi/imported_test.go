package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgmpi/testkit/mpirun"
	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

// reproFile writes mpibenchmark's output for Reduce and its mock-up, which is faster by half.
func (b *fixture) reproFile(run int) string {
	b.T.Helper()
	var text strings.Builder
	text.WriteString("#@operation=MPI_BOR\n#@datatype=MPI_CHAR\n#@datatype_extent_bytes=1\n#@root_proc=0\n#@nprocs=4\n")
	fmt.Fprintf(&text, "%50s %10s %12s %14s \n", "test", "nrep", "count", "runtime_sec")
	for test, seconds := range map[string]float64{"MPI_Reduce": 3e-6, "GL_Reduce_as_Allreduce": 2e-6, "BBarrier": 1e-6} {
		for rep := range 9 {
			fmt.Fprintf(&text, "%50s %10d %12d %14.10f\n", test, rep, 1024, seconds+1e-8*float64(run)+1e-9*float64(rep))
		}
	}
	text.WriteString("# Execution time: 0s\n")
	path := filepath.Join(b.Dir, fmt.Sprintf("run%d.dat", run))
	must.Do(b.T, os.WriteFile(path, []byte(text.String()), 0o666))
	return path
}

func TestOutputOfReproMPIIsJudged(t *testing.T) {
	t.Parallel()
	needs(t, "analyze --from")
	b := emptyFixture(t, t.TempDir())
	args := []string{"analyze", "--from", "reprompi"}
	for run := range 8 {
		args = append(args, b.reproFile(run))
	}
	s := b.Pgmpi(append(args, "--out", b.Out, "--full")...).Exits(t, 1)
	should.Contain(t, s.Stdout, "p = 4; R = 8 mpiruns; datatype MPI_CHAR, op MPI_BOR", "GL8 Reduce", "1.49×", "no guideline is about them: BBarrier")
	if r := b.Report(); r.Exit != 1 || len(r.Verdicts) != 1 || r.Verdicts[0].Verdict != "violated" || r.Imported == nil || r.Imported.From != "reprompi" {
		t.Errorf("%+v", r.Verdicts)
	}
	b.Pgmpi("analyze", b.Out, "--explain", "GL8:1024").Exits(t, 1).Says(t, "")
	b.Pgmpi(append(args, "--out", b.Out)...).Exits(t, 2).Says(t, "not empty")
	to := func(name string, args ...string) mpirun.Said {
		return b.Pgmpi(append(slices.Clone(args), "--out", filepath.Join(b.Dir, name))...)
	}
	gl := b.TOML("[check]\nguidelines = [\"GL12\"]\n")
	to("none", append(args, "--guidelines", gl)...).Exits(t, 2).Says(t, "no test")
	should.Contain(t, to("few", args[:5]...).Exits(t, 0).Stdout, "SEEN ONCE: a ratio of 1.05 or more in 1 of 1 test", "2 mpiruns: another may differ")
	to("twice", append(args, args[3])...).Exits(t, 2).Says(t, "given twice")
	to("other", "analyze", "--from", "reprompy", args[3]).Exits(t, 2).Says(t, "reprompi")
	b.Pgmpi("analyze", b.Out, "--guidelines", gl).Exits(t, 2).Says(t, "goes with --from")
	b.Pgmpi("analyze", b.Out, "--np", "2").Exits(t, 2).Says(t, "go with --from")
	broken := filepath.Join(b.Dir, "run0.dat")
	text := must.Get(os.ReadFile(broken))(t)
	must.Do(t, os.WriteFile(broken, append(text, "MPI_Reduce 9\n"...), 0o666))
	to("broken", args...).Exits(t, 2).Says(t, "run0.dat:35: ")
}

// osuFile writes what OSU's benchmarks print in one mpirun. Reduce takes 3 µs, and Allreduce 2 µs.
func osuFile(t *testing.T, dir string, run int, column string) string {
	t.Helper()
	text := ""
	for title, us := range map[string]float64{"Reduce": 3, "Allreduce": 2} {
		text += fmt.Sprintf("# OSU MPI %s Latency Test v7.4\n# Size   Avg Latency(us)   %s\n8   %.3f   %.3f\n", title, column, us+1+.01*float64(run), us+.01*float64(run))
	}
	path := filepath.Join(dir, fmt.Sprintf("osu-%d.txt", run))
	must.Do(t, os.WriteFile(path, []byte(text), 0o666))
	return path
}

func TestWhatWasImportedAndHasNoVerdictsCannotAlarm(t *testing.T) {
	needs(t, "analyze --from")
	b := emptyFixture(t, t.TempDir())
	write := func(name string, reduce float64) string {
		text := ""
		for title, us := range map[string]float64{"Reduce": reduce, "Allreduce": 10} {
			text += fmt.Sprintf("# OSU MPI %s Latency Test v7.1\n# Size       Avg Latency(us)\n8 %.2f\n1024 %.2f\n", title, us, 2*us)
		}
		path := filepath.Join(b.Dir, name+".txt")
		must.Do(t, os.WriteFile(path, []byte(text), 0o666))
		return path
	}
	before, after := filepath.Join(b.Dir, "before"), filepath.Join(b.Dir, "after")
	s := b.Pgmpi("analyze", "--from", "any", write("a", 8), "--np", "128", "--out", before).Exits(t, 0)
	should.Contain(t, s.Stdout, "NOTHING SEEN in 4 tests, no ratio of 1.05 or more")
	b.Pgmpi("analyze", "--from", "any", write("b", 30), "--np", "128", "--out", after).Exits(t, 0).Says(t, "Averages over the ranks, of which some return early: Reduce")
	should.Contain(t, b.Pgmpi("analyze", after, "--baseline", before).Exits(t, 4).Stdout, "NOT JUDGED: no test can alarm (means, of which there is no test); 2 unsure")
	s = b.Pgmpi("compare", before, after, "--full").Exits(t, 4)
	should.Contain(t, s.Stdout, "Seen once: run-times that differ in 2 of 4 calls", "8.00 µs  30.0 µs  3.75×")
	should.Hold(t, !strings.Contains(s.Stdout, "[3.75"), "an interval of one mpirun each: %s", s.Stdout)
	bcast := filepath.Join(b.Dir, "c.txt")
	must.Do(t, os.WriteFile(bcast, []byte("# OSU MPI Allreduce Latency Test v7.1\n# Size       Avg Latency(us)\n8 9.00\n1024 9.50\n# OSU MPI Reduce Latency Test v7.1\n# Size       Avg Latency(us)\n8 1\n1024 2\n# OSU MPI Broadcast Latency Test v7.1\n# Size       Avg Latency(us)\n8 1\n1024 2\n"), 0o666))
	s = b.Pgmpi("analyze", "--from", "any", bcast, "--np", "128", "--out", filepath.Join(b.Dir, "averages")).Exits(t, 0)
	should.Contain(t, s.Stdout, "no ratio of 1.05 or more but of averages; means", "Averages ", "GL12 Allreduce 8 B 4.50×")
	b.Pgmpi("analyze", before, "--one-job").Exits(t, 2).Says(t, "--one-job goes with --from")
}

func TestWeeksOfOSUTellSinceWhenACallIsSlower(t *testing.T) {
	t.Parallel()
	needs(t, "analyze --from")
	b := emptyFixture(t, t.TempDir())
	for week := 1; week <= 12; week++ {
		dir := filepath.Join(b.Dir, fmt.Sprintf("weeks/2026-W%02d", week))
		must.Do(t, os.MkdirAll(dir, 0o777))
		for title, us := range map[string]float64{"Reduce": 8, "Allreduce": 10} {
			if us *= 1 + .004*float64(week%3); title == "Allreduce" && week >= 7 {
				us *= 1.6
			}
			text := fmt.Sprintf("# OSU MPI %s Latency Test v7.1\n# Size       Avg Latency(us)\n8 %.2f\n1024 %.2f\n", title, us, 2*us)
			must.Do(t, os.WriteFile(filepath.Join(dir, title), []byte(text), 0o666))
		}
	}
	b.Pgmpi("analyze", "--from", "osu", filepath.Join(b.Dir, "weeks"), "--np", "4", "--out", b.Out)
	s := b.Pgmpi("history", b.Out).Exits(t, 0)
	should.Contain(t, s.Stdout, "CHANGED: Allreduce 1.60× since 2026-02-09 00:00", "12 of 12 without verdicts", "run-time")
	should.Hold(t, !strings.Contains(s.Stdout, "Reduce 1."), "Reduce did not change: %s", s.Stdout)
	night := filepath.Join(b.Out, "2026-W12-p4")
	should.Contain(t, b.Pgmpi("analyze", night, "--baseline", b.Out).Exits(t, 4).Stdout, "NOT JUDGED: no test can alarm")
}

func TestFewRunsOrMeansAreSeenOnceAndNeverViolated(t *testing.T) {
	t.Parallel()
	needs(t, "analyze --from")
	b := emptyFixture(t, t.TempDir())
	for name, c := range map[string]struct {
		runs   int
		column string
		args   string
		exit   int
		want   string
	}{
		"seven":   {7, "P50 Tail Lat(us)", "", 0, "SEEN ONCE: a ratio of 1.05 or more in 1 of 1 test; 7 mpiruns: another may differ"},
		"eight":   {8, "P50 Tail Lat(us)", "", 1, "VIOLATED: 1 sure, of 1 test"},
		"means":   {8, "Max Latency(us)", "", 0, "means, of which there is no test"},
		"paper":   {7, "P50 Tail Lat(us)", "--method paper", 0, "SEEN ONCE: a ratio of 1.05 or more in 1 of 1 test"},
		"asked":   {7, "P50 Tail Lat(us)", "--fail-on seen", 1, "ALARM: 1 unsure"},
		"notseen": {8, "P50 Tail Lat(us)", "--fail-on seen", 1, ""},
	} {
		t.Run(name, func(t *testing.T) {
			out := filepath.Join(b.Dir, name)
			args := []string{"analyze", "--from", "any", "--np", "4", "--out", out}
			must.Do(t, os.MkdirAll(out+"-files", 0o777))
			for run := range c.runs {
				args = append(args, osuFile(t, out+"-files", run, c.column))
			}
			s := b.Pgmpi(append(args, strings.Fields(c.args)...)...).Exits(t, c.exit)
			should.Contain(t, s.Stdout, c.want)
		})
	}
}

func TestAnExportedCheckIsReadBackWithItsRatios(t *testing.T) {
	needs(t, "analyze --from", "export")
	b := emptyFixture(t, t.TempDir())
	args := []string{"analyze", "--from", "osu", "--np", "4", "--out", b.Out}
	for run := range 9 {
		args = append(args, osuFile(t, b.Dir, run, "P50 Tail Lat(us)"))
	}
	b.Pgmpi(args...).Exits(t, 1)
	text := filepath.Join(b.Dir, "all.txt")
	b.Pgmpi("export", b.Out, "--format", "osu", "--out", text).Exits(t, 0)
	first := b.Report()
	b.Out = filepath.Join(b.Dir, "again")
	b.Pgmpi("analyze", "--from", "osu", text, "--out", b.Out).Exits(t, 1)
	second := b.Report()
	must.Hold(t, len(first.Verdicts) == 1 && len(second.Verdicts) == 1, "%+v", second)
	should.Hold(t, *first.Verdicts[0].Ratio == *second.Verdicts[0].Ratio && *first.Verdicts[0].PValue == *second.Verdicts[0].PValue, "%+v\n%+v", first.Verdicts[0], second.Verdicts[0])
	b.Pgmpi("export", b.Out, "--format", "osu", "--what", "verdicts").Exits(t, 2).Says(t, "--what medians")
}

func TestNamesInFilesOfOthersReachNoTerminal(t *testing.T) {
	needs(t, "analyze --from")
	b := emptyFixture(t, t.TempDir())
	path := filepath.Join(b.Dir, "x.txt")
	head := "# OSU MPI \x07Evil Latency Test v5\n# Size  Avg Latency(us)\n1 2.0\n"
	rows := "# OSU MPI Broadcast Latency Test v5\n# Datatype: \x07X.\n# Library: \x1b]0;t\x07\x1b\n# Size  Avg Latency(us)\n\x07 no row\n8 2.0\n"
	for i, text := range []string{head + rows + head, head + rows + "16 3.0\n" + head} {
		must.Do(t, os.WriteFile(path, []byte(text), 0o666))
		s := b.Pgmpi("analyze", "--from", "any", "--np", "2", path, "--full", "--out", filepath.Join(b.Dir, fmt.Sprint(i))).Exits(t, 2-2*i)
		should.Hold(t, !strings.ContainsAny(s.Stdout+s.Stderr, "\x1b\x07") && strings.Contains(s.Stdout+s.Stderr, `\x07`), "%q", s.Stdout+s.Stderr)
	}
}

// picoJobs writes a results folder of PICO's form with two jobs. An algorithm of the library's own takes half as
// long as its choice.
func picoJobs(t *testing.T, root string) {
	t.Helper()
	rows := "timestamp,test_id,nnodes,tasks_per_node,collective_type,mpi_lib,mpi_lib_version\n"
	for nodes := 2; nodes <= 4; nodes += 2 {
		day := fmt.Sprintf("2026_01_0%d___03_04_05", nodes)
		rows += fmt.Sprintf("%s,0,%d,1,BCAST,OMPI,4.1.6\n", day, nodes)
		for algorithm, ns := range map[string]int{"default_ompi": 4000, "binomial_ompi": 2000} {
			path := filepath.Join(root, "cray", day, "0", "8_"+algorithm+"_int32.csv")
			must.Do(t, os.MkdirAll(filepath.Dir(path), 0o777))
			must.Do(t, os.WriteFile(path, []byte("highest\n"+strings.Repeat(fmt.Sprintf("%d\n", ns), 30)), 0o666))
		}
	}
	must.Do(t, os.WriteFile(filepath.Join(root, "cray_metadata.csv"), []byte(rows), 0o666))
}

func TestSeveralJobsAreShownBesideEachOther(t *testing.T) {
	needs(t, "analyze --from")
	b := emptyFixture(t, t.TempDir())
	picoJobs(t, b.Dir)
	s := b.Pgmpi("analyze", "--from", "any", b.Dir, "--out", b.Out, "--format", "table,html").Exits(t, 0)
	should.Contain(t, s.Stdout, "SEEN ONCE: slower in 2 of 2 tests, in 2 columns", "OMPI 4.1.6, 2x1", "on cray, 2026-01-02", "OMPI 4.1.6, 4x1", "1 1/1 2.00×")
	page := string(must.Get(os.ReadFile(filepath.Join(b.Out, "matrix.html")))(t))
	should.Contain(t, page, "guideline, host and shape", "own Bcast", "cray 2x1", "cray 4x1")
	job := filepath.Join(b.Out, "cray-2026_01_04___03_04_05-OMPI_4.1.6-4x1-int32")
	should.Contain(t, b.Pgmpi("analyze", job, "--full").Exits(t, 0).Stdout, "The fastest of the library's own algorithms, from medians and without a test", "binomial", "~2.00×")
	should.Contain(t, b.Pgmpi("history", b.Out).Exits(t, 0).Stdout, "2026-01-02 03:04")
	b.Pgmpi("analyze", "--from", "any", b.Dir, "--out", b.Out+"-seen", "--fail-on", "seen").Exits(t, 1)
	b.Pgmpi("analyze", "--from", "any", b.Dir, "--out", b.Out+"-2", "--explain", "violated").Exits(t, 2).Says(t, "--explain is of one job")
}
