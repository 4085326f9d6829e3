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

	"pgmpi/internal/fixture/must"
	"pgmpi/internal/fixture/pages"
	"pgmpi/internal/fixture/should"
	"pgmpi/measure/launch"
)

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
	for x.Greeted(); !slices.Contains(x.Code(), name("sleep")) && t.Context().Err() == nil; {
		x.Greeted()
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
	limit := time.After(10 * time.Second)
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

func TestSessionOfAKilledMpirunIsRemoved(t *testing.T) {
	tmp := t.TempDir()
	session := func(format string, args ...any) string {
		path := filepath.Join(tmp, fmt.Sprintf(format, args...))
		must.Do(t, os.MkdirAll(filepath.Join(path, "0"), 0o777))
		return path
	}
	x := must.Get(Exec([]string{"sleep", "300"}, append(os.Environ(), "TMPDIR="+tmp), io.Discard))(t)
	pid := childrenOf(os.Getpid())
	must.Hold(t, len(pid) == 1, "children %v", pid)
	own := session("ompi.host.%d/pid.%d", os.Geteuid(), pid[0])
	others := []string{session("ompi.two.%d/pid.1", os.Geteuid()), session("ompi.two.%d/pid.%d", os.Geteuid()+1, pid[0]), session("mine/pid.%d", pid[0])}
	x.Kill()
	_, err := os.Stat(filepath.Dir(own))
	should.Hold(t, os.IsNotExist(err), "%s is left", own)
	for _, path := range others {
		_, err := os.Stat(path)
		should.Do(t, err)
	}
}
