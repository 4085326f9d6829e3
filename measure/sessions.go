package measure

import (
	"cmp"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"pgmpi/internal/regular"
	"pgmpi/measure/host"
	"pgmpi/measure/results"
)

// launcherOf returns the record of a launcher that starts with an environment.
func launcherOf(pid int, env []string, began time.Time) results.Launcher {
	set := map[string]string{}
	for _, v := range env {
		name, value, _ := strings.Cut(v, "=")
		set[name] = value
	}
	return results.Launcher{PIDs: host.ThesePIDs(), PID: pid, Began: began, // as Open MPI looks for it
		Temp: cmp.Or(set["TMPDIR"], set["TEMP"], set["TMP"], "/tmp")}
}

// clockGrain is the most by which a file's time may lie before its making.
const clockGrain = time.Second

// mpirunFolder is a folder that Open MPI's mpirun makes for itself. Its file of contact has its number on a line, once
// it can be reached.
type mpirunFolder struct {
	path, contact string
	line          int // from 0; -1: the last
}

// sessionsOf returns where mpirun with a number on a host has its folders: of Open MPI 4, and of PRRTE in 5 and 6.
func sessionsOf(temp, hostname string, pid int) []mpirunFolder {
	of, prte := fmt.Sprintf("ompi.%s.%d", hostname, os.Geteuid()), fmt.Sprintf("prterun.%s.%d.%d", hostname, pid, os.Geteuid())
	return []mpirunFolder{
		{filepath.Join(temp, of, fmt.Sprintf("pid.%d", pid)), "contact.txt", -1},
		{filepath.Join(temp, prte), fmt.Sprintf("pmix.%s.tool.%d", hostname, pid), 2},
	}
}

// removeSessions deletes the folders that Open MPI's mpirun leaves in TMPDIR when it is killed. Hosts and containers
// may share TMPDIR, and there a PID is another process: a session goes only if it has the launcher's host, began no
// earlier, and names the launcher or one of the pids, which were below it.
func removeSessions(l results.Launcher, pids ...int) {
	short, _, _ := strings.Cut(l.Host, ".") // unless orte_keep_fqdn_hostnames is set
	for _, name := range slices.Compact([]string{l.Host, short}) {
		for _, pid := range append(pids, l.PID) {
			for _, s := range sessionsOf(l.Temp, name, pid) {
				of := filepath.Dir(s.path)
				if name == "" || of != filepath.Clean(l.Temp) && !ownFolder(of) || !s.madeBy(pid, l.Began) {
					continue
				}
				if os.RemoveAll(s.path) == nil && of != filepath.Clean(l.Temp) {
					_ = os.Remove(of) // unless others have one
				}
			}
		}
	}
}

// madeBy tells whether a session is of an mpirun with this number that began then or later.
func (s mpirunFolder) madeBy(pid int, began time.Time) bool {
	if !ownFolder(s.path) {
		return false
	}
	made := s.path
	contact := filepath.Join(s.path, s.contact)
	text, err := regular.Read(contact, 1<<16)
	switch {
	case err == nil:
		made = contact
		lines := strings.Split(strings.TrimSpace(string(text)), "\n")
		at := s.line
		if at < 0 {
			at = len(lines) - 1
		}
		if at >= len(lines) || strings.TrimSpace(lines[at]) != strconv.Itoa(pid) {
			return false
		}
	case !os.IsNotExist(err):
		return false
	}
	info, err := os.Lstat(made)
	return err == nil && !info.ModTime().Before(began.Add(-clockGrain))
}

func ownFolder(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.IsDir() && ownedBy(info, os.Geteuid())
}

func ownedBy(info fs.FileInfo, uid int) bool {
	s, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(s.Uid) == uid
}
