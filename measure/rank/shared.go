//go:build cgo

package rank

import (
	"os"
	"os/signal"
	"strings"
	"syscall"

	"pgmpi/measure/launch"
)

// leaveWithLauncher ends this rank when it is told to, or when the launcher on
// this host dies, and removes the shared-memory files that a launcher which was
// killed leaves behind.
func leaveWithLauncher() {
	parent := os.Getppid()
	told := make(chan os.Signal, 1)
	signal.Notify(told, syscall.SIGTERM, syscall.SIGHUP)
	_, _, _ = syscall.RawSyscall(syscall.SYS_PRCTL, syscall.PR_SET_PDEATHSIG, uintptr(syscall.SIGHUP), 0)
	go func() {
		// The signal of the launcher's death also comes when only the thread ends that forked.
		for s := range told {
			if s == syscall.SIGTERM || os.Getppid() != parent {
				break
			}
		}
		launch.RemoveShared(sharedFiles())
		os.Exit(exitCode)
	}()
}

// sharedFiles lists the files in /dev/shm that this process maps: the MPI
// library's, which stay there when its launcher is killed.
func sharedFiles() []string {
	text, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		return nil
	}
	var found []string
	for line := range strings.Lines(string(text)) {
		at := strings.Index(line, "/dev/shm/")
		if at < 0 {
			continue
		}
		path := strings.TrimSpace(line[at:])
		if strings.HasSuffix(path, " (deleted)") || len(found) > 0 && found[len(found)-1] == path {
			continue
		}
		found = append(found, path)
	}
	return found
}
