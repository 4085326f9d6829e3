package launch

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"pgmpi/testkit/must"
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

// A preloaded library of another one has other handles: it would count wrongly, or end the program.
func TestAProgramOfAnotherLibraryIsRefusedBeforeItStarts(t *testing.T) {
	gcc, err := exec.LookPath("gcc")
	if err != nil {
		t.Skip("no gcc here")
	}
	dir := t.TempDir()
	build := func(args ...string) {
		t.Helper()
		cmd := exec.Command(gcc, args...)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		must.Hold(t, err == nil, "%v: %s", err, out)
	}
	must.Do(t, os.WriteFile(filepath.Join(dir, "a.c"), []byte("int PMPI_Init(void); int main(void) { return PMPI_Init(); }\n"), 0o666))
	must.Do(t, os.WriteFile(filepath.Join(dir, "mpi.c"), []byte("int PMPI_Init(void) { return 0; }\n"), 0o666))
	for _, file := range []string{"libmpi.so.40", "libmpi_abi.so.1", "libmpi_usempif08.so.40"} {
		build("-shared", "-fPIC", "-Wl,-soname,"+file, "-o", file, "mpi.c")
		build("-o", "of-"+file, "a.c", file)
	}
	build("-o", "static", "a.c", "mpi.c")
	rank := filepath.Join(dir, "pgmpi-rank")
	script(t, rank, "")
	build("-shared", "-o", "pgmpi-rank-preload.so", "-Wl,--no-as-needed", "libmpi.so.40")
	script(t, filepath.Join(dir, "mpirun"), openMPISays)
	t.Setenv("PATH", dir+":/usr/bin:/bin")
	for program, says := range map[string]string{
		"of-libmpi.so.40": "", "of-libmpi_usempif08.so.40": "", "sh": "", "static": "linked in",
		"of-libmpi_abi.so.1": "is linked with libmpi_abi.so.1",
	} {
		_, err := NewCommand([]string{"mpirun", "-np", "2", program}, rank)
		if says == "" {
			must.Do(t, err)
		} else if err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", program, err)
		}
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
		if _, err := Probe(rank, ""); err == nil || !strings.Contains(err.Error(), file+", which comes with") || !strings.Contains(err.Error(), remedy) {
			t.Errorf("%s: %v", file, err)
		}
	}
	if got := Needs("/proc/self/exe"); got != "" {
		t.Errorf("a program without MPI needs %q", got)
	}
}

func TestTheRankProgramOfAnInstalledLibraryAsksForItsName(t *testing.T) {
	gcc, err := exec.LookPath("gcc")
	if err != nil {
		t.Skip("no gcc here")
	}
	prefix, none := t.TempDir(), t.TempDir()
	made := func(name, library string, more ...string) string {
		dir := filepath.Join(prefix, "lib")
		must.Do(t, os.MkdirAll(dir, 0o777))
		args := [][]string{{"-shared", "-Wl,-soname," + library, "-o", filepath.Join(dir, library), "-x", "c", "/dev/null"},
			append([]string{"-shared", "-Wl,--no-as-needed", "-o", filepath.Join(prefix, name), filepath.Join(dir, library)}, more...)}
		for _, a := range args {
			if out, err := exec.Command(gcc, a...).CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
		}
		return filepath.Join(prefix, name)
	}
	fits, fixed, other := made("fits", "libmpi.so.40"), made("fixed", "libmpi.so.40", "-Wl,--disable-new-dtags,-rpath,/opt/other"), made("other", "libmpi.so.12")
	must.Do(t, os.Remove(filepath.Join(prefix, "lib", "libmpi.so.12")))
	t.Setenv("PGMPI_RANK", "")
	for _, c := range []struct {
		prefix, configured, want string
		more                     []string
	}{
		{prefix, "", fits, []string{fixed, other, fits}},
		{prefix, fits, fits, nil},
		{prefix, other, "error: it asks for libmpi.so.12, and there is libmpi.so.40", []string{fits}},
		{prefix, "", "error: `make install MPICC=" + prefix + "/bin/mpicc", []string{fixed, other}},
		{none, fits, "error: has no MPI library", nil},
	} {
		got, err := FindRankFor(c.prefix, c.configured, c.more...)
		if words, fails := strings.CutPrefix(c.want, "error: "); fails && (err == nil || !strings.Contains(err.Error(), words)) || !fails && (err != nil || got != c.want) {
			t.Errorf("%+v: %q, %v", c, got, err)
		}
	}
	env := LibraryEnv(prefix, "/opt/x")
	if env[LibraryPath] != prefix+"/lib:/opt/x" || LibraryEnv(prefix, env[LibraryPath])[LibraryPath] != env[LibraryPath] {
		t.Errorf("environment %q", env)
	}
}
