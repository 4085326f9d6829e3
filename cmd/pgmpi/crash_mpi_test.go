package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"pgmpi/internal/fixture/must"
	"pgmpi/internal/fixture/should"
)

// mappedShared lists the files in /dev/shm that a process maps.
func mappedShared(pid int) []string {
	text, _ := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "maps"))
	var found []string
	for line := range strings.Lines(string(text)) {
		if at := strings.Index(line, "/dev/shm/"); at >= 0 && !strings.Contains(line, "(deleted)") {
			found = append(found, strings.TrimSpace(line[at:]))
		}
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// mpirun is the pid of the launcher, the driver's child.
func (s *started) mpirun() int {
	s.b.t.Helper()
	for _, pid := range s.b.processes(false) {
		text, _ := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "status"))
		if strings.Contains(string(text), fmt.Sprintf("\nPPid:\t%d\n", s.cmd.Process.Pid)) {
			return pid
		}
	}
	s.b.t.Fatal("the driver has no mpirun")
	return 0
}

// goesOn fails the test unless --resume without the fault finishes the check
// and leaves the finished mpiruns as they are.
func (b *fixture) goesOn(gl string, runs int, args ...string) {
	b.t.Helper()
	before := b.raw()
	b.check(append([]string{"--resume", "--guidelines", gl}, args...)...).exits(b.t, 0, 1)
	after := b.raw()
	if len(after) != runs {
		b.t.Errorf("raw files after --resume: %v", after)
	}
	for name, when := range before {
		if !when.Equal(after[name]) {
			b.t.Errorf("%s was finished, and was measured again", name)
		}
	}
}

// oneMpirun makes a results folder with the first of its three mpiruns.
func (b *fixture) oneMpirun(gl string, args ...string) {
	b.t.Helper()
	b.check(append([]string{"--guidelines", gl}, args...)...).exits(b.t, 0, 1)
	b.removeRuns()
}

// removeRuns takes all but the first mpirun out of a results folder.
func (b *fixture) removeRuns() {
	b.t.Helper()
	for _, name := range []string{"run-p2-02.tsv.gz", "run-p2-03.tsv.gz"} {
		must.Do(b.t, os.Remove(filepath.Join(b.out, "raw", name)))
	}
}

// with returns a fixture whose ranks have the fault of testdata/fault/fault.c.
func (b *fixture) with(fault string) *fixture {
	c := *b
	c.env = append(b.preload("fault.so"), "PGMPI_FAULT="+fault, "PGMPI_LINGERS="+b.dir)
	return &c
}

// lingers tells whether a rank with the fault linger has come through the library's MPI_Init.
func (b *fixture) lingers(pid int) bool { return b.there(fmt.Sprintf("lingers-%d", pid)) }

func TestCrashOfARankEndsTheCheckWithItsStory(t *testing.T) {
	bothAtOnce(t, func(t *testing.T, b *fixture) {
		s := b.startLong(long)
		s.fail(syscall.SIGSEGV, 20*time.Second)
		e := s.wait(15*time.Second).exits(t, 3).says(t, "SIGSEGV", "check.exclude", "--resume")
		should.Hold(t, !strings.Contains(e.stderr, "goroutine") && !strings.Contains(e.stderr, "rflags"),
			"a stack trace for a fault that is not pgmpi's:\n%s", e.stderr)
		s.gone(3 * time.Second)
	})
}

func TestKilledMpirunLeavesNeitherRanksNorSharedMemory(t *testing.T) {
	bothAtOnce(t, func(t *testing.T, b *fixture) {
		s := b.startLong(long)
		must.Hold(t, b.lib.name != "openmpi" || len(s.shared) != 0, "the ranks of Open MPI map no file in /dev/shm: this test tests nothing")
		var pid int
		s.failing(func() int { pid = s.mpirun(); return pid }, syscall.SIGKILL, 20*time.Second)
		s.wait(15*time.Second).exits(t, 3).says(t, "signal: killed", "killed mpirun", "--resume")
		s.gone(0)
		should.Equal(t, len(sessions(pid)), 0, "sessions of the launcher")
	})
}

// sessions returns the folders that Open MPI has made for a launcher.
func sessions(pid int) []string {
	found, _ := filepath.Glob(filepath.Join(os.TempDir(), "ompi.*", fmt.Sprintf("pid.%d", pid)))
	return found
}

func TestWhoGoesOnRemovesWhatAKilledDriversLauncherLeft(t *testing.T) {
	bothAtOnce(t, func(t *testing.T, b *fixture) {
		gl := b.toml(quick)
		b.oneMpirun(gl)
		s := b.with("linger").start("--resume", "--guidelines", gl)
		launcher := s.mpirun()
		// Stopped, it does not hear that its driver ends.
		for _, p := range []struct {
			pid int
			sig syscall.Signal
		}{{launcher, syscall.SIGSTOP}, {s.cmd.Process.Pid, syscall.SIGKILL}, {launcher, syscall.SIGKILL}} {
			must.Do(t, syscall.Kill(p.pid, p.sig))
		}
		s.wait(7 * time.Second)
		b.noneLeft(7 * time.Second)
		must.Hold(t, b.lib.name != "openmpi" || len(sessions(launcher)) == 1, "the launcher left nothing: this test tests nothing")
		b.goesOn(gl, 3)
		should.Equal(t, len(sessions(launcher)), 0, "sessions of the launcher")
	})
}

func TestWhatARankForksEndsWithItsMpirun(t *testing.T) {
	bothAtOnce(t, func(t *testing.T, b *fixture) {
		b.with("forks").check("--guidelines", b.toml(quick)).exits(t, 0, 1)
		b.noneLeft(0)
	})
}

func TestFinishedMpirunsOutliveAKilledOne(t *testing.T) {
	t.Parallel()
	for i, l := range libraries {
		t.Run(l.name, func(t *testing.T) {
			t.Parallel()
			b := newFixture(t, l)
			gl := b.toml(quick)
			b.oneMpirun(gl)
			s := b.with("linger").start("--resume", "--guidelines", gl)
			s.at = b.lingers // who dies in MPI_Init is another story
			s.settle()
			victim := []func() int{s.mpirun, func() int { return s.pids[1] }}[i]
			s.failing(victim, []syscall.Signal{syscall.SIGKILL, syscall.SIGSEGV}[i], 20*time.Second)
			s.wait(15*time.Second).exits(t, 3).says(t, "--resume")
			b.noneLeft(4 * time.Second)
			b.goesOn(gl, 3)
		})
	}
}

func TestRankZeroThatDiesInItsOutputIsNoResult(t *testing.T) {
	eitherAtOnce(t, func(t *testing.T, b *fixture) {
		gl := b.toml(quick)
		b.oneMpirun(gl)
		b.with("half-line").check("--resume", "--guidelines", gl).exits(t, 3).
			says(t, "failed twice", "before its end record", "--resume").saysSignalOrLauncher(t)
		should.Equal(t, len(b.raw()), 1, "raw files")
		b.noneLeft(3 * time.Second)
		b.goesOn(gl, 3)
	})
}

// saysSignalOrLauncher allows for a hydra that loses its own connection to a dead rank before it can
// say which signal ended it ("error writing PMI line"), and ends with exit status 255.
func (s said) saysSignalOrLauncher(t *testing.T) {
	t.Helper()
	if !strings.Contains(s.stderr, "exit status 255") {
		s.says(t, "signal 9", "killed a rank")
	}
}

func TestClockThatStepsBackIsRefused(t *testing.T) {
	eitherAtOnce(t, func(t *testing.T, b *fixture) {
		gl := b.toml(strings.Replace(quick, "fixed = 10", "fixed = 200", 1))
		b.oneMpirun(gl)
		b.with("clock").check("--resume", "--guidelines", gl).exits(t, 3).
			says(t, "failed twice: rank 1: ", "B: the clock of rank 1 went back by ", "clocksource", "--resume")
		b.noneLeft(3 * time.Second)
		b.goesOn(gl, 3)
	})
}

func TestDeathInInitIsASetupFault(t *testing.T) {
	bothAtOnce(t, func(t *testing.T, b *fixture) {
		gl := b.toml(quick)
		f := b.with("init-kill")
		f.check("--guidelines", gl).exits(t, 2).says(t, "MPI_Init", "command: ", "try: ")
		b.noneLeft(3 * time.Second)
		// The others wait for ever for a rank that left, or mpirun notices that it did.
		left := b.with("init-exit").check("--guidelines", gl, "--stall", "600ms").exits(t, 2).says(t, "by hand")
		if !strings.Contains(left.stderr, "no word from rank 0 within 3s") {
			left.says(t, "rank 0 had not come through MPI_Init")
		}
		b.noneLeft(3 * time.Second)
		b.oneMpirun(gl)
		f.check("--resume", "--guidelines", gl).exits(t, 3).says(t, "failed twice", "MPI_Init", "--resume")
		b.noneLeft(3 * time.Second)
		b.goesOn(gl, 3)
	})
}

func TestTerminationIsAnInterrupt(t *testing.T) {
	eitherAtOnce(t, func(t *testing.T, b *fixture) {
		s := b.startLong(long)
		_ = s.cmd.Process.Signal(syscall.SIGTERM)
		s.wait(10*time.Second).exits(t, 130).says(t, "interrupted", "--out "+b.out, "--resume")
		s.gone(3 * time.Second)
	})
}

// MPICH's launcher puts its proxy into a session of its own, where no signal to
// the launcher's group comes through.
func TestInterruptDuringInitLeavesNoRank(t *testing.T) {
	bothAtOnce(t, func(t *testing.T, b *fixture) {
		s := b.with("linger").start("--guidelines", b.toml(quick))
		_ = s.cmd.Process.Signal(os.Interrupt)
		s.wait(10*time.Second).exits(t, 130)
		b.noneLeft(100 * time.Millisecond)
	})
}

func TestSecondInterruptEndsAtOnceAndLeavesNothing(t *testing.T) {
	eitherAtOnce(t, func(t *testing.T, b *fixture) {
		gl := b.toml(quick)
		b.oneMpirun(gl)
		s := b.with("linger").start("--resume", "--guidelines", gl)
		ended := make(chan said, 1)
		go func() { ended <- <-s.end }()
		var e said
		for again := time.Tick(20 * time.Millisecond); e.code == 0; { // until the first is handled, a second may be lost
			_ = s.cmd.Process.Signal(os.Interrupt)
			select {
			case e = <-ended:
			case <-again:
			}
		}
		e.exits(t, 130, -1) // -1: by the signal, which a shell calls 130
		b.noneLeft(4 * time.Second)
		b.goesOn(gl, 3)
	})
}
