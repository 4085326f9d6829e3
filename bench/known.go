package main

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"pgmpi/analyze/judge"
	compare "pgmpi/analyze/series"
	"pgmpi/bench/applications"
	"pgmpi/bench/documents"
	"pgmpi/guidelines"
	"pgmpi/internal/phrase"
	"pgmpi/measure/launch"
	"pgmpi/measure/protocol"
	"pgmpi/mockups"
)

const (
	nonblockingMpiruns = 10
	nonblockingAim     = 60.0 // seconds
	nonblockingSizes   = 2    // of the plant
	// nonblockingPlant far exceeds the tolerance of NB2 at the two small sizes of the plant.
	nonblockingPlant = "MPI_Iallreduce:0..4Ki:20000ns"
)

// brokenPersistent names calls that give wrong data in MPICH 4.0.2 when they are started again.
var brokenPersistent = []string{"MPI_Allgather_init", "MPI_Gather_init", "MPI_Scatter_init"}

// nonblockingBench checks the eleven collectives in their three kinds, and known faults: wrong
// persistent calls, and a slow nonblocking one.
func nonblockingBench(ctx context.Context, e *env) {
	text := func(guidelines, msizes string) string {
		return fmt.Sprintf("[check]\nguidelines = [%s]\nfunctions = [%s]\n[job]\nnp = [%d]\nmpiruns = %d\nmsizes = [%s]\n",
			guidelines, phrase.Join(", ", "%q", mockups.Identities()), np, nonblockingMpiruns, msizes)
	}
	e.exits = []int{3} // wrong data
	for i := range e.times {
		c := e.check(ctx, "a check", text(`"NB1", "NB2", "NB3"`, `"8", "256", "4Ki", "64Ki", "256Ki", "1Mi"`), i+1)
		var wrong, want []string
		for _, v := range c.Verdicts {
			// A verdict names the call first. Where NB3 has it on both sides, it is named as the
			// call, too.
			if v.Verdict == judge.Wrong && strings.HasSuffix(v.Function, "_init") && !slices.Contains(wrong, v.Function) {
				wrong = append(wrong, v.Function)
			}
		}
		if strings.HasPrefix(e.info.LibVersion, "MPICH 4.0.2") {
			want = brokenPersistent
		}
		slices.Sort(wrong)
		e.outcome("wrong persistent calls", fmt.Sprint(wrong), fmt.Sprint(want), slices.Equal(wrong, want))
		e.aim("wall-clock", c.seconds, "%.1f s", 0, nonblockingAim)
	}
	// The posting of one call is slow, which NB2 must find.
	c := e.check(ctx, "a late post", text(`"NB2:MPI_Iallreduce"`, `"8", "4Ki"`)+e.delay(nonblockingPlant), 1000)
	e.aim("sizes at which NB2 finds a post of MPI_Iallreduce that is 20 µs late", float64(verdicts(&c.Report)[judge.Violated]), "%.0f", nonblockingSizes, 0)
}

const (
	overlapMpiruns = 6
	overlapLength  = 5_000_000 // ns that a call takes
	overlapAllowed = 0.05      // from the known overlap
)

// overlapBench measures calls whose overlap is known (testdata/overlap): one that a thread
// completes while the processor computes, and one that does all its work in Wait. One process waits
// for nobody, so that it shows the quality of the measurement itself; several show what the slowest
// of them makes of it.
func overlapBench(ctx context.Context, e *env) {
	seed := 0
	for _, p := range []int{1, np} {
		for _, k := range []struct {
			mode, what string
			want       float64
		}{{"helper", "a helper thread completes it", 1}, {"wait", "all work is in Wait", 0}} {
			for _, method := range []string{"time", "work"} {
				seed++
				text := fmt.Sprintf("[check]\nfunctions = [\"MPI_Bcast\"]\n[job]\nnp = [%d]\nmpiruns = %d\nmsizes = [\"64Ki\"]\n[nrep]\nfixed = 10\n[overlap]\nmethod = %q\n", p, overlapMpiruns, method)
				var x documents.Overlaps
				e.measure(ctx, "overlap", text+preload(e.program("overlap")+".so", "PGMPI_OVERLAP", fmt.Sprintf("%s:%d", k.mode, overlapLength)), seed, &x)
				if len(x.Cases) != 1 {
					must(fmt.Errorf("overlap.json has %d cases", len(x.Cases)))
				}
				what := fmt.Sprintf("p = %d, %s, by %s", p, k.what, method)
				for tests, got := range map[string]*float64{"no tests": x.Cases[0].None.Overlap.Median, "best tests": x.Cases[0].Best.Overlap.Median} {
					e.aim(what+", "+tests, 100*value(got, math.NaN()), "%.1f %%", 100*(k.want-overlapAllowed), 100*(k.want+overlapAllowed))
				}
			}
		}
	}
}

// knownAnswer holds what `pgmpi explore` must answer about a library's version at one size.
type knownAnswer struct {
	version, function string
	msize             int64
	word              string
	own               string  // "" for any
	ratio             float64 // least ratio
}

func (k knownAnswer) given(c documents.Explored) bool {
	return c.Function == k.function && c.Msize == k.msize && c.Word == k.word &&
		(k.own == "" || c.Own != nil && c.Own.Function == mockups.AlgorithmID(k.function, k.own) && c.Own.Ratio != nil && *c.Own.Ratio >= k.ratio)
}

var knownAnswers = []knownAnswer{
	{"MPICH 4.0.2", "MPI_Reduce_scatter_block", 64 << 10, documents.OwnAlgorithm, "pairwise", 1.5},
	{"MPICH 4.0.2", "MPI_Reduce_scatter", 64 << 10, documents.OwnAlgorithm, "pairwise", 1.5},
	{"MPICH 4.0.2", "MPI_Alltoall", 16 << 10, documents.OwnAlgorithm, "pairwise", 1.2},
	{"MPICH 4.0.2", "MPI_Scan", 16 << 10, documents.OnlyMockup, "", 0}, // at 64 KiB the default meets 16 or 48 page faults a call, by mpirun
	{"Open MPI v4.1.4", "MPI_Scan", 64 << 10, documents.OnlyMockup, "", 0},
}

const exploreTOML = `
[check]
functions = ["MPI_Reduce_scatter_block", "MPI_Reduce_scatter", "MPI_Alltoall", "MPI_Scan"]
[job]
np = [2]
msizes = ["16Ki", "64Ki"]
[nrep]
predictions = 1
`

func exploreBench(ctx context.Context, e *env) {
	figures := []figure{{what: "the default against itself: differences found", most: .05}}
	var known []knownAnswer
	for _, k := range knownAnswers {
		if strings.HasPrefix(e.info.LibVersion, k.version) {
			known = append(known, k)
			figures = append(figures, figure{what: fmt.Sprintf("%s at %d B: %s", k.function, k.msize, k.word), least: 1})
		}
	}
	e.ask(ctx, measured, []question{{"explorations", e.times, figures, func(_ *design, n int, _ *rand.Rand) *series {
		var x documents.Exploration
		_, took := e.measure(ctx, "explore", exploreTOML, n+1, &x)
		fmt.Printf("   exploration %d: %.0f s\n", n+1, took)
		counted := []count{{float64(x.Itself.False), float64(x.Itself.Tests)}}
		for _, k := range known {
			var c count
			c.add(slices.ContainsFunc(x.Cells, k.given))
			counted = append(counted, c)
		}
		return &series{counted: counted}
	}}})
}

// largeBench lets Bcast move more than an int can count. It does so with a library as it is, and
// with one that cuts the count to 31 bits (testdata/fault). Slices, which need no such count, are
// right with both.
func largeBench(ctx context.Context, e *env) {
	const size = 1<<31 + 24
	for fault, want := range map[string]protocol.Status{"none": protocol.StatusOK, "wrong-31-bits": protocol.StatusWrong} {
		job := newJob(np, 2, protocol.JobCase{Function: "MPI_Bcast_c", Msize: size}, protocol.JobCase{Function: "MPI_Bcast/sliced", Msize: size})
		job.Verify, job.TempMemory, job.FirstCalls, job.Warmup = true, 6<<30, 0, 1
		out := e.do(ctx, "pgmpi-rank", job, map[string]string{"LD_PRELOAD": filepath.Join(e.bin, "fault.so"), "PGMPI_FAULT": fault})
		if e.library == "openmpi" {
			want = protocol.StatusNotMeasured // 4 and 5 have no such calls
		}
		for i, want := range []protocol.Status{want, protocol.StatusOK} {
			got := out.Cases[i].Status
			e.outcome(fmt.Sprintf("%s of 2 GiB and 24 B, fault %s", job.Cases[i].Function, fault), string(got), string(want), got == want)
		}
	}
}

// copied is the percentage of MPI_Scan's vector that the slower library copies once more.
const copied = 100

const buildsMpiruns = 120 // of each build, as pgmpi bisect has by default

// buildsBench compares two builds of MPICH that differ in one line, which slows MPI_Scan alone. It
// also finds the commit that has the line, among 32.
func buildsBench(ctx context.Context, e *env) {
	if e.folder == "" {
		must(fmt.Errorf("builds needs --folder DIR, made by: sh bench/mpich.sh get DIR"))
	}
	script, folder := get(filepath.Abs("bench/mpich.sh")), get(filepath.Abs(e.folder))
	toml := filepath.Join(e.dir, "gl.toml")
	e.mpiruns = cmp.Or(e.mpiruns, buildsMpiruns)
	must(os.WriteFile(toml, []byte(e.job(`"1Ki", "64Ki"`)+"[measure]\nmalloc = \"settled\"\n[check]\nfunctions = [\"MPI_Scan\", \"MPI_Bcast\", \"MPI_Alltoall\"]\nguidelines = [\"GL1\"]\n"), 0o666))
	e.exits = []int{4}
	e.twoBuilds(ctx, script, folder, toml)
	coin := rand.New(rand.NewPCG(e.seed, 0))
	found, none, builds := 0, 0, 0
	for i := range 3 * e.times { // a third of them have the line
		first := 2 + coin.IntN(31)
		if i%3 > 0 {
			first = 99
		}
		r := e.bisected(ctx, fmt.Sprint("bisect", i), script, folder, toml, first)
		switch {
		case first > 32 && len(r.Cells) == 0:
			none++
		case first <= 32 && len(r.FirstBad) == 1 && strings.HasSuffix(r.FirstBad[0], fmt.Sprintf(" Commit %d", first)):
			found++
			builds = max(builds, len(r.Steps))
		}
		fmt.Printf("   slower from commit %d on: first bad %q\n", first, r.FirstBad)
	}
	e.outcome("first bad commit of 32", fmt.Sprintf("%d of %d, with at most %d builds beside both ends", found, e.times, builds), "all, at most 6 builds", found == e.times && builds <= 6)
	e.outcome("no difference", fmt.Sprintf("%d of %d", none, 2*e.times), "all", none == 2*e.times)
}

// twoBuilds compares the library without the line with the one that has it.
func (e *env) twoBuilds(ctx context.Context, script, folder, toml string) {
	var prefix [2]string
	for i := range prefix {
		prefix[i] = filepath.Join(e.dir, string(rune('a'+i)))
		must(os.MkdirAll(prefix[i], 0o777))
		must(os.WriteFile(filepath.Join(e.dir, "copied"), fmt.Appendln(nil, i*copied), 0o666))
		build := command(ctx, "sh", script, "build", folder)
		build.Dir, build.Env = e.dir, append(os.Environ(), "PREFIX="+prefix[i])
		must(build.Run())
	}
	out := filepath.Join(e.dir, "ab")
	e.pgmpi(ctx, "ab", "--quiet", "--format", "json", "--library", prefix[0], "--library", prefix[1], "--need", "1.1", "--out", out, toml)
	var c compare.Comparison
	read(filepath.Join(out, "compare.json"), &c)
	slower, others := 0, 0
	for _, k := range c.Cases {
		fmt.Printf("   %s at %d B: %s, %.3f times [%.3f, %.3f]\n", k.Function, k.Msize, k.Change, value(k.Ratio, 0), value(k.RatioLo, 0), value(k.RatioHi, 0))
		switch {
		case k.Function == "MPI_Scan" && k.Change == compare.Slower:
			slower++
		case k.Change == compare.Slower || k.Change == compare.Faster:
			others++
		}
	}
	e.outcome("calls of Scan that are slower in B, and other calls that changed", fmt.Sprintf("%d and %d", slower, others), "1 and 0", slower == 1 && others == 0)
}

// bisected bisects 32 commits of which those from first on have the line.
func (e *env) bisected(ctx context.Context, name, script, folder, toml string, first int) (r documents.Bisection) {
	repo, out := filepath.Join(e.dir, name+".git"), filepath.Join(e.dir, name)
	var stream strings.Builder
	for i := 1; i <= 32; i++ {
		percent, message := fmt.Sprint(copied*min(1, max(0, i-first+1))), fmt.Sprint("Commit ", i)
		fmt.Fprintf(&stream, "commit refs/heads/main\ncommitter A <a@b.c> %d +0000\ndata %d\n%s\nM 644 inline copied\ndata %d\n%s\nM 644 inline number\ndata %d\n%s\n",
			i, len(message), message, len(percent), percent, len(message), message)
	}
	must(command(ctx, "git", "init", "--quiet", "--initial-branch=main", repo).Run())
	load := command(ctx, "git", "-C", repo, "fast-import", "--quiet")
	load.Stdin = strings.NewReader(stream.String())
	must(load.Run())
	e.pgmpi(ctx, "bisect", "main~31", "main", "--quiet", "--repo", repo, "--build", "sh "+script+" build "+folder, "--out", out, "--", toml)
	read(filepath.Join(out, "bisect.json"), &r)
	return r
}

// applicationsBench takes real programs through all of `pgmpi profile` and `gain`.
func applicationsBench(ctx context.Context, e *env) {
	b := applications.Bench{Pgmpi: filepath.Join(e.bin, "pgmpi"), Rank: e.program("pgmpi-rank"), Library: e.library, Dir: e.dir,
		Folder: e.folder, Screens: e.screens,
		Launcher: launch.Placed(e.launcher(np), guidelines.Shape{NP: np}), Pairs: e.times, Only: e.rows, Command: command, Outcome: e.outcome}
	must(b.Do(ctx))
}
