package consumers

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"pgmpi/internal/conf/glfile"
	"pgmpi/testkit/fixture"
	"pgmpi/testkit/mpirun"
	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

// libraries are the MPI libraries of the scripts with mpiruns; see testdata/yield.
var libraries = []string{"openmpi", "mpich"}

// TestScripts plays every script under testdata/script: each is a claim, and needs no MPI.
func TestScripts(t *testing.T) {
	t.Parallel()
	runScripts(t, scripts(t, "testdata/script"), "")
}

// scripts lists the scripts below a folder.
func scripts(t *testing.T, folder string) []string {
	found := must.Get(filepath.Glob(filepath.Join(folder, "*.txt")))(t)
	must.Hold(t, len(found) > 0, "%s has no scripts", folder)
	return found
}

// TestScriptsWithMPI plays every script under testdata/script/mpi with real mpiruns of each library that it names, or
// else of one of the two.
func TestScriptsWithMPI(t *testing.T) {
	if os.Getenv("PGMPI_TEST_BIN") == "" {
		t.Skip("real mpiruns need the folder of the built programs in PGMPI_TEST_BIN: `make test` sets it")
	}
	t.Parallel()
	for _, library := range libraries {
		t.Run(library, func(t *testing.T) {
			t.Parallel() // no script is about times
			runScripts(t, slices.DeleteFunc(scripts(t, "testdata/script/mpi"), func(path string) bool {
				text := string(must.Get(os.ReadFile(path))(t))
				names := strings.Contains(text, "[openmpi]") || strings.Contains(text, "[mpich]")
				return !names && !mpirun.Chosen(filepath.Base(path), slices.Index(libraries, library))
			}), library)
		})
	}
}

// The lists at the end of `make test` have the reason of a script's skip line, and how long tests took.
func TestSkippedScriptSaysWhy(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	gotest, skips, times := filepath.Join(dir, "gotest"), filepath.Join(dir, "skips"), filepath.Join(dir, "times")
	must.Get(inModule("go", "build", "-o", gotest, ".ci/gotest.go"))(t)
	must.Do(t, os.Symlink(must.Get(exec.LookPath("go"))(t), filepath.Join(dir, "go")))
	run := exec.Command(gotest, "-count=1", "-vet=off", "-run", "^TestScripts$/^submit$", ".")
	run.Env = append(os.Environ(), "CGO_ENABLED=0", "PATH="+dir, "GOTEST_SKIPS="+skips, "GOTEST_TIMES="+times)
	out, err := run.CombinedOutput()
	must.Hold(t, err == nil, "%v: %s", err, out)
	want := "no bash on the PATH\tpgmpi/internal/consumers TestScripts/submit\n"
	should.Equal(t, string(must.Get(os.ReadFile(skips))(t)), want)
	took := must.Get(os.ReadFile(times))(t)
	should.Hold(t, regexp.MustCompile(`^\d+\.\d\d\tpgmpi/internal/consumers TestScripts\n$`).Match(took), "%s", took)
}

// script is what our commands need of the script that they are in.
type script struct {
	t    *testing.T
	rank string               // a path of this script only, so that its processes can be told apart
	env  []string             // of its programs
	kept map[string]time.Time // what `keep` has seen
}

// newScript prepares the folder of a script; library: "" needs no MPI.
func newScript(t *testing.T, dir, library string) (*script, error) {
	// The environment of the tests in Go, not testscript's: an MPI library may need
	// variables of the user, and where TMPDIR is new, an mpirun of Open MPI that
	// starts while another ends can fail to make its session directory.
	s := &script{t: t, env: append(os.Environ(), "WORK="+dir)}
	if library == "" {
		return s, nil
	}
	bin, launcher := os.Getenv("PGMPI_TEST_BIN"), "mpirun."+library
	if fedora := "/usr/lib64/" + library + "/bin/mpirun"; exec.Command(launcher, "--version").Run() != nil && exec.Command(fedora, "--version").Run() == nil {
		launcher = fedora
	}
	s.rank = filepath.Join(dir, "pgmpi-rank")
	other := libraries[1-slices.Index(libraries, library)]
	s.env = append(s.env, "BIN="+bin, "RANK="+s.rank, "MPIRUN="+launcher, "LIB="+library, "OTHER="+other)
	s.env = append(s.env, mpirun.NoNetworks...) // not OMPI_MCA_pml: scripts test how Open MPI chooses it
	if os.Geteuid() == 0 {
		s.env = append(s.env, "OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1")
	}
	return s, errors.Join(os.Symlink(filepath.Join(bin, "pgmpi-rank-"+library), s.rank), os.WriteFile(filepath.Join(dir, "quick.toml"), []byte(fixture.Quick), 0o666))
}

// processes are the command lines that name the script's rank program.
func (s *script) processes() (found []string) {
	names, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, name := range names {
		text, _ := os.ReadFile(name)
		if argv := strings.Split(string(text), "\x00"); slices.Contains(argv, s.rank) {
			found = append(found, strings.Join(argv, " "))
		}
	}
	return found
}

type scriptKey struct{}

func runScripts(t *testing.T, files []string, library string) {
	commands := map[string]func(*testscript.TestScript, bool, []string){}
	for name, do := range scriptCommands {
		commands[name] = func(ts *testscript.TestScript, not bool, args []string) {
			if not {
				ts.Fatalf("unsupported: ! %s", name)
			}
			do(ts, ts.Value(scriptKey{}).(*script), args)
		}
	}
	deadline, _ := t.Deadline()
	testscript.RunT(played{t, library == ""}, testscript.Params{
		Files:    files,
		Deadline: deadline,
		Cmds:     commands,
		Condition: func(name string) (bool, error) {
			switch name {
			case "openmpi", "mpich":
				return name == library, nil
			case "root":
				return os.Geteuid() == 0, nil
			}
			return false, errors.New("there are openmpi, mpich and root")
		},
		Setup: func(env *testscript.Env) error {
			s, err := newScript(env.T().(played).T, env.WorkDir, library)
			env.Vars = s.env
			env.Values[scriptKey{}] = s
			return err
		},
	})
}

// played is a script, beside others or in turn with them: mpiruns of two would share cores.
type played struct {
	*testing.T
	beside bool
}

func (t played) Parallel() {
	if t.beside {
		t.T.Parallel()
	}
}

func (played) Verbose() bool { return testing.Verbose() }

// Log keeps quiet after a skip, so that its reason is the last thing that the test says.
func (t played) Log(args ...any) {
	if !t.Skipped() {
		t.T.Log(args...)
	}
}

func (t played) Run(name string, test func(testscript.T)) {
	t.T.Run(name, func(one *testing.T) { test(played{one, t.beside}) })
}

// scriptCommands are those that testscript lacks.
var scriptCommands = map[string]func(ts *testscript.TestScript, s *script, args []string){
	// pgmpi ARGS…: it ends well.
	"pgmpi": func(ts *testscript.TestScript, _ *script, args []string) { ts.Check(ts.Exec("pgmpi", args...)) },
	// exits CODE[,CODE] PROGRAM ARGS…: it ends with one of these.
	"exits": func(ts *testscript.TestScript, _ *script, args []string) {
		code, exit := 0, (*exec.ExitError)(nil)
		if err := ts.Exec(args[1], args[2:]...); errors.As(err, &exit) {
			code = exit.ExitCode()
		} else {
			ts.Check(err)
		}
		if codes := strings.Split(args[0], ","); !slices.Contains(codes, strconv.Itoa(code)) {
			ts.Fatalf("exit status %d, want %s", code, args[0])
		}
	},
	// gone DURATION: no process of this script is left after so long, on a quiet machine.
	"gone": func(ts *testscript.TestScript, s *script, args []string) {
		limit, err := time.ParseDuration(args[0])
		ts.Check(err)
		for end := time.Now().Add(mpirun.Patience * limit); len(s.processes()) > 0; time.Sleep(50 * time.Millisecond) {
			if time.Now().After(end) {
				ts.Fatalf("processes of %s are left after %v: %v", s.rank, limit, s.processes())
			}
		}
	},
	// files N GLOB
	"files": func(ts *testscript.TestScript, _ *script, args []string) {
		if found := glob(ts, args[1]); strconv.Itoa(len(found)) != args[0] {
			ts.Fatalf("%d files %s, want %s: %v", len(found), args[1], args[0], found)
		}
	},
	// keep GLOB remembers files; kept [FILE…] wants all as they were, but these written again.
	"keep": func(ts *testscript.TestScript, s *script, args []string) {
		s.kept = map[string]time.Time{}
		for _, f := range glob(ts, args[0]) {
			s.kept[f] = written(ts, f)
		}
	},
	"kept": func(ts *testscript.TestScript, s *script, args []string) {
		for f, before := range s.kept {
			if again := !written(ts, f).Equal(before); again != slices.Contains(args, filepath.Base(f)) {
				ts.Fatalf("%s was written again: %v", f, again)
			}
		}
	},
	// disk DIR [SIZE] makes a small file system of its own; where it may not, the script is skipped.
	"disk": func(ts *testscript.TestScript, s *script, args []string) {
		mount := ts.MkAbs(args[0])
		ts.Check(os.Mkdir(mount, 0o777))
		if err := syscall.Mount("tmpfs", mount, "tmpfs", 0, "size="+append(args, "1m")[1]); err != nil {
			s.t.Skipf("a full disk needs a tmpfs of its own, and this user may not mount one: %v", err)
		}
		ts.Defer(func() { _ = syscall.Unmount(mount, syscall.MNT_DETACH) })
	},
	// results DIR writes a results folder that violates GL8 at 8 bytes and keeps it at 64.
	"results": func(ts *testscript.TestScript, s *script, args []string) {
		fixture.Folder(s.t, ts.MkAbs(args[0]), glfile.Default())
	},
}

func glob(ts *testscript.TestScript, pattern string) []string {
	found, err := filepath.Glob(ts.MkAbs(pattern))
	ts.Check(err)
	return found
}

func written(ts *testscript.TestScript, path string) time.Time {
	info, err := os.Stat(path)
	ts.Check(err)
	return info.ModTime()
}
