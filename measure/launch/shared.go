package launch

import (
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

const SharedFolder = "/dev/shm"
const shm = SharedFolder + "/"

// segments and singles hold prefixes of files that MPI libraries make. Segments have a file for each
// rank, whose names differ after the last dot; names of singles are unrelated.
var (
	segments = []string{"vader_segment.", "sm_segment."}
	singles  = []string{"mpich_shar_tmp", "ucx_shm_posix_"}
)

// IsShared tells whether a file in SharedFolder has a name that MPI libraries give.
func IsShared(name string) bool { return begins(name, segments) || begins(name, singles) }

func begins(name string, prefixes []string) bool {
	return slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(name, p) })
}

// Shared lists the files in /dev/shm that a process of this host maps or has open. It leaves out files
// without a name; pid 0 means the calling process.
func Shared(pid int) (found []string) {
	for _, name := range Mapped(pid) {
		if strings.HasPrefix(name, shm) {
			found = append(found, name)
		}
	}
	proc := procOf(pid)
	open, _ := os.ReadDir(proc + "/fd") // made, and not mapped yet
	for _, fd := range open {
		if name, err := os.Readlink(proc + "/fd/" + fd.Name()); err == nil && strings.HasPrefix(name, shm) {
			found = append(found, name)
		}
	}
	slices.Sort(found)
	return slices.DeleteFunc(slices.Compact(found), func(name string) bool { return strings.HasSuffix(name, " (deleted)") })
}

func procOf(pid int) string {
	if pid == 0 {
		return "/proc/self"
	}
	return fmt.Sprintf("/proc/%d", pid)
}

// Mapped iterates over the files that a process of this host maps. Before each come the permissions
// that it has there, such as "r-xp"; pid 0 means the calling process.
func Mapped(pid int) iter.Seq2[string, string] {
	return func(yield func(permissions, file string) bool) {
		maps, _ := os.ReadFile(procOf(pid) + "/maps")
		for line := range strings.Lines(string(maps)) {
			where, file, named := strings.Cut(strings.TrimSpace(line), " /")
			if words := strings.Fields(where); named && len(words) > 1 && !yield(words[1], "/"+file) {
				return
			}
		}
	}
}

// RemoveShared deletes the shared-memory files of an mpirun that are still in /dev/shm. had lists the
// files that its ranks had. Open MPI names the segments of all ranks after the job
// (vader_segment.HOST.UID.JOB.RANK, in version 5 sm_segment.…; untested): one rank's segment tells the
// others. MPICH's ranks share one file (mpich_shar_tmpXXXXXX), which has a name until all have it, and
// UCX makes several for each (ucx_shm_posix_…). Files with other names or of other users stay.
func RemoveShared(had []string) {
	for _, own := range had {
		dir, name := filepath.Split(own)
		names := []string{own}
		switch {
		case dir != shm:
			continue
		case begins(name, segments):
			names = ofJob(name)
		case !begins(name, singles):
			continue
		}
		for _, n := range names {
			var info syscall.Stat_t
			if syscall.Lstat(n, &info) == nil && int(info.Uid) == os.Geteuid() {
				os.Remove(n)
			}
		}
	}
}

// segment matches the name of a rank's segment: HOST, UID, JOB in hexadecimal, RANK.
var segment = regexp.MustCompile(`^[a-z]+_segment\.[^/]+\.([0-9]+)\.[0-9a-f]+\.([0-9]+)$`)

// ofJob lists the segments of all ranks of this user's job, given the name of one. A name of
// another form, which a rank may say, stands for no file.
func ofJob(name string) (files []string) {
	own := segment.FindStringSubmatchIndex(name)
	if own == nil || name[own[2]:own[3]] != strconv.Itoa(os.Geteuid()) {
		return nil
	}
	entries, _ := os.ReadDir(shm)
	for _, e := range entries {
		if rank, ok := strings.CutPrefix(e.Name(), name[:own[4]]); ok && strings.Trim(rank, "0123456789") == "" {
			files = append(files, shm+e.Name())
		}
	}
	return files
}
