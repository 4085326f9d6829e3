package bisect

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pgmpi/analyze/medians"
	"pgmpi/analyze/series"
	"pgmpi/internal/experiment/run"
	"pgmpi/internal/fail"
	"pgmpi/internal/stats"
	"pgmpi/measure"
	"pgmpi/measure/protocol"
	"pgmpi/testkit/bed"
	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

// history makes a repository of commits, numbered from 1. Its file "slow" has a text for each.
func history(t *testing.T, commits int, slow func(commit int) string) (repo string) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("no git here")
	}
	repo = t.TempDir()
	var stream strings.Builder
	for i := 1; i <= commits; i++ {
		message, text := fmt.Sprintf("Commit %d", i), slow(i)
		fmt.Fprintf(&stream, "commit refs/heads/main\ncommitter A <a@b.c> %d +0000\ndata %d\n%s\nM 644 inline slow\ndata %d\n%s\n", i, len(message), message, len(text), text)
	}
	must.Get(git(t.Context(), repo, "init", "--quiet", "--initial-branch=main"))(t)
	load := exec.Command("git", "-C", repo, "fast-import", "--quiet")
	load.Stdin = strings.NewReader(stream.String())
	said, err := load.CombinedOutput()
	must.Hold(t, err == nil, "%v: %s", err, said)
	return repo
}

// scatter is the standard deviation of mpiruns' logarithms.
const scatter = .03

// bisection covers all commits of a repository. The ranks' Bcast is slower by the percentage in the built file, and
// scatters from mpirun to mpirun.
func bisection(t *testing.T, seed uint64, repo string) (*Bisection, *bed.Bed) {
	t.Helper()
	b := bed.New(t)
	b.Fake.Under = func(env []string, c protocol.JobCase) time.Duration {
		percent, factor := 0.0, 1.0
		for _, v := range env {
			if path, is := strings.CutPrefix(v, "SLOW="); is && c.Function == "MPI_Bcast" {
				_, _ = fmt.Sscan(string(must.Get(os.ReadFile(path))(t)), &percent)
			}
			_, _ = fmt.Sscanf(v, "FACTOR=%g", &factor)
		}
		return time.Duration(1e4 * (1 + percent/100) * factor)
	}
	coin := rand.New(rand.NewPCG(1, seed))
	start := func(argv, env []string, stderr io.Writer) (*measure.Ranks, error) {
		factor := fmt.Sprintf("FACTOR=%g", math.Exp(scatter*coin.NormFloat64()))
		return b.Fake.Start(argv, append(slices.Clone(env), factor), stderr)
	}
	config := b.Config("[check]\nguidelines = [\"GL10\"]\n[job]\nnp = [2]\nmsizes = [\"8\", \"64\"]\nmpiruns = 16\n[nrep]\nfixed = 10\n[mpi]\nenv = { SLOW = \"{prefix}/slow\" }\n")
	return &Bisection{Repo: repo, Good: "main~7", Bad: "main", Build: "cp slow {prefix}", Out: b.Out, Config: config,
		Version: "test", Rounds: []int{8, 16}, Start: start, Tell: func(e run.Event) { b.Said = append(b.Said, e.Sentence+e.Step) }}, b
}

func from(k int) func(int) string {
	return func(commit int) string {
		if commit >= k {
			return "10"
		}
		return "0"
	}
}

func built(said []string) (n int) {
	for _, s := range said {
		if strings.HasPrefix(s, "building") {
			n++
		}
	}
	return n
}

func TestTheFirstBadCommitIsFoundByFewBuilds(t *testing.T) {
	t.Parallel()
	x, b := bisection(t, 2, history(t, 8, from(2)))
	r := must.Get(x.Do(t.Context(), false))(t)
	found := len(r.FirstBad) == 1 && strings.HasSuffix(r.FirstBad[0], " Commit 2")
	should.Hold(t, found, "slow from 2: %+v", r)
	should.Hold(t, built(b.Said) == 2+3 && len(r.Cells) == 2, "%d builds, cells %+v", built(b.Said), r.Cells)
	left, _ := os.ReadDir(x.Out)
	names := []string{}
	for _, e := range left {
		names = append(names, e.Name())
	}
	should.Hold(t, !slices.Contains(names, "tree") && !slices.Contains(names, "prefix"), "left: %q", names)
	trees := must.Get(git(t.Context(), x.Repo, "worktree", "list"))(t)
	should.Hold(t, !strings.Contains(trees, "\n"), "work trees of the repository: %s", trees)
}

func TestAFasterLibraryIsBisectedAsASlowerOne(t *testing.T) {
	t.Parallel()
	x, _ := bisection(t, 2, history(t, 8, func(i int) string {
		if i >= 6 {
			return "0"
		}
		return "10"
	}))
	r := must.Get(x.Do(t.Context(), false))(t)
	should.Hold(t, len(r.FirstBad) == 1 && strings.HasSuffix(r.FirstBad[0], " Commit 6"), "%+v", r)
}

func TestNoDifferenceSaysWhatCouldHaveBeenSeen(t *testing.T) {
	t.Parallel()
	x, b := bisection(t, 3, history(t, 8, from(99)))
	r := must.Get(x.Do(t.Context(), false))(t)
	should.Hold(t, len(r.Cells) == 0 && len(r.FirstBad) == 0 && built(b.Said) == 2 && r.Compared > 0 && r.CouldHaveSeen != nil, "%+v", r)
}

// The difference vanishes when GOOD and BAD are measured again.
func TestADifferenceThatDoesNotComeAgainIsNone(t *testing.T) {
	t.Parallel()
	x, b := bisection(t, 8, history(t, 8, from(5)))
	start, mpiruns := x.Start, 0
	x.Start = func(argv, env []string, stderr io.Writer) (*measure.Ranks, error) {
		if mpiruns++; mpiruns > 2*16 {
			env = slices.DeleteFunc(slices.Clone(env), func(v string) bool { return strings.HasPrefix(v, "SLOW=") })
		}
		return start(argv, env, stderr)
	}
	r := must.Get(x.Do(t.Context(), false))(t)
	should.Hold(t, len(r.Cells) == 0 && len(r.FirstBad) == 0 && built(b.Said) == 2 && mpiruns == 2*(16+16), "after %d mpiruns: %+v", mpiruns, r)
}

func TestCommitsThatDoNotBuildAreSkipped(t *testing.T) {
	t.Parallel()
	x, _ := bisection(t, 4, history(t, 8, from(5)))
	x.Build = filepath.Join(t.TempDir(), "build")
	must.Do(t, os.WriteFile(x.Build, []byte("#!/bin/sh\ngit log -1 --format=%s | grep -q -e ' 4$' && { echo broken; exit 1; }\ncp slow $PREFIX\n"), 0o777))
	r := must.Get(x.Do(t.Context(), false))(t)
	names := strings.Join(r.FirstBad, "\n") + "\n"
	should.Hold(t, len(r.FirstBad) == 2 && strings.Contains(names, " Commit 4\n") && strings.Contains(names, " Commit 5\n"), "4 or 5: %q", names)
	skipped := slices.ContainsFunc(r.Steps, func(s Step) bool {
		return s.Mark == Skip && strings.HasSuffix(s.Why, "broken") && strings.HasSuffix(s.Commit, " Commit 4")
	})
	should.Hold(t, skipped, "steps %+v", r.Steps)

	x.Out, x.Bad = filepath.Join(t.TempDir(), "out"), "main~4"
	_, err := x.Do(t.Context(), false)
	should.Fail(t, err, "does not build", "BAD does not build")
}

func TestABisectionGoesOnWhereItWasInterrupted(t *testing.T) {
	t.Parallel()
	x, b := bisection(t, 5, history(t, 8, from(6)))
	ctx, cancel := context.WithCancel(t.Context())
	tell, marked := x.Tell, 0
	x.Tell = func(e run.Event) {
		if tell(e); strings.Contains(e.Sentence, " of the way") {
			if marked++; marked == 2 {
				cancel()
			}
		}
	}
	_, err := x.Do(ctx, false)
	var interrupted *fail.Interrupted
	must.Hold(t, errors.As(err, &interrupted), "%v", err)
	again, _ := bisection(t, 6, x.Repo)
	again.Out, again.Config.MPI.Rank, again.Tell = x.Out, x.Config.MPI.Rank, x.Tell
	before := built(b.Said)
	_, err = again.Do(t.Context(), false)
	should.Fail(t, err, "--resume", "the folder is there")
	r := must.Get(again.Do(t.Context(), true))(t)
	should.Hold(t, len(r.FirstBad) == 1 && strings.HasSuffix(r.FirstBad[0], " Commit 6") && len(r.Steps) == 3, "%+v", r)
	should.Hold(t, built(b.Said)-before <= 1, "%d builds before, %d in all", before, built(b.Said))
	again.Build = "cp -r slow {prefix}"
	_, err = again.Do(t.Context(), true)
	should.Fail(t, err, "another bisection", "another build")
}

func TestWhatCannotBeBisectedIsRefused(t *testing.T) {
	t.Parallel()
	repo := history(t, 3, from(2))
	for want, set := range map[string]func(*Bisection){
		"must be an ancestor":   func(x *Bisection) { x.Good, x.Bad = x.Bad, x.Good },
		"without a shell":       func(x *Bisection) { x.Build = "make && make install" },
		"there is no commit":    func(x *Bisection) { x.Good = "--nothing" },
		"from GOOD, ":           func(x *Bisection) { x.Good = x.Bad },
		"is not empty":          func(x *Bisection) { must.Do(t, os.MkdirAll(filepath.Join(x.Out, "a"), 0o777)) },
		"an end of the bisecti": func(x *Bisection) { x.Build = "false" },
	} {
		x, _ := bisection(t, 7, repo)
		x.Good = "main~2"
		set(x)
		_, err := x.Do(t.Context(), false)
		var setup *fail.Setup
		should.Hold(t, errors.As(err, &setup) && strings.Contains(err.Error(), want), "want %q: %v", want, err)
	}
}

// Commits are like GOOD or like BAD, by 10 %, in a call whose run medians scatter by 4 %; then some mpiruns, and
// then half of them, run in slower states of the machine.
func TestACommitIsSeldomMarkedWrong(t *testing.T) {
	t.Parallel()
	const commits, difference, scatter, level = 400, .095, .04, .005 / 6
	for _, elsewhere := range []float64{0, .05, .5} {
		coin := rand.New(rand.NewPCG(1, 2))
		median := func(slow bool) float64 {
			m := scatter * coin.NormFloat64()
			if coin.Float64() < elsewhere {
				m += math.Log(1.2 + coin.Float64())
			}
			if slow {
				m += difference
			}
			return m
		}
		wrong, skipped := 0, 0
		for i := range commits {
			is := []Mark{Good, Bad}[i%2]
			var times [3][]float64
			marked := Skip
			for _, r := range Rounds {
				for len(times[0]) < r {
					for side, slow := range []bool{false, true, is == Bad} {
						times[side] = append(times[side], median(slow))
					}
				}
				if marked, _ = decide(times, level); marked != Skip {
					break
				}
			}
			if marked == Skip {
				skipped++
			} else if marked != is {
				wrong++
			}
		}
		should.Hold(t, wrong <= commits*5/1000 && skipped <= commits/20, "%.0f %% elsewhere, of %d: %d wrong, %d skipped", 100*elsewhere, commits, wrong, skipped)
	}
	m, at := decide([3][]float64{}, level)
	should.Hold(t, m == Skip && at != at, "without times: %s %v", m, at)
}

// A round in which one of the calls has no time is left out; a call that is faster in BAD counts the other way round.
func TestCallsCountFromTheirTimeInGood(t *testing.T) {
	set := func(a, b []float64) *medians.Set {
		return &medians.Set{Cases: []medians.Case{{Medians: a}, {Medians: b}}}
	}
	faster, slow := .5, 2.
	x := &Bisection{result: &Result{Cells: []series.CaseChange{{Ratio: &slow}, {Ratio: &faster}}}}
	nan := math.NaN()
	times := x.times([]*medians.Set{set([]float64{1, 1, 1}, []float64{8, 8, nan}), set([]float64{2, 2, 2}, []float64{4, 4, 4}), set([]float64{1, 2, 1}, []float64{8, 4, 8})})
	for side, want := range [][]float64{{0, 0}, {1, 1, 1}, {0, 1, 0}} {
		got := times[side]
		should.Hold(t, len(got) == len(want), "side %d: %v", side, got)
		for i := range got {
			should.Hold(t, math.Abs(got[i]-want[i]*math.Ln2) < 1e-12, "side %d: %v", side, got)
		}
	}
}

// Half of the mpiruns run in slow states, in which the two do not differ.
func TestBuildsAreToldApartByTheFastestHalf(t *testing.T) {
	var x, y []float64
	for i := range 16 {
		x, y = append(x, .1+.001*float64(i)), append(y, .001*float64(i))
		x, y = append(x, .5+.01*float64(i)), append(y, .5+.01*float64(i))
	}
	r, err := stats.RankSum(x, y)
	should.Hold(t, err == nil && r.P > .01 && slower(x, y) < r.P/10, "%v by all, %v by the fastest", r.P, slower(x, y))
	_, at := decide([3][]float64{y, x, append(slices.Clone(y), .5, .5, .5, .5)}, .05)
	should.Hold(t, at >= 0 && at < .2, "like GOOD, in more slow states: %v of the way to BAD", at)
	should.Hold(t, slower(y, x) == 1 && slower(nil, y) == 1 && slower(nil, nil) == 1, "%v", slower(y, x))
}
