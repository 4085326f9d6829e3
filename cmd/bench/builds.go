package main

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"

	compare "pgmpi/analyze/series"
	"pgmpi/internal/bisect"
)

// copied is the percentage of MPI_Scan's vector that the slower library copies once more.
const copied = 100

// buildsBench compares two builds of MPICH that differ in one line, and finds the commit that has it,
// among 32. That line slows MPI_Scan alone.
func buildsBench(ctx context.Context, e *env) {
	if e.folder == "" {
		must(fmt.Errorf("builds needs --folder DIR, made by: sh cmd/bench/mpich.sh get DIR"))
	}
	script, folder := get(filepath.Abs("cmd/bench/mpich.sh")), get(filepath.Abs(e.folder))
	toml := filepath.Join(e.dir, "gl.toml")
	e.mpiruns = cmp.Or(e.mpiruns, 40)
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
		fmt.Printf("   slower from commit %d on: %s", first, r.String())
	}
	e.outcome("first bad commit of 32", fmt.Sprintf("%d of %d, with at most %d builds beside both ends", found, e.times, builds), "all, at most 6 builds", found == e.times && builds <= 6)
	e.outcome("no difference", fmt.Sprintf("%d of %d", none, 2*e.times), "all", none == 2*e.times)
}

// twoBuilds holds the library without the line against the one with it.
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
func (e *env) bisected(ctx context.Context, name, script, folder, toml string, first int) (r bisect.Result) {
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
	read(filepath.Join(out, bisect.File), &r)
	return r
}
