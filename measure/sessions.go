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

// removeSessions deletes the folders that Open MPI's mpirun leaves in TMPDIR when it is killed:
// ompi.HOST.UID/pid.PID. Hosts and containers may share TMPDIR, and there a PID is another process: a session goes only
// if it has the launcher's host, began no earlier, and names the launcher or one of the pids, which were below it.
func removeSessions(l results.Launcher, pids ...int) {
	short, _, _ := strings.Cut(l.Host, ".") // unless orte_keep_fqdn_hostnames is set
	for _, name := range slices.Compact([]string{l.Host, short}) {
		of := filepath.Join(l.Temp, fmt.Sprintf("ompi.%s.%d", name, os.Geteuid()))
		if name == "" || !ownFolder(of) {
			continue
		}
		for _, pid := range append(pids, l.PID) {
			session := filepath.Join(of, fmt.Sprintf("pid.%d", pid))
			if madeBy(session, pid, l.Began) && os.RemoveAll(session) == nil {
				_ = os.Remove(of) // unless others have one
			}
		}
	}
}

// madeBy tells whether a session is of an mpirun with this number that began then or later. Its
// contact.txt, which it writes once it can be reached, ends with its number.
func madeBy(session string, pid int, began time.Time) bool {
	if !ownFolder(session) {
		return false
	}
	made := session
	contact := filepath.Join(session, "contact.txt")
	text, err := regular.Read(contact, 1<<16)
	switch {
	case err == nil:
		made = contact
		words := strings.Fields(string(text))
		if len(words) == 0 || words[len(words)-1] != strconv.Itoa(pid) {
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
