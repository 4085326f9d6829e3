package app

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"pgmpi/internal/fail"
	"pgmpi/internal/feature/app/profile"
	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

// scripted makes a program from a script, and changes to a folder of its own. The script itself writes what the
// preloaded library would write in its ranks.
func scripted(t *testing.T, script string) *Program {
	t.Helper()
	dir := t.TempDir()
	t.Chdir(dir)
	for name, text := range map[string]string{"rank": "#!/bin/sh\n", "rank-preload.so": "", "app": "#!/bin/sh\n" + script + "\n"} {
		must.Do(t, os.WriteFile(name, []byte(text), 0o777))
	}
	p := must.Get(newProgram([]string{"./app"}, "./rank", nil, io.Discard))(t)
	p.Profiled = &profile.Profile{Program: "app", Processes: 2, Ranks: 2, Finished: true, WallNS: 1, Calls: []profile.Call{{Calls: 100}}}
	p.Stdin = must.Get(os.Open(os.DevNull))(t)
	return p
}

const calling = `echo "2 100 app" >>"$PGMPI_CALLED"; `

func (p *Program) compared() error {
	_, err := p.AB(context.Background(), LeastPairs, Setting{}, func(string) {})
	return err
}

func TestEveryRunGetsTheSameStandardInput(t *testing.T) {
	for _, from := range []string{"file", "pipe", "middle of a file"} {
		p := scripted(t, calling+"cat >>seen")
		r, w := must.Two(os.Pipe())(t)
		if from == "pipe" {
			go func() { _, _ = w.WriteString("input\n"); w.Close() }()
		} else {
			r = must.Get(os.OpenFile("in", os.O_CREATE|os.O_RDWR, 0o666))(t)
			must.Get(r.WriteString(strings.Repeat("x", 7) + "input\n"))(t)
			must.Get(r.Seek(7, io.SeekStart))(t)
		}
		p.Stdin = r
		must.Do(t, p.compared())
		should.Equal(t, string(must.Get(os.ReadFile("seen"))(t)), strings.Repeat("input\n", 2*(LeastPairs+1)), from)
	}
}

func TestATerminalIsAnEmptyInput(t *testing.T) {
	terminal, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Skip("no terminal can be made: ", err)
	}
	defer terminal.Close()
	p := scripted(t, `cat >>seen || exit 1; if test "$PGMPI_PROFILE"; then `+writes("app")+"else "+calling+"fi")
	var said strings.Builder
	p.Stdin, p.Stderr = terminal, &said
	must.Do(t, p.compared())
	must.Get(p.profiles("app.prof"))(t)
	should.Equal(t, string(must.Get(os.ReadFile("seen"))(t)), "")
	should.Equal(t, strings.Count(said.String(), "as it is a terminal here; < FILE"), 2, said.String())
}

func TestAnInputThatCannotBeGivenAgainIsRefusedBeforeAnythingRuns(t *testing.T) {
	for _, path := range []string{"/dev/zero", "."} {
		p := scripted(t, calling+"touch ran")
		p.Stdin = must.Get(os.Open(path))(t)
		err := p.compared()
		should.Fail(t, err, "< FILE gives them one")
		_, ran := os.Stat("ran")
		should.Hold(t, ran != nil && fail.Is[*fail.Setup](err), "%s: it ran, or %T", path, err)
	}
}

// Each script counts its runs in the file "n".
func TestARunThatDoesSomethingElseIsNoMeasurement(t *testing.T) {
	const third = `n=$(wc -l <n 2>/dev/null || echo 0); echo >>n; test $n -lt 2 || `
	for script, want := range map[string]string{
		third + "exit 255; " + calling:                                      "run 3 of 14: ./app: exit status 255, and run 1 ended with 0",
		third + "exit 0; " + calling:                                        "run 3 of 14: the program did not come to MPI_Finalize",
		third + `exec sh -c 'echo "2 0 app" >"$PGMPI_CALLED"'; ` + calling:  "run 3 of 14: its ranks called 0 collectives, and 100 in the profile",
		third + `exec sh -c 'echo "2 201 app" >"$PGMPI_CALLED"';` + calling: "called 201 collectives",
		third + `exec sh -c 'echo "1 100 app" >"$PGMPI_CALLED"';` + calling: `ran "app" on 1 processes, and the profile is of "app" on 2`,
	} {
		err := scripted(t, script).compared()
		should.Fail(t, err, want)
		should.Hold(t, fail.Is[*fail.Failed](err), "%T: %v", err, err)
	}
}

func TestAProgramThatWasNotProfiledIsRefusedAtItsFirstRun(t *testing.T) {
	for script, want := range map[string]string{
		`echo "2 100 other" >"$PGMPI_CALLED"`:        `ran "other" on 2 processes, and the profile is of "app" on 2`,
		`echo "4 100 app" >"$PGMPI_CALLED"`:          `ran "app" on 4 processes`,
		`echo "2 5 app" >"$PGMPI_CALLED"`:            "called 5 collectives, and 100 in the profile",
		`true`:                                       "did not come to MPI_Finalize",
		`echo "a line" >"$PGMPI_CALLED"`:             "called.1",
		`head -c 2000000 /dev/zero >"$PGMPI_CALLED"`: "has more than",
	} {
		err := scripted(t, "echo >>n; "+script).compared()
		should.Fail(t, err, want)
		should.Hold(t, fail.Is[*fail.Setup](err), "%T: %v", err, err)
		should.Equal(t, string(must.Get(os.ReadFile("n"))(t)), "\n", "runs")
	}
}

func TestAJobAmongOthersOfOneCommandIsFound(t *testing.T) {
	p := scripted(t, `echo "1 3 prepare" >>"$PGMPI_CALLED"; `+calling)
	must.Do(t, p.compared())
	p = scripted(t, "true")
	p.Profiled.Finished = false // it did not come to MPI_Finalize there either
	must.Do(t, p.compared())
}

func TestFilesThatAreSaidToBeTheSameAreCompared(t *testing.T) {
	p := scripted(t, calling+"echo result >out.txt")
	p.Same = []string{"out.txt"}
	must.Do(t, p.compared())

	for script, want := range map[string]string{
		`n=$(wc -l <n 2>/dev/null || echo 0); echo >>n; echo $((n / 3)) >out.txt`: "run 4 of 14: --same: out.txt has another text than after the first run",
		`test -e out.txt || echo >out.txt`:                                        "run 2 of 14: --same: it has not written out.txt",
		`true`:                                                                    "out.txt: no such file",
	} {
		p := scripted(t, calling+script)
		p.Same = []string{"out.txt"}
		should.Fail(t, p.compared(), want)
	}
	p = scripted(t, calling)
	p.Same = []string{"no/such/folder"}
	should.Fail(t, p.compared(), "--same no/such/folder")
}

// profileText imitates what a program's ranks would have written.
const profileText = `{"schema":"pgmpi-profile/1","program":"%s","library":"L","processes":2,"ranks":2,"finished":true,"wall_ns":1000,"calls":[]}`

func writes(program string) string {
	return `printf '` + strings.Replace(profileText, "%s", program, 1) + `' >"$PGMPI_PROFILE"; `
}

func (p *Program) profiles(out string) (*profile.Profile, error) {
	out, _ = filepath.Abs(out)
	return p.Profile(context.Background(), out)
}

func TestOnlyAProfileIsReplacedByAProfile(t *testing.T) {
	p := scripted(t, "touch ran; "+writes("new"))
	must.Do(t, errors.Join(os.WriteFile("keep.c", []byte("int main() {}\n"), 0o666), os.Mkdir("folder", 0o777), os.WriteFile("other.json", []byte(`{"schema":"pgmpi-check/1"}`), 0o666)))
	for _, out := range []string{"keep.c", "folder", "other.json", "no/folder/app.prof", "/dev/null"} {
		before, _ := os.ReadFile(out)
		_, err := p.profiles(out)
		should.Fail(t, err, out)
		_, ran := os.Stat("ran")
		should.Hold(t, ran != nil && fail.Is[*fail.Setup](err), "%s: it ran, or %T", out, err)
		after, _ := os.ReadFile(out)
		should.Equal(t, string(after), string(before))
	}
	must.Do(t, os.WriteFile("empty", nil, 0o666))
	must.Do(t, os.WriteFile("old.prof", []byte(strings.Replace(profileText, "%s", "old", 1)), 0o666))
	for _, out := range []string{"empty", "old.prof", "new.prof"} {
		must.Get(p.profiles(out))(t)
		should.Equal(t, must.Get(profile.Read(out))(t).Program, "new", out)
	}
}

func TestAProgramThatLeavesNoProfileLeavesTheOldOne(t *testing.T) {
	old := strings.Replace(profileText, "%s", "old", 1)
	for script, want := range map[string]string{
		"exit 3":                                 "exit status 3\nno rank came through MPI_Init",
		"true":                                   "no rank of it called MPI_Init of the library",
		`touch "$PGMPI_PROFILE.begun2"`:          "called MPI_Init, but no rank has left",
		`echo '{"schema":"pg' >"$PGMPI_PROFILE"`: "is no profile",
	} {
		p := scripted(t, script)
		must.Do(t, os.WriteFile("app.prof", []byte(old), 0o666))
		_, err := p.profiles("app.prof")
		should.Fail(t, err, want)
		should.Equal(t, string(must.Get(os.ReadFile("app.prof"))(t)), old)
		should.Equal(t, must.Get(filepath.Glob(".tmp-*"))(t), nil, "left")
	}
}

// The first program waits for the second one's end. Both have the same name for their profile.
func TestTwoProfilesAtOnceAreEachTheirOwnPrograms(t *testing.T) {
	first := scripted(t, `touch begun; while ! test -e second; do sleep .01; done; `+writes("first"))
	must.Do(t, os.WriteFile("app2", []byte("#!/bin/sh\n"+`while ! test -e begun; do sleep .01; done; `+writes("second")+"\n"), 0o777))
	second := must.Get(newProgram([]string{"./app2"}, "./rank", nil, io.Discard))(t)
	second.Stdin = first.Stdin
	got := make(chan *profile.Profile)
	go func() {
		p, _ := first.profiles("app.prof")
		got <- p
	}()
	should.Equal(t, must.Get(second.profiles("app.prof"))(t).Program, "second")
	must.Do(t, os.WriteFile("second", nil, 0o666))
	p := <-got
	must.Hold(t, p != nil, "no profile")
	should.Equal(t, p.Program, "first")
}

func TestFurtherJobsOfACommandHaveProfilesBesideItsFirst(t *testing.T) {
	p := scripted(t, writes("first")+strings.ReplaceAll(writes("second"), `PROFILE"`, `PROFILE.2"`))
	var said strings.Builder
	p.Stderr = &said
	should.Equal(t, must.Get(p.profiles("app.prof"))(t).Program, "first")
	should.Equal(t, must.Get(profile.Read("app.prof.2"))(t).Program, "second")
	should.Contain(t, said.String(), "app.prof.2")
}

// A child ends before the parent that has spawned it.
func TestTheProfileOfAParentComesBeforeItsChildrens(t *testing.T) {
	child := strings.ReplaceAll(writes("child"), `"program"`, `"spawned":true,"program"`)
	p := scripted(t, child+strings.ReplaceAll(child, `PROFILE"`, `PROFILE.2"`)+strings.ReplaceAll(writes("parent"), `PROFILE"`, `PROFILE.3"`))
	should.Equal(t, must.Get(p.profiles("app.prof"))(t).Program, "parent")
	for _, more := range []string{".2", ".3"} {
		should.Equal(t, must.Get(profile.Read("app.prof"+more))(t).Program, "child")
	}
	should.Equal(t, must.Get(filepath.Glob("app.prof*"))(t), []string{"app.prof", "app.prof.2", "app.prof.3"})
}
