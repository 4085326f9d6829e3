//go:build cgo

package rank

import (
	"os"
	"os/signal"
	"strings"
	"syscall"

	"pgmpi/measure/results"
)

// leaveAtTerm removes the shared-memory files when a launcher that is itself
// being ended takes its ranks along: Open MPI's does not always do so.
func leaveAtTerm() {
	told := make(chan os.Signal, 1)
	signal.Notify(told, syscall.SIGTERM)
	go func() {
		<-told
		results.RemoveShared(sharedFiles())
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
