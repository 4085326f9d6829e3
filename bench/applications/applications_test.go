package applications

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

func TestAProgramIsFoundBelowTheFolderWithTheLibraryOfTheBench(t *testing.T) {
	below := filepath.Join(t.TempDir(), "built", "bin")
	must.Do(t, os.MkdirAll(below, 0o777))
	must.Do(t, os.WriteFile(filepath.Join(below, "no-such-program"), []byte("#!/bin/sh\n"), 0o777))
	for library, left := range map[string]string{ofDebian: "", "mpich": "it has another library"} {
		command := func(ctx context.Context, argv ...string) *exec.Cmd {
			return exec.CommandContext(ctx, argv[0], argv[1:]...)
		}
		b := &Bench{Library: library, Folder: filepath.Dir(below), Command: command}
		a := &applied{Bench: b, application: &application{at: "no-such-program", get: "build it"}}
		should.Equal(t, a.found(context.Background()), left, library)
	}
	a := &applied{Bench: &Bench{}, application: &application{at: "no-such-program", get: "build it"}}
	should.Equal(t, a.found(context.Background()), "build it")
}

func TestWhatIsSeenIsReadFromBothSentences(t *testing.T) {
	for _, text := range []string{"Seen: 0.5 % [-1.2, 3.4] more run-time",
		"With c/remedy/trade-1: seen:\n  0.5 %\n  [-1.2, 3.4]\n  more run"} {
		should.Equal(t, saidSeen.FindStringSubmatch(text)[1:], []string{"0.5", "-1.2", "3.4", "more"})
	}
}
