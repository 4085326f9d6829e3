package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// shows fails the test unless standard output has every pattern.
func (s said) shows(t *testing.T, patterns ...string) said {
	t.Helper()
	for _, p := range patterns {
		if !regexp.MustCompile("(?m)" + p).MatchString(s.stdout) {
			t.Errorf("standard output lacks %s:\n%s", p, s.stdout)
		}
	}
	return s
}

// untouched fails the test when a dry run has made a folder or started the launcher.
func (b *bench) untouched() {
	b.t.Helper()
	for _, name := range []string{b.out, filepath.Join(b.dir, "started")} {
		if _, err := os.Stat(name); err == nil {
			b.t.Errorf("a dry run has made %s", name)
		}
	}
}

func TestDryRunSaysWhatWouldBeDoneAndDoesNothing(t *testing.T) {
	eachLibrary(t, func(t *testing.T, b *bench) {
		text := strings.NewReplacer("np = [2]", "np = [2, 4]", "fixed = 10", "predictions = 2",
			`msizes = ["8", "1Ki"]`, `msizes = ["8", "1Ki", "2Mi"]`).Replace(quick) +
			"[measure]\ntemp_memory = \"3Mi\"\n"
		text = strings.Replace(text, `"GL8", `, `"GL8", "GL5", `, 1)
		launch := b.script("counted", `touch started; exec $MPIRUN "$@"`)
		s := b.check("--guidelines", b.toml(text), "--launch", launch, "--dry-run").exits(t, 0)
		s.stdout = regexp.MustCompile(`\\\n +`).ReplaceAllString(s.stdout, "") // launch lines that go on
		s.shows(t,
			`^  guidelines +1 of monotony, 0 of split-robustness, 2 of pattern$`,
			`^  functions +3 collectives, 2 mock-ups$`,
			`^  sizes +3, from 8 B to 2 MiB; datatype byte, op bor, root 0$`,
			`^  tests +m = 16, of which 4 need a case that is left out$`,
			`^  mpiruns +R = 3 suffice`,
			`^  p2: MPI_Allgather at 2 MiB: it needs 6291456 bytes a rank, the cap is 3145728 \(measure.temp_memory, half of the free memory\)$`,
			`^  p2 +`+b.dir+`/counted -np 2 `+b.rank+` --np 2$`,
			`^  p4 +`+b.dir+`/counted -np 4 `+b.rank+` --np 4$`,
			`^  p2 stage 1 +2 mpiruns of \S+, and \S+ to verify`,
			`^  p4 stage 2 +3 mpiruns of \S+$`,
			`^  in all +about \S+$`)
		b.untouched()
	})
}

func TestDryRunOfOneStageAndOfAResumedCheck(t *testing.T) {
	b := newBench(t, libraries[1])
	gl := b.toml(quick)
	for _, c := range []struct{ command, has, lacks string }{
		{"nrep", "stage 1 +3 mpiruns", "stage 2"},
		{"measure", "stage 2 +3 mpiruns", "stage 1"},
	} {
		text := b.toml(strings.Replace(quick, "fixed = 10", "", 1))
		s := b.pgmpi(c.command, "--guidelines", text, "--rank", b.rank, "--out", b.out, "--dry-run").exits(t, 0).shows(t, c.has)
		if strings.Contains(s.stdout, "p2 "+c.lacks) {
			t.Errorf("%s would do %s:\n%s", c.command, c.lacks, s.stdout)
		}
		b.untouched()
	}
	b.toml(quick)
	b.oneMpirun(gl)
	before := b.raw()
	b.check("--guidelines", gl, "--resume", "--dry-run").exits(t, 0).shows(t, `stage 2 +2 mpiruns of \S+ \(1 of 3 are done\)`)
	if len(b.raw()) != len(before) {
		t.Error("a dry run has measured")
	}
}

func TestDryRunSaysThatRDoesNotSuffice(t *testing.T) {
	b := newBench(t, libraries[1])
	text := strings.NewReplacer(`method = "paper"`, "", "mpiruns = 3", "mpiruns = 2").Replace(quick)
	b.check("--guidelines", b.toml(text), "--dry-run").exits(t, 4).shows(t, `R = 2 do NOT suffice: .*R = \d+ would do`)
	b.untouched()
}
