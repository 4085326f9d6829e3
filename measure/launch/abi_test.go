package launch

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
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
		if _, err := Probe(rank, nil); err == nil || !strings.Contains(err.Error(), file+", which comes with") || !strings.Contains(err.Error(), remedy) {
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

// abiWorld makes rank programs for the standard ABI and for Open MPI's own, and libraries of the standard's that say
// which family they are of.
func abiWorld(t *testing.T) (dir string, library func(path, family string)) {
	t.Helper()
	gcc, err := exec.LookPath("gcc")
	if err != nil {
		t.Skip("no gcc here")
	}
	dir = t.TempDir()
	build := func(output, text string, args ...string) {
		t.Helper()
		must.Do(t, os.MkdirAll(filepath.Dir(output), 0o777))
		source := filepath.Join(dir, "a.c")
		must.Do(t, os.WriteFile(source, []byte(text), 0o666))
		out, err := exec.Command(gcc, append([]string{"-o", output, source}, args...)...).CombinedOutput()
		must.Hold(t, err == nil, "%s: %v: %s", output, err, out)
	}
	library = func(path, family string) {
		text := fmt.Sprintf("const char *family(void) { return %q; }\n", family)
		build(path, text, "-shared", "-fPIC", "-Wl,-soname,"+abiFile)
	}
	stub := filepath.Join(dir, "stub", abiFile)
	library(stub, "")
	says := `#include <stdio.h>
const char *family(void);
int main(void)
{
	printf("{\"program\": \"pgmpi-rank\", \"library\": \"%s\", \"built_for\": \"` + abiHeaders + ` 1.0\"}", family());
}
`
	build(filepath.Join(dir, "libexec/pgmpi/rank-abi"), says, stub)
	own := filepath.Join(dir, "stub/libmpi.so.40")
	build(own, "const char *family(void) { return \"openmpi\"; }\n", "-shared", "-fPIC", "-Wl,-soname,libmpi.so.40")
	build(filepath.Join(dir, "libexec/pgmpi/rank-openmpi"), says, own)
	return dir, library
}

// In Debian both libraries are in one folder, and one of them has the name that programs ask for.
func TestAProgramForTheStandardABIGetsTheLibraryOfItsLauncher(t *testing.T) {
	dir, library := abiWorld(t)
	rank := filepath.Join(dir, "libexec/pgmpi/rank-abi")
	module, debian, old := filepath.Join(dir, "mpich-5"), filepath.Join(dir, "usr"), filepath.Join(dir, "mpich-4")
	library(filepath.Join(module, "lib", abiFile), "mpich")
	both := filepath.Join(debian, "lib/x86_64-linux-gnu")
	library(filepath.Join(both, "libmpi_abi_mpich.so.1.0.0"), "mpich")
	library(filepath.Join(both, "libmpi_abi_openmpi.so.1.0.0"), "openmpi")
	must.Do(t, os.Symlink("libmpi_abi_openmpi.so.1.0.0", filepath.Join(both, abiFile)))
	for _, prefix := range []string{module, debian, old} {
		must.Do(t, os.MkdirAll(filepath.Join(prefix, "bin"), 0o777))
		must.Do(t, os.MkdirAll(filepath.Join(prefix, "lib"), 0o777))
		script(t, filepath.Join(prefix, "bin/mpirun"), mpichSays)
		script(t, filepath.Join(prefix, "bin/mpirun.openmpi"), openMPISays)
	}
	chosen := map[string]string{LibraryPath: filepath.Join(module, "lib")}
	t.Setenv(LibraryPath, both)
	for _, c := range []struct {
		name, launcher string
		env, want      map[string]string
		fails          string
	}{
		{"a module's", module + "/bin/mpirun", nil, map[string]string{LibraryPath: module + "/lib:" + both}, ""},
		{"Debian's second", debian + "/bin/mpirun", nil,
			map[string]string{"LD_PRELOAD": both + "/libmpi_abi_mpich.so.1.0.0"}, ""},
		{"before what is preloaded", debian + "/bin/mpirun", map[string]string{"LD_PRELOAD": "/x/delay.so"},
			map[string]string{"LD_PRELOAD": both + "/libmpi_abi_mpich.so.1.0.0:/x/delay.so"}, ""},
		{"Debian's first", debian + "/bin/mpirun.openmpi", nil, map[string]string{LibraryPath: both}, ""},
		{"one that mpi.env names", old + "/bin/mpirun", chosen, nil, ""},
		{"a library without it", old + "/bin/mpirun", nil, nil, "has no " + abiFile + " in " + old + "/lib"},
		{"of nobody knows whom", "/bin/true", nil, nil, ""},
	} {
		got, err := Config{Words: []string{c.launcher, "-np", "{np}"}}.ABIEnv(rank, c.env)
		if c.fails != "" {
			should.Hold(t, err != nil && strings.Contains(err.Error(), c.fails), "%s: %v", c.name, err)
			continue
		}
		must.Do(t, err)
		should.Hold(t, maps.Equal(got, c.want), "%s: %v", c.name, got)
		if len(got) > 0 {
			info, err := Probe(rank, got)
			must.Do(t, err)
			should.Equal(t, info.Library, (Config{Words: []string{c.launcher}}).Family(), "%s", c.name)
		}
	}
	got, err := Config{Words: []string{old + "/bin/mpirun"}}.ABIEnv(filepath.Join(dir, "libexec/pgmpi/rank-openmpi"), nil)
	should.Hold(t, err == nil && got == nil, "a program of another ABI: %v, %v", got, err)
}

func TestTheProgramForAnyLibraryIsTakenWhereNoOwnOneFits(t *testing.T) {
	dir, library := abiWorld(t)
	path := t.TempDir()
	t.Setenv("PATH", path+":/usr/bin:/bin")
	for _, c := range []struct{ mpirun, libraries, want string }{
		{openMPISays, filepath.Join(dir, "stub"), "rank-openmpi"},
		{openMPISays, t.TempDir(), "rank-abi"}, // an Open MPI without libmpi.so.40
		{mpichSays, filepath.Join(dir, "stub"), "rank-abi"},
	} {
		script(t, filepath.Join(path, "mpirun"), c.mpirun)
		t.Setenv(LibraryPath, c.libraries)
		got, err := findFrom(filepath.Join(dir, "bin"))
		should.Hold(t, err == nil && filepath.Base(got) == c.want, "%q, %v, not %s", got, err, c.want)
	}
	prefix := filepath.Join(dir, "mpi")
	library(filepath.Join(prefix, "lib", abiFile), "mpich")
	rank := filepath.Join(dir, "libexec/pgmpi/rank-abi")
	t.Setenv("PGMPI_RANK", "")
	got, err := FindRankFor(prefix, "", filepath.Join(dir, "libexec/pgmpi/rank-openmpi"), rank)
	should.Hold(t, err == nil && got == rank, "%q, %v", got, err)
}

// A profile's library has the handles of the program's ABI; the standard's are the same in all families.
func TestAProgramOfTheStandardABIGetsItsLibraryToPreload(t *testing.T) {
	dir, _ := abiWorld(t)
	stub := filepath.Join(dir, "stub", abiFile)
	rank := filepath.Join(dir, "libexec/pgmpi/rank-abi")
	app := filepath.Join(dir, "app")
	text, err := os.ReadFile(rank)
	must.Do(t, err)
	must.Do(t, os.WriteFile(app, text, 0o777))
	out, err := exec.Command("gcc", "-shared", "-o", rank+PreloadEnding, "-Wl,--no-as-needed", stub).CombinedOutput()
	must.Hold(t, err == nil, "%s", out)
	script(t, filepath.Join(dir, "mpirun"), mpichSays)
	t.Setenv("PATH", dir+":/usr/bin:/bin")
	c, err := NewCommand([]string{"mpirun", "-np", "2", app}, rank)
	must.Do(t, err)
	should.Equal(t, c.Preload, rank+PreloadEnding)
}
