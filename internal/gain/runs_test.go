package gain

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgmpi/internal/fail"
	"pgmpi/internal/fixture/must"
	"pgmpi/internal/fixture/should"
	"pgmpi/internal/profile"
)

// scripted is a program that is a script, in a folder of its own, which it is started in. What the preloaded library would
// write in its ranks, it writes itself.
func scripted(t *testing.T, script string) *Program {
	t.Helper()
	dir := t.TempDir()
	t.Chdir(dir)
	for name, text := range map[string]string{"rank": "#!/bin/sh\n", "rank-preload.so": "", "app": "#!/bin/sh\n" + script + "\n"} {
		must.Do(t, os.WriteFile(name, []byte(text), 0o777))
	}
	p := must.Get(NewProgram([]string{"./app"}, "./rank", nil, io.Discard))(t)
	p.Stdin = must.Get(os.Open(os.DevNull))(t)
	return p
}

// profileText is what a program's ranks would have written.
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
		"exit 3":                                 "exit status 3\nno rank has called MPI_Init",
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

// The first program waits for the second one's end, and both have the same name for their profile.
func TestTwoProfilesAtOnceAreEachTheirOwnPrograms(t *testing.T) {
	first := scripted(t, `touch begun; while ! test -e second; do sleep .01; done; `+writes("first"))
	must.Do(t, os.WriteFile("app2", []byte("#!/bin/sh\n"+`while ! test -e begun; do sleep .01; done; `+writes("second")+"\n"), 0o777))
	second := must.Get(NewProgram([]string{"./app2"}, "./rank", nil, io.Discard))(t)
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
