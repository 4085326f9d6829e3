package main

import (
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"pgmpi/internal/command"
	"pgmpi/internal/feature"
	"pgmpi/internal/manual"
)

// TestMain turns this program into pgmpi when it is called by that name. It puts that name on the PATH: no test
// needs the command built before.
func TestMain(m *testing.M) {
	programs := map[string]func(){"pgmpi": main, "costs": costs}
	if program := programs[filepath.Base(os.Args[0])]; program != nil {
		program()
		return
	}
	os.Exit(func() int {
		dir, err := os.MkdirTemp("", "pgmpi-test-")
		if err != nil {
			panic(err)
		}
		defer os.RemoveAll(dir)
		self, err := os.Executable()
		for name := range programs {
			if err == nil {
				err = os.Symlink(self, filepath.Join(dir, name))
			}
		}
		if err != nil {
			panic(err)
		}
		os.Setenv("PATH", dir+string(filepath.ListSeparator)+os.Getenv("PATH"))
		return m.Run()
	}())
}

// ofFeature tells whether a command belongs to a tool that may be deleted.
func ofFeature(c *cobra.Command) bool {
	return slices.ContainsFunc(features, func(f *feature.Feature) bool {
		return slices.ContainsFunc(f.Commands, func(x feature.Command) bool {
			return x.Make(command.New(io.Discard, io.Discard)).Name() == c.Name()
		})
	})
}

// has tells whether this tree has what a test needs: a command, or a flag of one ("analyze --from"). Tools may be
// deleted.
func has(words string) bool {
	name, flag, _ := strings.Cut(words, " --")
	for _, c := range manual.Commands(rootCommand(command.New(io.Discard, io.Discard))) {
		if c.Name() == name {
			return flag == "" || c.Flags().Lookup(flag) != nil
		}
	}
	return false
}

// needs skips a test about a tool that this tree lacks.
func needs(t *testing.T, words ...string) {
	t.Helper()
	for _, w := range words {
		if !has(w) {
			t.Skipf("there is no pgmpi %s in this tree", w)
		}
	}
}
