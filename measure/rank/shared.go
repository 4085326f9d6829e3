//go:build cgo

package rank

import (
	"os"
	"strings"
)

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
