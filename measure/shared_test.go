package measure

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"pgmpi/measure/launch"
	"pgmpi/measure/protocol"
	"pgmpi/testkit/must"
	"pgmpi/testkit/pages"
	"pgmpi/testkit/should"
)

// launched runs a command as a launcher, with what its ranks leave below tmp.
func launched(t *testing.T, tmp string, argv ...string) *Ranks {
	t.Helper()
	x := must.Get(Exec(argv, append(os.Environ(), "TMPDIR="+tmp), io.Discard))(t)
	t.Cleanup(func() { x.Stdout.Close() })
	return x
}

// As MPICH's rank 0 does inside MPI_Init, where a kill leaves the file to nobody.
func TestFileOfARankThatIsKilledWhileItStartsIsRemoved(t *testing.T) {
	name := func(of string) string {
		return fmt.Sprintf("%s/mpich_shar_tmp-pgmpi-test-%s-%d", launch.SharedFolder, of, os.Getpid())
	}
	own, other := name("own"), name("other")
	if err := os.WriteFile(other, nil, 0o600); err != nil {
		t.Skip(err)
	}
	defer os.Remove(other)
	defer os.Remove(own)
	x := must.Get(Exec([]string{"sh", "-c", `sleep 0.1; sh -c 'exec 3>"$0"; sleep 0.3; kill -9 $$' "$0"`, own}, os.Environ(), io.Discard))(t)
	defer x.Stdout.Close()
	<-x.Exited
	_, err := os.Stat(own)
	must.Hold(t, err == nil, "the rank has left nothing: %v", err)
	x.Kill()
	_, err = os.Stat(own)
	should.Hold(t, err != nil, "the file of the rank is left")
	_, err = os.Stat(other)
	should.Do(t, err, "the file of another is gone")
}

func TestCodeIsThatOfAllProcesses(t *testing.T) {
	self, _, _ := readStat(os.Getpid())
	x := must.Get(Exec([]string{"sh", "-c", "sleep 300; true"}, os.Environ(), io.Discard))(t)
	defer x.Stdout.Close()
	defer x.Kill()
	name := func(command string) string {
		return must.Get(filepath.EvalSymlinks(must.Get(exec.LookPath(command))(t)))(t)
	}
	for x.Greeted(nil); !slices.Contains(x.Code(), name("sleep")) && t.Context().Err() == nil; {
		x.Greeted(nil)
	}
	should.Hold(t, !slices.Contains(x.Code(), name("sh")), "the launcher is no rank: %q", x.Code())
	data := must.Get(os.Open("/etc/passwd"))(t)
	defer data.Close()
	mapped := must.Get(unix.Mmap(int(data.Fd()), 0, 1, unix.PROT_READ, unix.MAP_SHARED))(t)
	own := codeOf([]process{self, self})
	must.Do(t, unix.Munmap(mapped))
	should.Hold(t, !slices.Contains(own, data.Name()), "data are no code")
	should.Hold(t, slices.Contains(own, must.Get(os.Executable())(t)) && len(slices.Compact(slices.Clone(own))) == len(own), "%q", own)
}

func TestFileIsReadAnew(t *testing.T) {
	file := filepath.Join(t.TempDir(), "lib.so")
	must.Do(t, os.WriteFile(file, make([]byte, 1<<20), 0o666))
	must.Hold(t, pages.InMemory(t, file), "a file that was just written is not in memory")
	readAnew(file)
	should.Hold(t, !pages.InMemory(t, file), "it is still in memory")
	readAnew(file + ".none")
}

// A rank that forks leaves a process that holds its pipe, and mpirun waits for the pipe's end.
func TestMpirunDoesNotWaitForWhatRanksLeaveBehind(t *testing.T) {
	pids := filepath.Join(t.TempDir(), "pids")
	x := must.Get(Exec([]string{"sh", "-c", `(sleep 300 & echo $! >"$0"; setsid sleep 300 & echo $! >>"$0") | cat`, pids}, os.Environ(), io.Discard))(t)
	limit := time.After(2 * time.Minute) // it would wait five
	for waits := true; waits; {
		select {
		case <-x.Exited:
			waits = false
		case <-limit:
			t.Error("it waits")
			waits = false
		case <-time.After(orphansEvery):
			x.Orphans()
		}
	}
	x.Kill()
	for line := range strings.Lines(string(must.Get(os.ReadFile(pids))(t))) {
		_, err := os.Stat("/proc/" + strings.TrimSpace(line))
		should.Hold(t, os.IsNotExist(err), "process %s is left", line)
	}
}

// What rank 0 says is a claim: a rank could name a file of another job of this user.
func TestFileThatNoProcessOfTheMpirunHadIsLeft(t *testing.T) {
	name := func(job string) string {
		path := fmt.Sprintf("%s/vader_segment.pgmpi-test-%d.%d.%s.0", launch.SharedFolder, os.Getpid(), os.Geteuid(), job)
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Skip(err)
		}
		t.Cleanup(func() { os.Remove(path) })
		return path
	}
	own, detached, other := name("a"), name("b"), name("c")
	ready := filepath.Join(t.TempDir(), "ready")
	// A batch system's ranks are not below the launcher, and gone when the mpirun is ended.
	x := launched(t, t.TempDir(), "sh", "-c", `sh -c 'exec 3<"$0"; sleep 300' "$0" &
		(setsid sh -c 'exec 3<"$0"; echo >"$1"; sleep 300' "$1" "$2" &)
		wait`, own, detached, ready)
	for t.Context().Err() == nil {
		if _, err := os.Stat(ready); err == nil && slices.ContainsFunc(descendants(x.PID), func(p process) bool { return slices.Contains(launch.Shared(p.pid), own) }) {
			break
		}
	}
	x.Greeted([]string{own, detached, other, "/dev/shm/vader_segment.none"})
	endAll(descendants(x.PID), 0)
	x.Kill()
	for _, path := range []string{own, detached} {
		_, err := os.Stat(path)
		should.Hold(t, os.IsNotExist(err), "%s is left", path)
	}
	_, err := os.Stat(other)
	should.Do(t, err, "the file of another job is gone")
	m := newMpirun(nil, []string{"mpirun"}, nil, limitsFor(DefaultMPI(), 2, time.Minute))
	hello := greeting()
	hello.Shared = []string{other}
	hello.Rank.Host, _ = os.Hostname()
	m.starter = rank0{hello: hello, end: true}.start
	_, err = m.run(t.Context(), &protocol.Job{NP: 2, CallsJob: &protocol.CallsJob{Measure: &protocol.MeasureJob{}}})
	should.Do(t, err)
	_, err = os.Stat(other)
	should.Do(t, err, "a rank's word is enough")
}
