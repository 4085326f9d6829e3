package child

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

const limit = 30 * time.Second // limits every wait; each takes less

// pidIn waits for the process number that a script writes to a file.
func pidIn(t *testing.T, file string) int {
	t.Helper()
	for end := time.Now().Add(limit); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		text, _ := os.ReadFile(file)
		if pid, err := strconv.Atoi(strings.TrimSuffix(string(text), "\n")); err == nil && strings.Contains(string(text), "\n") {
			return pid
		}
	}
	t.Fatalf("nothing has written %s", file)
	return 0
}

// ends waits until a process is gone, or is a zombie that nobody buries.
func ends(t *testing.T, pid int) {
	t.Helper()
	for end := time.Now().Add(limit); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil || strings.Contains(string(text), ") Z ") {
			return
		}
	}
	_ = syscall.Kill(pid, syscall.SIGKILL)
	t.Errorf("process %d goes on", pid)
}

// A program below the command ignores signals, and so does the command or not.
func TestWhatACommandHasStartedEndsWithTheContext(t *testing.T) {
	for _, trap := range []string{"", "trap '' TERM; "} {
		file := filepath.Join(t.TempDir(), "pid")
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		ended := make(chan error, 1)
		go func() {
			ended <- Run(ctx, exec.Command("sh", "-c", trap+"sh -c 'trap \"\" TERM; echo $$ >"+file+"; sleep 300; "+
				"sleep 300' & wait; wait"), 100*time.Millisecond)
		}()
		pid := pidIn(t, file)
		cancel()
		should.Fail(t, <-ended, "signal", "trap: "+trap)
		ends(t, pid)
	}
}

func TestACommandThatEndsByItselfIsWaitedFor(t *testing.T) {
	must.Do(t, Run(context.Background(), exec.Command("true"), limit))
	should.Fail(t, Run(context.Background(), exec.Command("false"), limit), "exit status 1")
	should.Fail(t, Run(context.Background(), exec.Command("/no/such/program"), limit), "/no/such/program")
	over, cancel := context.WithCancel(context.Background())
	cancel()
	should.Fail(t, Run(over, exec.Command("true"), limit), "canceled")
}

// This test starts itself as the process to kill.
func TestACommandEndsWhereThisProcessIsKilled(t *testing.T) {
	if file := os.Getenv("CHILD_TEST_FILE"); file != "" {
		must.Do(t, Run(context.Background(), exec.Command("sh", "-c", "echo $$ >"+file+"; exec sleep 300"), limit))
		return
	}
	file := filepath.Join(t.TempDir(), "pid")
	self := exec.Command(os.Args[0], "-test.run=^TestACommandEndsWhereThisProcessIsKilled$")
	self.Env = append(os.Environ(), "CHILD_TEST_FILE="+file)
	must.Do(t, self.Start())
	pid := pidIn(t, file)
	must.Do(t, self.Process.Kill())
	_ = self.Wait()
	ends(t, pid)
}
