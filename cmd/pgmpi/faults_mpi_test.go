package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"pgmpi/internal/fixture/must"
	"pgmpi/internal/fixture/should"
	"pgmpi/measure/results"
)

// started is a check that runs beside the test.
type started struct {
	b      *fixture
	cmd    *exec.Cmd
	end    chan said
	at     func(pid int) bool // whether a rank has come where the fault is to meet it, or nil if that is the timing loop
	pids   []int              // of the ranks
	shared []string           // their files in /dev/shm
}

// startLong starts a check that lasts, and waits until both ranks are timing.
func (b *fixture) startLong(text string, args ...string) *started {
	b.t.Helper()
	s := b.start(append([]string{"--guidelines", b.toml(text)}, args...)...)
	s.settle()
	return s
}

// start starts a check and waits for the processes of its ranks.
func (b *fixture) start(args ...string) *started {
	b.t.Helper()
	return b.begin(b.command("pgmpi", b.checkArgs(args...)...))
}

// begin starts any command of pgmpi that starts two ranks.
func (b *fixture) begin(cmd *exec.Cmd, out, err *bytes.Buffer) *started {
	b.t.Helper()
	if e := cmd.Start(); e != nil {
		b.t.Fatal(e)
	}
	s := &started{b: b, cmd: cmd, end: make(chan said, 1)}
	go func() {
		_ = cmd.Wait()
		s.end <- said{cmd.ProcessState.ExitCode(), out.String(), err.String()}
	}()
	b.t.Cleanup(func() { _ = cmd.Process.Kill() })
	b.waitFor("the start of two ranks", 20*time.Second, func() bool {
		s.pids = b.processes(true)
		return len(s.pids) == 2
	})
	return s
}

// settle waits for the moment of a fault.
func (s *started) settle() {
	s.b.t.Helper()
	at := s.at
	if at == nil {
		at = func(pid int) bool { return cpuTime(pid) >= timing }
	}
	s.b.waitFor("the moment of the fault", time.Minute, func() bool {
		select {
		case e := <-s.end:
			s.b.t.Fatalf("the check ended before its fault: %s", e.stderr)
		default:
		}
		return !slices.ContainsFunc(s.pids, func(pid int) bool { return !at(pid) })
	})
	for _, pid := range s.pids {
		s.shared = append(s.shared, mappedShared(pid)...)
	}
}

// timing is more processor time than a rank needs before the timing loop.
const timing = 500 * time.Millisecond

// cpuTime is what a process has had.
func cpuTime(pid int) time.Duration {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	_, after, _ := strings.Cut(string(text), ") ")
	fields := strings.Fields(after)
	if len(fields) < 13 {
		return 0
	}
	user, _ := strconv.Atoi(fields[11])
	system, _ := strconv.Atoi(fields[12])
	return time.Duration(user+system) * 10 * time.Millisecond // of 100 Hz
}

// gone fails the test when a process of the check lives for longer, or a file
// in /dev/shm that its ranks had mapped is still there.
func (s *started) gone(limit time.Duration) {
	s.b.t.Helper()
	s.b.noneLeft(limit)
	for _, path := range s.shared {
		if _, err := os.Stat(path); err == nil {
			s.b.t.Errorf("%s was left behind", path)
		}
	}
}

// wait returns how the check ended.
func (s *started) wait(limit time.Duration) said {
	s.b.t.Helper()
	select {
	case e := <-s.end:
		return e
	case <-time.After(patience * limit):
		s.b.t.Fatalf("the check has not ended after %v", limit)
		return said{}
	}
}

// fail sends a signal to a rank, waits until the mpirun is repeated, and sends it again.
func (s *started) fail(sig syscall.Signal, limit time.Duration) {
	s.b.t.Helper()
	s.failing(func() int { return s.pids[1] }, sig, limit)
}

// failing does so with another process than a rank.
func (s *started) failing(victim func() int, sig syscall.Signal, limit time.Duration) {
	s.b.t.Helper()
	before := s.pids
	must.Do(s.b.t, syscall.Kill(victim(), sig))
	s.b.waitFor("the repetition of the mpirun", limit, func() bool {
		s.pids = s.b.processes(true)
		return len(s.pids) == 2 && !slices.Contains(before, s.pids[0]) && !slices.Contains(before, s.pids[1])
	})
	s.settle()
	must.Do(s.b.t, syscall.Kill(victim(), sig))
}

func TestRankThatIsKilledTwiceEndsTheCheckWithItsStory(t *testing.T) {
	bothAtOnce(t, func(t *testing.T, b *fixture) {
		s := b.startLong(long)
		s.fail(syscall.SIGKILL, 20*time.Second)
		s.wait(15*time.Second).exits(t, 3).says(t, "repeated once", "failed twice", "command: ", "killed a rank", "--resume")
		s.gone(3 * time.Second)
	})
}

func TestHangingRankIsEndedAfterTheStall(t *testing.T) {
	eitherAtOnce(t, func(t *testing.T, b *fixture) {
		// Many short cases, so that only a rank that hangs exceeds the limit.
		s := b.startLong(strings.NewReplacer(`"8", "64Ki"`, `"1..4Ki"`, "5000000", "50000").Replace(long), "--stall", "3s")
		s.fail(syscall.SIGSTOP, 25*time.Second)
		s.wait(25*time.Second).exits(t, 3).says(t, "measure.stall", "--resume")
		b.noneLeft(3 * time.Second)
	})
}

func TestKilledDriverLeavesNoProcess(t *testing.T) {
	bothAtOnce(t, func(t *testing.T, b *fixture) {
		s := b.startLong(long)
		must.Do(t, s.cmd.Process.Kill())
		s.wait(7 * time.Second)
		s.gone(4 * time.Second)
	})
}

func TestInterruptKeepsFinishedMpirunsAndNamesTheWayOn(t *testing.T) {
	eitherAtOnce(t, func(t *testing.T, b *fixture) {
		text := strings.NewReplacer("mpiruns = 3", "mpiruns = 5", "fixed = 10", "fixed = 5000").Replace(quick)
		gl := b.toml(text)
		cmd, out, err := b.command("pgmpi", b.checkArgs("--guidelines", gl)...)
		must.Do(t, cmd.Start())
		defer func() { _ = cmd.Process.Kill() }()
		b.waitFor("the first finished mpirun", 30*time.Second, func() bool {
			_, err := os.Stat(filepath.Join(b.out, "raw", "run-p2-01.tsv.gz"))
			return err == nil
		})
		_ = cmd.Process.Signal(syscall.SIGINT)
		_ = cmd.Wait()
		said{cmd.ProcessState.ExitCode(), out.String(), err.String()}.exits(t, 130).says(t, "interrupted", "--out "+b.out, "--resume")
		b.noneLeft(3 * time.Second)
		before := b.raw()
		b.check("--resume", "--guidelines", gl).exits(t, 0, 1)
		after := b.raw()
		should.Equal(t, len(after), 5, "raw files after --resume: %v", after)
		for name, when := range before {
			should.Hold(t, when.Equal(after[name]), "%s was finished, and was measured again", name)
		}
	})
}

func TestFolderInUseIsRefused(t *testing.T) {
	t.Parallel()
	b := newFixture(t, libraries[1])
	folder := must.Get(results.Create(b.out))(t)
	defer folder.Close()
	b.check("--guidelines", b.toml(quick)).exits(t, 2).says(t, "in use by another pgmpi")
}
