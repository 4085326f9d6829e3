package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"pgmpi/testkit/mpirun"
	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

// mpirun returns the pid of the launcher, the driver's child.
func (s *started) mpirun() int {
	s.B.T.Helper()
	for _, pid := range s.B.Processes(false) {
		text, _ := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "status"))
		if strings.Contains(string(text), fmt.Sprintf("\nPPid:\t%d\n", s.Cmd.Process.Pid)) {
			return pid
		}
	}
	s.B.T.Fatal("the driver has no mpirun")
	return 0
}

// goesOn fails the test unless --resume without the fault finishes the check. The finished mpiruns must stay as
// they are.
func (b *fixture) goesOn(gl string, runs int, args ...string) {
	b.T.Helper()
	before := b.Raw()
	b.Check(append([]string{"--resume", "--guidelines", gl}, args...)...).Exits(b.T, 0, 1)
	after := b.Raw()
	if len(after) != runs {
		b.T.Errorf("raw files after --resume: %v", after)
	}
	for name, when := range before {
		if !when.Equal(after[name]) {
			b.T.Errorf("%s was finished, and was measured again", name)
		}
	}
}

// oneMpirun makes a results folder with the first of its mpiruns.
func (b *fixture) oneMpirun(gl string) {
	b.T.Helper()
	b.Check("--guidelines", gl).Exits(b.T, 0, 1)
	b.removeRuns()
}

// removeRuns takes all but the first mpirun out of a results folder.
func (b *fixture) removeRuns() {
	b.T.Helper()
	for _, path := range b.Found(filepath.Base(b.Out) + "/raw/run-p2-*")[1:] {
		must.Do(b.T, os.Remove(path))
	}
}

// lingers tells whether a rank with the fault linger has come through the library's MPI_Init.
func (b *fixture) lingers(pid int) bool { return b.There(fmt.Sprintf("lingers-%d", pid)) }

func TestCrashOfARankEndsTheCheckWithItsStory(t *testing.T) {
	bothAtOnce(t, func(t *testing.T, b *fixture) {
		s := b.startLong()
		s.fail(syscall.SIGSEGV, 20*time.Second)
		e := s.Wait(15*time.Second).Exits(t, 3).Says(t, "SIGSEGV", "check.exclude", "--resume")
		should.Hold(t, !strings.Contains(e.Stderr, "goroutine") && !strings.Contains(e.Stderr, "rflags"),
			"a stack trace for a fault that is not pgmpi's:\n%s", e.Stderr)
		s.Gone(3 * time.Second)
	})
}

func TestKilledMpirunLeavesNeitherRanksNorSharedMemory(t *testing.T) {
	bothAtOnce(t, func(t *testing.T, b *fixture) {
		s := b.startLong()
		must.Hold(t, b.Lib.Name != "openmpi" || len(s.Shared) != 0, "the ranks of Open MPI map no file in /dev/shm: this test tests nothing")
		var pid int
		s.failing(func() int { pid = s.mpirun(); return pid }, syscall.SIGKILL, 20*time.Second)
		s.Wait(15*time.Second).Exits(t, 3).Says(t, "signal: killed", "killed mpirun", "--resume")
		s.Gone(0)
		should.Equal(t, len(sessions(pid)), 0, "sessions of the launcher")
	})
}

// sessions returns the folders that Open MPI has made for a launcher.
func sessions(pid int) []string {
	old, _ := filepath.Glob(filepath.Join(os.TempDir(), "ompi.*", fmt.Sprintf("pid.%d", pid)))
	prte, _ := filepath.Glob(filepath.Join(os.TempDir(), fmt.Sprintf("prterun.*.%d.*", pid)))
	return append(old, prte...)
}

func TestWhoGoesOnRemovesWhatAKilledDriversLauncherLeft(t *testing.T) {
	bothAtOnce(t, func(t *testing.T, b *fixture) {
		gl := b.TOML(twice)
		b.oneMpirun(gl)
		s := b.with("linger").start("--resume", "--guidelines", gl)
		launcher := s.mpirun()
		// While stopped, the launcher does not hear that its driver ends.
		for _, p := range []struct {
			pid int
			sig syscall.Signal
		}{{launcher, syscall.SIGSTOP}, {s.Cmd.Process.Pid, syscall.SIGKILL}, {launcher, syscall.SIGKILL}} {
			must.Do(t, syscall.Kill(p.pid, p.sig))
		}
		s.Wait(7 * time.Second)
		b.NoneLeft(7 * time.Second)
		must.Hold(t, b.Lib.Name != "openmpi" || len(sessions(launcher)) == 1, "the launcher left nothing: this test tests nothing")
		b.goesOn(gl, 2)
		should.Equal(t, len(sessions(launcher)), 0, "sessions of the launcher")
	})
}

func TestWhatARankForksEndsWithItsMpirun(t *testing.T) {
	bothAtOnce(t, func(t *testing.T, b *fixture) {
		b.with("forks").Check("--guidelines", b.TOML(twice)).Exits(t, 0, 1)
		b.NoneLeft(0)
	})
}

func TestFinishedMpirunsOutliveAKilledOne(t *testing.T) {
	t.Parallel()
	for i, l := range mpirun.Libraries {
		t.Run(l.Name, func(t *testing.T) {
			t.Parallel()
			b := newFixture(t, l)
			gl := b.TOML(twice)
			b.oneMpirun(gl)
			s := b.with("linger").start("--resume", "--guidelines", gl)
			s.At = b.lingers // a death in MPI_Init is another story
			s.Settle()
			victim := []func() int{s.mpirun, func() int { return s.PIDs[1] }}[i]
			s.failing(victim, []syscall.Signal{syscall.SIGKILL, syscall.SIGSEGV}[i], 20*time.Second)
			s.Wait(15*time.Second).Exits(t, 3).Says(t, "--resume")
			b.NoneLeft(4 * time.Second)
			b.goesOn(gl, 2)
		})
	}
}

func TestRankZeroThatDiesInItsOutputIsNoResult(t *testing.T) {
	eitherAtOnce(t, func(t *testing.T, b *fixture) {
		gl := b.TOML(twice)
		b.oneMpirun(gl)
		s := b.with("half-line").Check("--resume", "--guidelines", gl).Exits(t, 3)
		saysSignalOrLauncher(t, s.Says(t, "failed twice", "before its end record", "--resume"))
		should.Equal(t, len(b.Raw()), 1, "raw files")
		b.NoneLeft(3 * time.Second)
		b.goesOn(gl, 2)
	})
}

// saysSignalOrLauncher allows for a hydra that loses its own connection to a dead rank. Before it can say which
// signal ended the rank, it says "error writing PMI line", and ends with exit status 255; MPICH 4.2's may lose the
// status of a rank, and end silently with 0.
func saysSignalOrLauncher(t *testing.T, s mpirun.Said) {
	t.Helper()
	if !strings.Contains(s.Stderr, "exit status 255") && !strings.Contains(s.Stderr, "exit status 0, silently") {
		s.Says(t, "signal 9", "killed a rank")
	}
}

func TestClockThatStepsBackIsRefused(t *testing.T) {
	eitherAtOnce(t, func(t *testing.T, b *fixture) {
		gl := b.TOML(strings.Replace(twice, "fixed = 10", "fixed = 200", 1))
		b.oneMpirun(gl)
		b.with("clock").Check("--resume", "--guidelines", gl).Exits(t, 3).
			Says(t, "failed twice: rank 1: ", "B: the clock of rank 1 went back by ", "clocksource", "--resume")
		b.NoneLeft(3 * time.Second)
		b.goesOn(gl, 2)
	})
}

func TestDeathInInitIsASetupFault(t *testing.T) {
	bothAtOnce(t, func(t *testing.T, b *fixture) {
		gl := b.TOML(twice)
		f := b.with("init-kill")
		f.Check("--guidelines", gl).Exits(t, 2).Says(t, "MPI_Init", "command: ", "try: ")
		b.NoneLeft(3 * time.Second)
		// The others wait for ever for a rank that left, or mpirun notices that it did.
		left := b.with("init-exit").Check("--guidelines", gl, "--stall", "600ms").Exits(t, 2).Says(t, "by hand")
		if !strings.Contains(left.Stderr, "no word from rank 0 within 3s") {
			left.Says(t, "rank 0 had not come through MPI_Init")
		}
		b.NoneLeft(3 * time.Second)
		b.oneMpirun(gl)
		f.Check("--resume", "--guidelines", gl).Exits(t, 3).Says(t, "failed twice", "MPI_Init", "--resume")
		b.NoneLeft(3 * time.Second)
		b.goesOn(gl, 2)
	})
}

func TestTerminationIsAnInterrupt(t *testing.T) {
	eitherAtOnce(t, func(t *testing.T, b *fixture) {
		s := b.startLong()
		_ = s.Cmd.Process.Signal(syscall.SIGTERM)
		s.Wait(10*time.Second).Exits(t, 130).Says(t, "interrupted", "--out "+b.Out, "--resume")
		s.Gone(3 * time.Second)
	})
}

// MPICH's launcher puts its proxy into a session of its own. No signal to the launcher's group reaches it.
func TestInterruptDuringInitLeavesNoRank(t *testing.T) {
	bothAtOnce(t, func(t *testing.T, b *fixture) {
		s := b.with("linger").start("--guidelines", b.TOML(quick))
		_ = s.Cmd.Process.Signal(os.Interrupt)
		s.Wait(10*time.Second).Exits(t, 130)
		b.NoneLeft(100 * time.Millisecond)
	})
}

func TestSecondInterruptEndsAtOnceAndLeavesNothing(t *testing.T) {
	eitherAtOnce(t, func(t *testing.T, b *fixture) {
		gl := b.TOML(twice)
		b.oneMpirun(gl)
		s := b.with("linger").start("--resume", "--guidelines", gl)
		ended := make(chan mpirun.Said, 1)
		go func() { ended <- <-s.End }()
		var e mpirun.Said
		for again := time.Tick(20 * time.Millisecond); e.Code == 0; { // until the first is handled, a second may be lost
			_ = s.Cmd.Process.Signal(os.Interrupt)
			select {
			case e = <-ended:
			case <-again:
			}
		}
		e.Exits(t, 130, -1) // -1 is an end by the signal, which a shell calls 130
		b.NoneLeft(4 * time.Second)
		b.goesOn(gl, 2)
	})
}
