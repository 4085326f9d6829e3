package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"pgmpi/measure/results"
	"pgmpi/testkit/mpirun"
	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

// started is a running check that a test makes fail.
type started struct{ *mpirun.Started }

// startLong starts a check that lasts, and waits until both ranks are timing.
func (b *fixture) startLong(args ...string) *started {
	b.T.Helper()
	s := b.start(append([]string{"--guidelines", b.TOML(long)}, args...)...)
	s.Settle()
	return s
}

// start starts a check and waits for the processes of its ranks.
func (b *fixture) start(args ...string) *started {
	b.T.Helper()
	return &started{b.Begin(b.Command("pgmpi", b.CheckArgs(args...)...))}
}

// fail sends a signal to a rank, and again once the mpirun is repeated.
func (s *started) fail(sig syscall.Signal, limit time.Duration) {
	s.B.T.Helper()
	s.failing(func() int { return s.PIDs[1] }, sig, limit)
}

// failing does the same to another process than a rank.
func (s *started) failing(victim func() int, sig syscall.Signal, limit time.Duration) {
	s.B.T.Helper()
	before := s.PIDs
	must.Do(s.B.T, syscall.Kill(victim(), sig))
	s.B.WaitFor("the repetition of the mpirun", limit, func() bool {
		s.PIDs = s.B.Processes(true)
		return len(s.PIDs) == 2 && !slices.Contains(before, s.PIDs[0]) && !slices.Contains(before, s.PIDs[1])
	})
	s.Settle()
	must.Do(s.B.T, syscall.Kill(victim(), sig))
}

func TestRankThatIsKilledTwiceEndsTheCheckWithItsStory(t *testing.T) {
	eitherAtOnce(t, func(t *testing.T, b *fixture) {
		s := b.startLong()
		s.fail(syscall.SIGKILL, 20*time.Second)
		s.Wait(15*time.Second).Exits(t, 3).Says(t, "repeated once", "failed twice", "command: ", "killed a rank", "--resume")
		s.Gone(3 * time.Second)
	})
}

func TestHangingRankIsEndedAfterTheStall(t *testing.T) {
	eitherAtOnce(t, func(t *testing.T, b *fixture) {
		gl := b.TOML(strings.Replace(twice, `"GL8", "GL1:MPI_Bcast"`, `"GL1:MPI_Allgather"`, 1))
		b.with("stops").Check("--guidelines", gl, "--stall", "3s").Exits(t, 3).Says(t, "repeated once", "failed twice", "measure.stall", "--resume")
		b.NoneLeft(3 * time.Second)
	})
}

func TestKilledDriverLeavesNoProcess(t *testing.T) {
	bothAtOnce(t, func(t *testing.T, b *fixture) {
		s := b.startLong()
		must.Do(t, s.Cmd.Process.Kill())
		s.Wait(7 * time.Second)
		s.Gone(4 * time.Second)
	})
}

func TestInterruptKeepsFinishedMpirunsAndNamesTheWayOn(t *testing.T) {
	eitherAtOnce(t, func(t *testing.T, b *fixture) {
		text := strings.NewReplacer("mpiruns = 3", "mpiruns = 5", "fixed = 10", "fixed = 5000").Replace(quick)
		gl := b.TOML(text)
		cmd, out, err := b.Command("pgmpi", b.CheckArgs("--guidelines", gl)...)
		must.Do(t, cmd.Start())
		defer func() { _ = cmd.Process.Kill() }()
		b.WaitFor("the first finished mpirun", 30*time.Second, func() bool {
			_, err := os.Stat(filepath.Join(b.Out, "raw", "run-p2-01.tsv.gz"))
			return err == nil
		})
		_ = cmd.Process.Signal(syscall.SIGINT)
		_ = cmd.Wait()
		mpirun.Said{Code: cmd.ProcessState.ExitCode(), Stdout: out.String(), Stderr: err.String()}.Exits(t, 130).Says(t, "interrupted", "--out "+b.Out, "--resume")
		b.NoneLeft(3 * time.Second)
		before := b.Raw()
		b.Check("--resume", "--guidelines", gl).Exits(t, 0, 1)
		after := b.Raw()
		should.Equal(t, len(after), 5, "raw files after --resume: %v", after)
		for name, when := range before {
			should.Hold(t, when.Equal(after[name]), "%s was finished, and was measured again", name)
		}
	})
}

func TestFolderInUseIsRefused(t *testing.T) {
	t.Parallel()
	b := newFixture(t, mpirun.Libraries[1])
	folder := must.Get(results.Create(b.Out))(t)
	defer folder.Close()
	b.Check("--guidelines", b.TOML(quick)).Exits(t, 2).Says(t, "in use by another pgmpi")
}
