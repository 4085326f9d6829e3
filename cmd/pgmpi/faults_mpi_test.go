package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"pgmpi/internal/remark"
	"pgmpi/measure/results"
)

// started is a check that runs beside the test.
type started struct {
	b      *bench
	cmd    *exec.Cmd
	end    chan said
	moment time.Duration // of the timing loop, in which a fault is to fall
	pids   []int         // of the ranks
	shared []string      // their files in /dev/shm
}

// startLong starts a check that lasts, and waits until both ranks are timing.
func (b *bench) startLong(text string, args ...string) *started {
	b.t.Helper()
	s := b.start(append([]string{"--guidelines", b.toml(text)}, args...)...)
	s.moment = 1500 * time.Millisecond // MPI_Init, the job and the first cases
	s.settle()
	return s
}

// start starts a check and waits for the processes of its ranks.
func (b *bench) start(args ...string) *started {
	b.t.Helper()
	cmd, out, err := b.command(b.checkArgs(args...)...)
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
	time.Sleep(s.moment)
	for _, pid := range s.pids {
		s.shared = append(s.shared, mappedShared(pid)...)
	}
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
	case <-time.After(limit):
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
	if err := syscall.Kill(victim(), sig); err != nil {
		s.b.t.Fatal(err)
	}
	s.b.waitFor("the repetition of the mpirun", limit, func() bool {
		s.pids = s.b.processes(true)
		return len(s.pids) == 2 && !slices.Contains(before, s.pids[0]) && !slices.Contains(before, s.pids[1])
	})
	s.settle()
	if err := syscall.Kill(victim(), sig); err != nil {
		s.b.t.Fatal(err)
	}
}

func TestRankThatIsKilledTwiceEndsTheCheckWithItsStory(t *testing.T) {
	eachLibrary(t, func(t *testing.T, b *bench) {
		s := b.startLong(long)
		s.fail(syscall.SIGKILL, 20*time.Second)
		s.wait(15*time.Second).exits(t, 3).says(t, "repeated once", "failed twice", "command: ", "killed a rank", "--resume")
		s.gone(3 * time.Second)
	})
}

func TestFailedMpirunIsRepeatedOnceAndReported(t *testing.T) {
	b := newBench(t, libraries[1])
	gl := b.toml(quick)
	// Before the kill, ranks linger long enough to be caught.
	killed := filepath.Join(b.dir, "killed")
	launch := b.script("once", `[ -e killed ] || export LD_PRELOAD=`+filepath.Join(b.bin, "fault.so")+` PGMPI_FAULT=linger
exec $MPIRUN "$@"`)
	mark := func() {
		if err := os.WriteFile(killed, nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	mark()
	b.oneMpirun(gl, "--launch", launch)
	os.Remove(killed)
	s := b.start("--resume", "--guidelines", gl, "--launch", launch)
	mark()
	if err := syscall.Kill(s.pids[1], syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	s.wait(30*time.Second).exits(t, 0, 1).says(t, "repeated once")
	if n := len(b.raw()); n != 3 {
		t.Errorf("%d mpiruns are on disk, want 3", n)
	}
	if !slices.ContainsFunc(b.report().Warnings, func(w remark.Remark) bool { return w.ID == "repeated" }) {
		t.Errorf("the report does not say so: %v", b.report().Warnings)
	}
}

func TestHangingRankIsEndedAfterTheStall(t *testing.T) {
	eachLibrary(t, func(t *testing.T, b *bench) {
		// Many short cases, so that only a rank that hangs exceeds the limit.
		s := b.startLong(strings.NewReplacer(`"8", "64Ki"`, `"1..4Ki"`, "5000000", "300000").Replace(long), "--stall", "3s")
		s.fail(syscall.SIGSTOP, 25*time.Second)
		s.wait(25*time.Second).exits(t, 3).says(t, "measure.stall", "--resume")
		b.noneLeft(3 * time.Second)
	})
}

func TestKilledDriverLeavesNoProcess(t *testing.T) {
	eachLibrary(t, func(t *testing.T, b *bench) {
		s := b.startLong(long)
		if err := s.cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		s.wait(7 * time.Second)
		s.gone(4 * time.Second)
	})
}

func TestInterruptKeepsFinishedMpirunsAndNamesTheWayOn(t *testing.T) {
	eachLibrary(t, func(t *testing.T, b *bench) {
		text := strings.NewReplacer("mpiruns = 3", "mpiruns = 5", "fixed = 10", "fixed = 20000").Replace(quick)
		gl := b.toml(text)
		cmd, out, err := b.command(b.checkArgs("--guidelines", gl)...)
		if e := cmd.Start(); e != nil {
			t.Fatal(e)
		}
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
		if len(after) != 5 {
			t.Errorf("raw files after --resume: %v", after)
		}
		for name, when := range before {
			if !when.Equal(after[name]) {
				t.Errorf("%s was finished, and was measured again", name)
			}
		}
	})
}

func TestFolderInUseIsRefused(t *testing.T) {
	b := newBench(t, libraries[1])
	folder, err := results.Create(b.out)
	if err != nil {
		t.Fatal(err)
	}
	defer folder.Close()
	b.check("--guidelines", b.toml(quick)).exits(t, 2).says(t, "in use by another pgmpi")
}

func TestWrongLauncherIsNoticed(t *testing.T) {
	for i, l := range libraries {
		t.Run(l.name, func(t *testing.T) {
			b := newBench(t, l)
			b.check("--guidelines", b.toml(quick), "--launch", libraries[1-i].mpi).exits(t, 2).says(t, "built for", "launched by", "--launch")
			b.noneLeft(3 * time.Second)
		})
	}
}

func TestRootWithoutPermissionIsRefusedWithTheRemedy(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can be refused")
	}
	b := newBench(t, libraries[0])
	b.env = append(b.env, "OMPI_ALLOW_RUN_AS_ROOT=", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=")
	b.check("--guidelines", b.toml(quick)).exits(t, 2).says(t, "OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1")
}

func TestSetupFaultsEndWithTwo(t *testing.T) {
	b := newBench(t, libraries[1])
	gl := b.toml(quick)
	missing := filepath.Join(b.dir, "absent", "pgmpi-rank")
	for _, c := range []struct {
		name  string
		args  []string
		words []string
	}{
		{"no rank program", []string{"check", "--guidelines", gl, "--rank", missing}, []string{missing, "make build", "--rank"}},
		{"rank program of another kind", []string{"check", "--guidelines", gl, "--rank", "/bin/true"}, []string{"/bin/true"}},
		{"no launcher", []string{"check", "--guidelines", gl, "--rank", b.rank, "--launch", "mpirun.none -np {np}"}, []string{"mpirun.none", "--launch"}},
		{"launcher without np", []string{"check", "--guidelines", gl, "--rank", b.rank, "--launch", "mpirun.mpich -np 2"}, []string{"{np}"}},
		{"launcher that starts nothing", []string{"check", "--guidelines", gl, "--rank", b.rank, "--launch", "false {np}"}, []string{"command: false 2"}},
		{"no gl.toml", []string{"check", "--guidelines", "absent.toml", "--out", b.out}, []string{"absent.toml", "pgmpi init"}},
		{"unknown flag", []string{"check", "--mpirun", "3"}, []string{"--mpiruns"}},
		{"unknown command", []string{"chek"}, []string{"chek", "check"}},
		{"unknown format", []string{"check", "--format", "jsn"}, []string{"jsn", "json"}},
		{"nothing to analyze", []string{"analyze", b.dir}, []string{"no results folder"}},
		{"folder not writable", []string{"check", "--guidelines", gl, "--rank", b.rank, "--out", "/proc/pgmpi"}, []string{"--out"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			b.pgmpi(c.args...).exits(t, 2).says(t, c.words...)
		})
	}
}

func TestErrorsOfTheFileHaveTheirPlace(t *testing.T) {
	b := newBench(t, libraries[1])
	for _, c := range []struct{ text, place, word string }{
		{"[check]\nguidelines = [\"GL8\"]\n[job]\nmpirun = 3\n", "gl.toml:4:1: ", "mpiruns"},
		{"[check]\nguidelines = [\"GL2:MPI_Scna\"]\n", "gl.toml:2:1: ", "MPI_Scan"},
		{"[job]\ndatatype = \"double\"\nop = \"bor\"\n", "gl.toml:3:1: ", "bor"},
		{"[job]\nmsizes = [0]\n", "gl.toml:2:1: ", "0"},
		{"[job]\nnp = [2]\nroot = 2\n", "gl.toml:3:1: ", "2"},
		{"[analyze]\nalpha = 1.5\n", "gl.toml:2:1: ", "1.5"},
		{"[nrep]\nmax = \"many\"\n", "gl.toml:2:1: ", ""},
	} {
		b.pgmpi("check", "--guidelines", b.toml(c.text), "--rank", "/absent").exits(t, 2).says(t, c.place, c.word)
	}
}

func TestTooFewMpirunsAreRefusedBeforeTheFirst(t *testing.T) {
	b := newBench(t, libraries[1])
	s := b.check("--guidelines", b.toml(strings.NewReplacer(`method = "paper"`, "", "mpiruns = 3", "mpiruns = 2").Replace(quick))).exits(t, 4)
	if !strings.ContainsAny(s.stderr, "3456789") || !strings.Contains(s.stderr, "mpiruns") {
		t.Errorf("the R that would do is not named:\n%s", s.stderr)
	}
	if _, err := os.Stat(b.out); err == nil {
		t.Error("a results folder was made all the same")
	}
}

func TestInitWritesWhatCheckReads(t *testing.T) {
	b := newBench(t, libraries[1])
	b.pgmpi("init").exits(t, 0).says(t, "gl.toml")
	b.pgmpi("init").exits(t, 2).says(t, "--out")
	// All errors of the file come before the rank program is looked for.
	b.pgmpi("check", "--guidelines", "gl.toml", "--rank", "/absent").exits(t, 2).says(t, "no rank program at /absent")
}

func TestVersionListAndHelpSayWhatThereIs(t *testing.T) {
	eachLibrary(t, func(t *testing.T, b *bench) {
		s := b.pgmpi("version", "--rank", b.rank).exits(t, 0)
		want := map[string]string{"openmpi": "Open MPI", "mpich": "MPICH"}[b.lib.name]
		if !strings.HasPrefix(s.stdout, "pgmpi ") || !strings.Contains(s.stdout, "built for "+want) {
			t.Errorf("version says:\n%s", s.stdout)
		}
	})
	b := newBench(t, libraries[1])
	for command, words := range map[string][]string{
		"list":       {"GL1 ", "GL17", "MPI_Reduce_scatter_block", "scan_as_exscan+reduce_local", "double"},
		"help":       {"check", "nrep", "measure", "analyze DIR", "list", "init", "version", "Exit codes"},
		"help check": {"--guidelines", "--np", "--mpiruns", "--msizes", "--out", "--resume", "--format", "--launch", "--rank", "--seed", "--stall", "--method", "--test", "--alpha", "--adjust", "--quiet"},
	} {
		s := b.pgmpi(strings.Fields(command)...).exits(t, 0)
		for _, w := range words {
			if !strings.Contains(s.stdout, w) {
				t.Errorf("%s lacks %q:\n%s", command, w, s.stdout)
			}
		}
	}
}
