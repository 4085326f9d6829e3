package untimed

import (
	"os"
	"path/filepath"
	"testing"

	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

// A library of tomorrow may have its tree in another form: remedy goes on without it, and which says that it knows none.
func TestALibraryWithoutAKnownTreeHasNone(t *testing.T) {
	path := filepath.Join(t.TempDir(), "libmpich.so")
	must.Do(t, os.WriteFile(path, []byte("\x7fELF\x00{\"tree\":[{\"collective\":\"bcast\"}]}\x00"), 0o666))
	for _, library := range []string{"", path} {
		should.Hold(t, treeIn(library) == nil, "%q has a tree", library)
	}
}
