package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// script makes a launcher of shell commands; $MPIRUN is that of the library.
func (b *bench) script(name, text string) string {
	b.t.Helper()
	path := filepath.Join(b.dir, name)
	mpirun, _, _ := strings.Cut(b.lib.mpi, " ")
	text = fmt.Sprintf("#!/bin/sh\nMPIRUN=%s\n%s\n", mpirun, text)
	if err := os.WriteFile(path, []byte(text), 0o777); err != nil {
		b.t.Fatal(err)
	}
	return path + " -np {np}"
}

func TestTooFewSlotsAreRefusedWithTheRemedy(t *testing.T) {
	b := newBench(t, libraries[0])
	text := strings.Replace(quick, "np = [2]", "np = [500]", 1)
	b.check("--guidelines", b.toml(text), "--launch", b.lib.mpi).exits(t, 2).
		says(t, "fewer slots than processes", "--np", "--oversubscribe")
	b.noneLeft(3 * time.Second)
}

func TestLabelsBeforeEveryLineAreRefusedWithTheRemedy(t *testing.T) {
	for i, labels := range [][]string{{"--tag-output"}, {"-prepend-rank", "-l"}} {
		for _, label := range labels {
			t.Run(libraries[i].name+label, func(t *testing.T) {
				b := newBench(t, libraries[i])
				b.check("--guidelines", b.toml(quick), "--launch", b.lib.mpi+" "+label).exits(t, 2).
					says(t, "labels every line", label)
				b.noneLeft(3 * time.Second)
			})
		}
	}
}

func TestBannersOfEveryRankDoNoHarm(t *testing.T) {
	eachLibrary(t, func(t *testing.T, b *bench) {
		b.with("banner").check("--guidelines", b.toml(quick)).exits(t, 0, 1)
		if n := len(b.raw()); n != 3 {
			t.Errorf("%d raw files, want 3", n)
		}
	})
}

func TestLauncherWithoutStandardInput(t *testing.T) {
	eachLibrary(t, func(t *testing.T, b *bench) {
		gl := b.toml(quick)
		remedy := []string{"does not forward standard input", "--input=0", "--job-file", "mpi.job_file"}
		closed := b.script("closed", `exec $MPIRUN "$@" </dev/null`)
		b.check("--guidelines", gl, "--launch", closed).exits(t, 2).says(t, remedy...)
		b.noneLeft(3 * time.Second)

		deaf := b.script("deaf", `sleep 30 | $MPIRUN "$@"`)
		b.check("--guidelines", gl, "--launch", deaf, "--stall", "1s").exits(t, 2).says(t, append(remedy, "within 2s")...)
		b.noneLeft(2 * time.Second)

		b.check("--guidelines", gl, "--launch", closed, "--job-file").exits(t, 0, 1)
		if leftover, _ := filepath.Glob(filepath.Join(b.out, ".tmp-*")); len(leftover) > 0 {
			t.Errorf("left behind: %v", leftover)
		}
		b.removeRuns()
		// The way of the job changes no result: it may change in a folder.
		b.check("--guidelines", gl, "--launch", closed, "--resume").exits(t, 3).says(t, "--job-file")
		b.check("--guidelines", gl, "--launch", closed, "--resume", "--job-file").exits(t, 0, 1)
	})
}

func TestKilledDriverWithAJobFileLeavesNoProcess(t *testing.T) {
	eachLibrary(t, func(t *testing.T, b *bench) {
		s := b.startLong(long, "--job-file", "--launch", b.script("closed", `exec $MPIRUN "$@" </dev/null`))
		if err := s.cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		s.wait(7 * time.Second)
		s.gone(4 * time.Second)
	})
}
