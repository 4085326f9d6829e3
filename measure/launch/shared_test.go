package launch

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

func TestOnlyFilesOfTheJobAreRemoved(t *testing.T) {
	name := func(pattern string) string {
		path := fmt.Sprintf(shm+pattern, os.Getpid())
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Skip(err)
		}
		t.Cleanup(func() { os.Remove(path) })
		return path
	}
	uid := fmt.Sprintf("vader_segment.pgmpi-test.%d.", os.Geteuid())
	own, brother := name(uid+"a%d.0"), name(uid+"a%d.1")
	mpich := name("mpich_shar_tmppgmpi%d")
	others := []string{name(uid + "b%d.0"), name("mpich_shar_tmpother%d"), name("pgmpi-test-of-somebody%d")}
	outside := filepath.Join(t.TempDir(), "mpich_shar_tmp")
	must.Do(t, os.WriteFile(outside, nil, 0o600))
	// A rank that wants more to be removed.
	RemoveShared([]string{shm + "vader_segment.*", shm + "vader_segment.pgmpi-test.0.*", shm + "vader_segment.", shm + "vader_segment.pgmpi-test.[0].a.0", shm + "vader_segment.pgmpi-test.0.b*.0",
		shm + "vader_segment.pgmpi-test.1.b.0", shm + "vader_segment.pgmpi-test.0..0"})
	for _, path := range append(slices.Clone(others), own, brother) {
		_, err := os.Stat(path)
		should.Do(t, err)
	}
	RemoveShared([]string{own, mpich, others[2], outside})
	for _, path := range []string{own, brother, mpich} {
		_, err := os.Stat(path)
		should.Hold(t, err != nil, "%s is left", path)
	}
	for _, path := range append(others, outside) {
		_, err := os.Stat(path)
		should.Do(t, err)
	}
}

func TestFileThatIsOpenIsSharedAndOneWithoutANameIsNot(t *testing.T) {
	f, err := os.CreateTemp(shm, "pgmpi-test-")
	if err != nil {
		t.Skip(err)
	}
	defer f.Close()
	defer os.Remove(f.Name())
	for _, pid := range []int{0, os.Getpid()} {
		got := Shared(pid)
		should.Hold(t, slices.Contains(got, f.Name()), "of process %d: %v", pid, got)
	}
	os.Remove(f.Name())
	got := Shared(0)
	should.Hold(t, !slices.ContainsFunc(got, func(name string) bool { return strings.HasPrefix(name, f.Name()) }), "got %v", got)
}
