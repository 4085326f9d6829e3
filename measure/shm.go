package measure

import (
	"os"
	"path/filepath"
	"strings"
)

// removeShared deletes the files in /dev/shm of an mpirun whose launcher was
// killed before it could. Open MPI names the segments of all ranks after the
// job (vader_segment.HOST.UID.JOB.RANK), and rank 0 has named its own.
func (m *mpirun) removeShared() {
	host, err := os.Hostname()
	if err != nil || m.hello == nil || m.hello.Rank.Host != host {
		return
	}
	for _, own := range m.hello.Shared {
		if dir, name := filepath.Split(own); dir != "/dev/shm/" || !strings.HasPrefix(name, "vader_segment.") {
			continue
		}
		job := own[:strings.LastIndex(own, ".")+1]
		names, _ := filepath.Glob(job + "*")
		for _, n := range names {
			os.Remove(n)
		}
	}
}
