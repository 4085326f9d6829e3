package launch

import (
	"os"
	"path/filepath"
	"strings"
)

// RemoveShared deletes the shared-memory files of an mpirun that are still in
// /dev/shm. It takes those that one rank has mapped: Open MPI names the
// segments of all ranks after the job (vader_segment.HOST.UID.JOB.RANK, in
// version 5 sm_segment.…; untested), and leaves them behind when its mpirun is
// killed. Other files are left alone.
func RemoveShared(mapped []string) {
	for _, own := range mapped {
		dir, name := filepath.Split(own)
		if dir != "/dev/shm/" || !strings.HasPrefix(name, "vader_segment.") && !strings.HasPrefix(name, "sm_segment.") {
			continue
		}
		names, _ := filepath.Glob(own[:strings.LastIndex(own, ".")+1] + "*")
		for _, n := range names {
			os.Remove(n)
		}
	}
}
