package results

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"pgmpi/measure/host"
	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

// errnos are what file systems without flock answer: Lustre mounted without -o flock,
// NFS without lockd, and others.
var errnos = []syscall.Errno{syscall.ENOSYS, syscall.ENOLCK, syscall.EOPNOTSUPP}

func without(errno syscall.Errno) func(int, int) error { return func(int, int) error { return errno } }

func TestLockedFolderNamesItsHolder(t *testing.T) {
	self, _ := os.Hostname()
	want := fmt.Sprintf("process %d on %s (slurm job 12)", os.Getpid(), self)
	t.Setenv("SLURM_JOB_ID", "12")
	dir := t.TempDir()
	first := must.Get(lockFolder(dir, syscall.Flock))(t)
	_, err := lockFolder(dir, syscall.Flock)
	should.Fail(t, err, "in use by another pgmpi, "+want, "with flock")
	first.release()
	for _, errno := range errnos {
		dir := t.TempDir()
		first, err := lockFolder(dir, without(errno))
		must.Hold(t, err == nil, "%v: %v", errno, err)
		if _, err := lockFolder(dir, without(errno)); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), heldName) {
			t.Errorf("%v: %v", errno, err)
		}
		should.Do(t, first.release(), "%v", errno)
		again, err := lockFolder(dir, without(errno))
		must.Hold(t, err == nil, "%v, after its release: %v", errno, err)
		again.release()
	}
}

// ended is the number of a process that there is no more.
func ended(t *testing.T) int {
	t.Helper()
	cmd := exec.Command("true")
	must.Do(t, cmd.Run())
	return cmd.Process.Pid
}

func TestLockThatItsHolderLeftIsTaken(t *testing.T) {
	self := host.ThesePIDs()
	elsewhere := host.PIDs{Host: "elsewhere"}
	container, reboot := self, self
	container.Namespace, reboot.Boot = "pid:[1]", "earlier"
	squeue := t.TempDir()
	script := "#!/bin/sh\ncase \"$*\" in *--jobs=5*) echo 'RUNNING|n||1:00';; *--jobs=6*) echo 'FAILED|n||';; *) exit 1;; esac\n"
	must.Do(t, os.WriteFile(filepath.Join(squeue, "squeue"), []byte(script), 0o777))
	t.Setenv("PATH", squeue+":"+os.Getenv("PATH"))
	t.Setenv("SLURM_JOB_ID", "7")
	t.Setenv("SLURM_RESTART_COUNT", "1")
	job := func(id string, restarts int) *host.Job {
		return &host.Job{Scheduler: "slurm", ID: id, Restarts: restarts}
	}
	for _, c := range []struct {
		name  string
		by    holder
		taken bool
		// What a holder elsewhere means where flock works: only a job that runs counts.
		withFlock bool
	}{
		{"a process that has ended", holder{self, ended(t), nil}, true, true},
		{"one that runs", holder{self, os.Getpid(), nil}, false, true},
		{"one of another container of this host", holder{container, ended(t), nil}, false, true},
		{"one before the host was started again", holder{reboot, ended(t), nil}, false, true},
		{"this job before the node was started again", holder{reboot, 1, job("7", 0)}, true, true},
		{"one elsewhere", holder{elsewhere, 1, nil}, false, true},
		{"this job before it was requeued", holder{elsewhere, 1, job("7", 0)}, true, true},
		{"this job on another node", holder{elsewhere, 1, job("7", 1)}, false, true},
		{"a job that runs", holder{elsewhere, 1, job("5", 0)}, false, false},
		{"a job that failed", holder{elsewhere, 1, job("6", 0)}, true, true},
		{"a job that nothing is known of", holder{elsewhere, 1, job("8", 0)}, false, true},
		{"nobody has signed", holder{}, false, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			text := must.Get(json.Marshal(c.by))(t)
			dir := t.TempDir()
			for _, name := range []string{heldName, lockName} {
				must.Do(t, os.WriteFile(filepath.Join(dir, name), text, 0o666))
			}
			if l, err := lockFolder(dir, without(syscall.ENOSYS)); (err == nil) != c.taken {
				t.Errorf("without flock: %v", err)
			} else if err == nil {
				l.release()
				left, _ := filepath.Glob(filepath.Join(dir, heldName+"*"))
				should.Hold(t, len(left) == 0, "left behind: %v", left)
			}
			if l, err := lockFolder(dir, syscall.Flock); (err == nil) != c.withFlock {
				t.Errorf("with flock: %v", err)
			} else if err == nil {
				l.release()
			}
		})
	}
}
