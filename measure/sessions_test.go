package measure

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

// sessionOf makes the folder that the mpirun of a host and a number has there; contact is the number in its
// contact.txt, 0 for none yet.
func sessionOf(t *testing.T, tmp, host string, pid, contact int) string {
	t.Helper()
	path := filepath.Join(tmp, fmt.Sprintf("ompi.%s.%d", host, os.Geteuid()), fmt.Sprintf("pid.%d", pid))
	must.Do(t, os.MkdirAll(filepath.Join(path, "0"), 0o777))
	if contact != 0 {
		must.Do(t, os.WriteFile(filepath.Join(path, "contact.txt"), fmt.Appendf(nil, "676003840.0;tcp://192.0.2.2:40225\n%d\n", contact), 0o666))
	}
	return path
}

// prteOf makes the folder of PRRTE's mpirun, with its number on the third line of its file.
func prteOf(t *testing.T, tmp, host string, pid, contact int) string {
	t.Helper()
	path := filepath.Join(tmp, fmt.Sprintf("prterun.%s.%d.%d", host, pid, os.Geteuid()))
	must.Do(t, os.MkdirAll(filepath.Join(path, "0"), 0o777))
	text := fmt.Appendf(nil, "prterun-%s-%d@0.0;tcp4://192.0.2.2:34895\n5.0.7a1\n%d\n0:0\nSat Nov %d 21:29:54 2026\n", host, pid, contact, pid)
	must.Do(t, os.WriteFile(filepath.Join(path, fmt.Sprintf("pmix.%s.tool.%d", host, pid)), text, 0o666))
	return path
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

func TestSessionOfAKilledMpirunIsRemoved(t *testing.T) {
	host, _ := os.Hostname()
	for _, contact := range []bool{false, true} {
		tmp := t.TempDir()
		x := launched(t, tmp, "sleep", "300")
		number := 0
		if contact {
			number = x.PID
		}
		own, prte := sessionOf(t, tmp, host, x.PID, number), prteOf(t, tmp, host, x.PID, x.PID)
		x.Kill()
		should.Hold(t, !exists(prte) && exists(tmp), "%s is left", prte)
		should.Hold(t, !exists(filepath.Dir(own)), "%s is left; contact.txt: %t", own, contact)
	}
}

// TMPDIR may be shared by hosts, and by containers, whose numbers are the same ones.
func TestSessionsOfOthersAreLeft(t *testing.T) {
	tmp, temp := t.TempDir(), t.TempDir()
	host, _ := os.Hostname()
	x := launched(t, tmp, "sh", "-c", "sleep 300 & wait")
	for len(descendants(x.PID)) == 0 && t.Context().Err() == nil {
		time.Sleep(time.Millisecond)
	}
	x.Greeted(nil)
	var others []string
	for pid := x.PID - 150; pid < x.PID+150; pid++ {
		others = append(others, sessionOf(t, tmp, "othernode", pid, pid))
	}
	others = append(others,
		sessionOf(t, temp, host, x.PID, x.PID),
		sessionOf(t, tmp, host, x.PID-1, x.PID),
		sessionOf(t, tmp, host, x.PID, x.PID-1),
		sessionOf(t, tmp, host+"x", x.PID, x.PID),
		prteOf(t, temp, host, x.PID, x.PID), prteOf(t, tmp, host, x.PID, x.PID-1), prteOf(t, tmp, host+"x", x.PID, x.PID),
		prteOf(t, tmp, host, x.PID-1, x.PID-1),
		filepath.Join(tmp, fmt.Sprintf("ompi.%s.%d", host, os.Geteuid()+1), fmt.Sprintf("pid.%d", x.PID)),
		filepath.Join(tmp, "mine", fmt.Sprintf("pid.%d", x.PID)))
	for _, path := range others[len(others)-2:] {
		must.Do(t, os.MkdirAll(path, 0o777))
	}
	for _, p := range descendants(x.PID) { // one that began earlier, in a container of this name
		earlier := sessionOf(t, tmp, host, p.pid, p.pid)
		must.Do(t, os.Chtimes(filepath.Join(earlier, "contact.txt"), time.Time{}, time.Now().Add(-time.Hour)))
		others = append(others, earlier)
	}
	must.Hold(t, len(others) == 311, "%d folders: no process is below the launcher", len(others))
	x.Kill()
	touched := 0
	for _, path := range others {
		if !exists(path) {
			touched++
			t.Errorf("%s is gone", path)
		}
	}
	should.Equal(t, touched, 0, "folders of others that are gone")
}
