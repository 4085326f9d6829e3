package launch

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"pgmpi/internal/fixture/must"
)

// answers is a rank program of `make dist` whose library is found, or is not.
func answers(t *testing.T, path, family string) {
	t.Helper()
	text := fmt.Sprintf("#!/bin/sh\necho '{\"program\": \"pgmpi-rank\", \"library\": %q}'\n", family)
	if family == "" {
		text = "#!/bin/sh\necho no library >&2\nexit 127\n"
	}
	must.Do(t, os.MkdirAll(filepath.Dir(path), 0o777))
	must.Do(t, os.WriteFile(path, []byte(text), 0o777))
}

func TestTheInstalledRankProgramIsTheOneWhoseLibraryIsFound(t *testing.T) {
	for name, c := range map[string]struct {
		says   string
		loaded map[string]string // rank program: the family that it loads; "": its library is not found
		want   string            // the program, or "error: " and words of it
	}{
		"Debian's MPICH":         {mpichSays, map[string]string{"rank-mpich": "mpich", "rank-mpich-abi": "", "rank-openmpi": "openmpi"}, "rank-mpich"},
		"MPICH of a module":      {mpichSays, map[string]string{"rank-mpich": "", "rank-mpich-abi": "mpich", "rank-openmpi": ""}, "rank-mpich-abi"},
		"no library is found":    {mpichSays, map[string]string{"rank-mpich": "", "rank-mpich-abi": ""}, "error: no library"},
		"two of them load MPICH": {mpichSays, map[string]string{"rank-mpich": "mpich", "rank-mpich-abi": "mpich"}, "error: several rank programs fit"},
	} {
		t.Run(name, func(t *testing.T) {
			prefix, path := t.TempDir(), t.TempDir()
			script(t, filepath.Join(path, "mpirun"), c.says)
			for rank, family := range c.loaded {
				answers(t, filepath.Join(prefix, "libexec/pgmpi", rank), family)
			}
			t.Setenv("PATH", path+":/usr/bin:/bin")
			got, err := findFrom(filepath.Join(prefix, "bin"))
			if words, fails := strings.CutPrefix(c.want, "error: "); fails {
				if err == nil || !strings.Contains(err.Error(), words) {
					t.Errorf("%q, %v", got, err)
				}
			} else if err != nil || filepath.Base(got) != c.want {
				t.Errorf("%q, %v", got, err)
			}
		})
	}
}

func TestAMissingLibraryIsNamedWithWhatProvidesIt(t *testing.T) {
	gcc, err := exec.LookPath("gcc")
	if err != nil {
		t.Skip("no gcc here")
	}
	for file, remedy := range map[string]string{"libmpi.so.40": "apt-get install openmpi-bin", "libmpich.so.12": "apt-get install mpich", "libmpi.so.12": "libraries of its ABI"} {
		dir := t.TempDir()
		c, library, rank := filepath.Join(dir, "main.c"), filepath.Join(dir, "libmpi.so"), filepath.Join(dir, "rank")
		must.Do(t, os.WriteFile(c, []byte("int main(void) { return 0; }\n"), 0o666))
		for _, args := range [][]string{{"-shared", "-Wl,-soname," + file, "-o", library, "-x", "c", "/dev/null"}, {"-Wl,--no-as-needed,-z,nodefaultlib", "-o", rank, c, library}} {
			if out, err := exec.Command(gcc, args...).CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
		}
		if got := Needs(rank); got != file {
			t.Errorf("%s: Needs is %q", file, got)
		}
		if _, err := Probe(rank); err == nil || !strings.Contains(err.Error(), file+", which comes with") || !strings.Contains(err.Error(), remedy) {
			t.Errorf("%s: %v", file, err)
		}
	}
	if got := Needs("/proc/self/exe"); got != "" {
		t.Errorf("a program without MPI needs %q", got)
	}
}
