package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgmpi/analyze/report/environment"
	"pgmpi/internal/remark"
	"pgmpi/testkit/mpirun"
	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

// environment runs `pgmpi env --format json`.
func (b *fixture) environment(args ...string) *environment.Environment {
	b.T.Helper()
	s := b.Pgmpi(append([]string{"env", "--format", "json"}, args...)...).Exits(b.T, 0)
	var e environment.Environment
	if err := json.Unmarshal([]byte(s.Stdout), &e); err != nil {
		b.T.Fatalf("%v in\n%s", err, s.Stdout)
	}
	return &e
}

// doubted tells whether a doubt is there, and has all the words.
func doubted(doubts []remark.Remark, id remark.ID, words ...string) bool {
	return slices.ContainsFunc(doubts, func(d remark.Remark) bool {
		for _, w := range words {
			if !strings.Contains(d.Text, w) {
				return false
			}
		}
		return d.ID == id
	})
}

// aboutPins lists the doubts about where ranks run.
var aboutPins = []remark.ID{remark.Unpinned, remark.SharedCore, remark.SMTSiblings, remark.Oversubscribed}

func twoCores(t *testing.T) {
	t.Helper()
	if runtime.NumCPU() < 2 {
		t.Skip("two ranks cannot be pinned to distinct cores: this machine has one")
	}
}

func TestEnvShowsRanksOnDistinctCores(t *testing.T) {
	twoCores(t)
	bothAtOnce(t, func(t *testing.T, b *fixture) {
		e := b.environment("--rank", b.Rank, "--np", "2")
		if len(e.Factors.Layouts) != 1 || len(e.Factors.Layouts[0].Nodes) != 1 {
			t.Fatalf("layouts %+v", e.Factors.Layouts)
		}
		l := e.Factors.Layouts[0]
		n := l.Nodes[0]
		pins := l.Pinnings[n.Pinning]
		should.Hold(t, n.Ranks.String() == "0-1" && len(pins) == 2 && pins[0].CPUs.String() != pins[1].CPUs.String(), "ranks %s have masks %+v", n.Ranks, pins)
		for _, d := range e.Doubts {
			should.Hold(t, !slices.Contains(aboutPins, d.ID), "pinned ranks are doubted: %+v", d)
		}
		host, _ := os.Hostname()
		k := l.Kinds[n.Kind]
		should.Hold(t, n.Host == host && k.Kernel != "" && len(k.Online) >= 2 && n.MemTotal > 0 && n.Load != nil && n.OthersBusy != nil,
			"host %q: %+v\n%+v", host, n, k)
		if k.Library != e.Rank.LibVersion || k.Program != e.Rank.Hash || e.Rank.Compiler == "" || !strings.Contains(e.Rank.Flags, "-O") {
			t.Errorf("the ranks say %q, %q; the rank program is %+v", k.Library, k.Program, e.Rank)
		}
		should.Hold(t, slices.Contains(l.Command, b.Rank) && slices.Contains(l.Command, "2"), "command %q", l.Command)
	})
}

func TestEnvDoubtsRanksThatAreNotPinned(t *testing.T) {
	twoCores(t)
	none := map[string]string{"openmpi": "--bind-to none", "mpich": "-bind-to none"}
	bothAtOnce(t, func(t *testing.T, b *fixture) {
		launch := b.Lib.MPI + " " + none[b.Lib.Name]
		e := b.environment("--rank", b.Rank, "--np", "2", "--launch", launch)
		if !doubted(e.Doubts, remark.Unpinned, "ranks 0-1") {
			t.Errorf("free to move: doubts %+v", e.Doubts)
		}
		cpu := strconv.Itoa(e.Factors.Layouts[0].Kinds[0].Online[0])
		e = b.environment("--rank", b.Rank, "--np", "2", "--launch", "taskset -c "+cpu+" "+launch)
		if !doubted(e.Doubts, remark.SharedCore, "ranks 0-1 share CPU "+cpu) || doubted(e.Doubts, remark.Unpinned) {
			t.Errorf("on one CPU: doubts %+v", e.Doubts)
		}
	})
}

func TestEnvDoubtsMoreRanksThanCores(t *testing.T) {
	eitherAtOnce(t, func(t *testing.T, b *fixture) {
		n := runtime.NumCPU() + 1
		e := b.environment("--rank", b.Rank, "--np", strconv.Itoa(n))
		if !doubted(e.Doubts, remark.Oversubscribed, strconv.Itoa(n)+" ranks") || doubted(e.Doubts, remark.Unpinned) {
			t.Errorf("doubts %+v", e.Doubts)
		}
	})
}

// A check stores the factors that its ranks saw, and warns in its report. `pgmpi env DIR` shows them; an older
// manifest knows less and can still be read.
func TestCheckKeepsTheFactorsAndWarns(t *testing.T) {
	twoCores(t)
	tuned := map[string]string{"openmpi": "OMPI_MCA_coll_tuned_use_dynamic_rules", "mpich": "MPIR_CVAR_BCAST_SHORT_MSG_SIZE"}
	eachLibrary(t, func(t *testing.T, b *fixture) {
		name := tuned[b.Lib.Name]
		gl := b.TOML(twice + "[mpi]\nenv = { " + name + " = \"1\" }\n")
		b.Check("--guidelines", gl, "--launch", b.Lib.MPI+" --bind-to none").Exits(t, 0, 1)
		var warned []remark.ID
		for _, w := range b.Report().Warnings {
			warned = append(warned, remark.ID(w.ID))
			should.Hold(t, remark.ID(w.ID) != remark.LibrarySettings || strings.Contains(w.Text, name+"=1"), "%q does not name %s", w.Text, name)
		}
		for _, id := range []remark.ID{remark.Unpinned, remark.LibrarySettings} {
			should.Hold(t, slices.Contains(warned, id), "the report's warnings %v lack %s", warned, id)
		}
		e := b.environment(b.Out)
		if len(e.Factors.Layouts) != 1 || e.Factors.Layouts[0].Since != "run-p2-01.tsv.gz" || !doubted(e.Doubts, remark.Unpinned) {
			t.Errorf("the folder says %+v, doubts %+v", e.Factors.Layouts, e.Doubts)
		}
		s := b.Pgmpi("env", b.Out).Exits(t, 0)
		for line := range strings.Lines(s.Stdout) {
			n := len([]rune(strings.TrimRight(line, "\n")))
			should.Hold(t, n <= mpirun.TextWidth, "%d columns: %s", n, line)
		}
		b.older()
		should.Contain(t, b.Pgmpi("env", b.Out).Exits(t, 0).Stdout, "nodes are not known")
		b.Pgmpi("analyze", b.Out).Exits(t, 0, 1)
	})
}

// A check that goes on keeps its earlier factors; where its ranks now run elsewhere, it says so.
func TestResumeNoticesOtherFactors(t *testing.T) {
	twoCores(t)
	eitherAtOnce(t, func(t *testing.T, b *fixture) {
		b.Check("--guidelines", b.TOML(twice), "--launch", b.Lib.MPI+" --bind-to none").Exits(t, 0, 1)
		cpu := strconv.Itoa(b.environment(b.Out).Factors.Layouts[0].Kinds[0].Online[0])
		for _, c := range []struct {
			before  []string
			layouts int
		}{{nil, 1}, {[]string{"taskset", "-c", cpu}, 2}} {
			must.Do(t, os.Remove(filepath.Join(b.Out, "raw", "run-p2-02.tsv.gz")))
			argv := append(c.before, append([]string{"pgmpi"}, b.CheckArgs("--resume")...)...)
			b.Run(argv[0], argv[1:]...).Exits(t, 0, 1)
			e := b.environment(b.Out)
			if got := len(e.Factors.Layouts); got != c.layouts || doubted(e.Doubts, remark.PlacementChanged, "run-p2-02.tsv.gz") != (c.layouts > 1) {
				t.Errorf("resumed by %q: %d layouts, want %d; doubts %+v", c.before, got, c.layouts, e.Doubts)
			}
		}
	})
}

// older removes from manifest.json what earlier versions did not write.
func (b *fixture) older() {
	b.T.Helper()
	path := filepath.Join(b.Out, "manifest.json")
	text, err := os.ReadFile(path)
	if err != nil {
		b.T.Fatal(err)
	}
	var m map[string]any
	must.Do(b.T, json.Unmarshal(text, &m))
	delete(m["factors"].(map[string]any), "layouts")
	if text, err = json.Marshal(m); err != nil {
		b.T.Fatal(err)
	}
	must.Do(b.T, os.WriteFile(path, text, 0o666))
}
