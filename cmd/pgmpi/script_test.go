package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestMain makes this program pgmpi itself when it is called by that name, and
// puts that name on the PATH: no test needs the command built before.
func TestMain(m *testing.M) {
	if filepath.Base(os.Args[0]) == "pgmpi" {
		main()
	}
	os.Exit(withPgmpi(m))
}

func withPgmpi(m *testing.M) int {
	self, err := os.Executable()
	if err != nil {
		panic(err)
	}
	dir, err := os.MkdirTemp("", "pgmpi-test-")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	if err := errors.Join(os.Symlink(self, filepath.Join(dir, "pgmpi")), os.Setenv("PATH", dir+":"+os.Getenv("PATH"))); err != nil {
		panic(err)
	}
	return m.Run()
}

// Every script under testdata/script is a claim, and needs no MPI.
func TestScripts(t *testing.T) {
	eachScript(t, "testdata/script/*.txt", func(t *testing.T) *fixture { return emptyFixture(t) })
}

// Every script under testdata/script/mpi is run with real mpiruns of each library.
func TestScriptsWithMPI(t *testing.T) {
	for _, l := range libraries {
		t.Run(l.name, func(t *testing.T) {
			t.Parallel() // no script is about times
			eachScript(t, "testdata/script/mpi/*.txt", func(t *testing.T) *fixture { return newFixture(t, l) })
		})
	}
}

func eachScript(t *testing.T, glob string, in func(*testing.T) *fixture) {
	files, err := filepath.Glob(glob)
	if err != nil || len(files) == 0 {
		t.Fatalf("no scripts in %s: %v", glob, err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			s := &script{fixture: in(t), file: file, kept: map[string]time.Time{}}
			s.play(string(text))
		})
	}
}

// script runs the subset of rogpe/go-internal/testscript that these scripts need,
// in its syntax, with the commands of pgmpi's own at the end of the table.
type script struct {
	*fixture
	file string
	line int
	last said                 // what the last program said
	kept map[string]time.Time // what `keep` has seen
}

var scriptCommands = map[string]func(s *script, not bool, args []string){
	"exec":   func(s *script, not bool, args []string) { s.program(not, args) },
	"pgmpi":  func(s *script, not bool, args []string) { s.program(not, append([]string{"pgmpi"}, args...)) },
	"stdout": func(s *script, not bool, args []string) { s.grep(not, args, "standard output", s.last.stdout) },
	"stderr": func(s *script, not bool, args []string) { s.grep(not, args, "standard error", s.last.stderr) },
	"grep": func(s *script, not bool, args []string) {
		file := args[len(args)-1]
		s.grep(not, args[:len(args)-1], file, s.text(file))
	},
	"exists": func(s *script, not bool, args []string) {
		for _, a := range args {
			if _, err := os.Stat(s.path(a)); (err == nil) == not {
				s.fatal("%s exists: %v", a, !not)
			}
		}
	},
	"rm": func(s *script, _ bool, args []string) { s.each(args, os.RemoveAll) },
	"chmod": func(s *script, _ bool, args []string) {
		mode, err := strconv.ParseUint(args[0], 8, 32)
		s.must(err)
		s.each(args[1:], func(p string) error { return os.Chmod(p, os.FileMode(mode)) })
	},
	"env":  func(s *script, _ bool, args []string) { s.env = append(s.env, args...) },
	"skip": func(s *script, _ bool, args []string) { s.t.Skip(args) },

	// exits CODE[,CODE] PROGRAM ARGS…: it ends with one of these.
	"exits": func(s *script, _ bool, args []string) {
		s.last = s.fixture.run(args[1], args[2:]...)
		if codes := strings.Split(args[0], ","); !slices.Contains(codes, strconv.Itoa(s.last.code)) {
			s.fatal("exit status %d, want %s", s.last.code, args[0])
		}
	},
	// gone: no process of this script is left after so long.
	"gone": func(s *script, _ bool, args []string) {
		limit, err := time.ParseDuration(args[0])
		s.must(err)
		s.noneLeft(limit)
	},
	// files N GLOB
	"files": func(s *script, _ bool, args []string) {
		found, err := filepath.Glob(s.path(args[1]))
		s.must(err)
		if strconv.Itoa(len(found)) != args[0] {
			s.fatal("%d files %s, want %s: %v", len(found), args[1], args[0], found)
		}
	},
	// keep GLOB remembers files; kept [FILE…] wants all as they were, but these written again.
	"keep": func(s *script, _ bool, args []string) {
		clear(s.kept)
		found, err := filepath.Glob(s.path(args[0]))
		s.must(err)
		for _, f := range found {
			s.kept[f] = s.written(f)
		}
	},
	"kept": func(s *script, _ bool, args []string) {
		for f, before := range s.kept {
			if again := !s.written(f).Equal(before); again != slices.Contains(args, filepath.Base(f)) {
				s.fatal("%s was written again: %v", f, again)
			}
		}
	},
	// disk DIR [SIZE] makes a small file system of its own; without root it skips the script.
	"disk": func(s *script, _ bool, args []string) { s.disk(s.path(args[0]), append(args, "1m")[1]) },
	// results DIR writes a results folder that violates GL8 at 8 bytes and keeps it at 64.
	"results": func(s *script, _ bool, args []string) { writeFolder(s.t, s.path(args[0])) },
}

// play writes the files at the script's end, and then runs it line by line.
func (s *script) play(text string) {
	files := regexp.MustCompile(`(?m)^-- (\S+) --\n`)
	names, parts := files.FindAllStringSubmatch(text, -1), files.Split(text, -1)
	for i, name := range names {
		s.must(os.WriteFile(s.path(name[1]), []byte(parts[i+1]), 0o666))
	}
	for i, l := range strings.Split(parts[0], "\n") {
		s.line = i + 1
		s.do(s.words(l))
	}
}

func (s *script) do(words []string) {
	for len(words) > 0 && strings.HasPrefix(words[0], "[") {
		condition := strings.Trim(words[0], "[]")
		if name := strings.TrimPrefix(condition, "!"); s.holds(name) != (name == condition) {
			return
		}
		words = words[1:]
	}
	if len(words) == 0 {
		return
	}
	not := words[0] == "!"
	if not {
		words = words[1:]
	}
	command := scriptCommands[words[0]]
	if command == nil {
		s.fatal("no command %s", words[0])
	}
	command(s, not, words[1:])
}

func (s *script) holds(condition string) bool {
	switch condition {
	case "openmpi", "mpich":
		return s.lib.name == condition
	case "root":
		return os.Geteuid() == 0
	}
	s.fatal("no condition %s", condition)
	return false
}

// words splits a line at its blanks. What is quoted stays as it is, and all else
// has its variables replaced; a # begins a comment.
func (s *script) words(line string) []string {
	var words []string
	for _, m := range regexp.MustCompile(`#.*|(?:'[^']*'|[^\s'#])+`).FindAllString(line, -1) {
		if m[0] == '#' {
			break
		}
		var word strings.Builder
		for i, part := range strings.Split(m, "'") {
			if i%2 == 0 {
				part = s.expand(part)
			}
			word.WriteString(part)
		}
		words = append(words, word.String())
	}
	return words
}

// expand replaces variables.
func (s *script) expand(text string) string {
	return os.Expand(text, func(name string) string {
		value := ""
		for _, e := range s.env {
			if v, ok := strings.CutPrefix(e, name+"="); ok {
				value = v
			}
		}
		return value
	})
}

func (s *script) disk(mount, size string) {
	s.must(os.Mkdir(mount, 0o777))
	if err := syscall.Mount("tmpfs", mount, "tmpfs", 0, "size="+size); err != nil {
		s.t.Skipf("a full disk needs a tmpfs of its own, and this user may not mount one: %v", err)
	}
	s.t.Cleanup(func() { _ = syscall.Unmount(mount, syscall.MNT_DETACH) })
}

func (s *script) program(not bool, args []string) {
	if s.last = s.fixture.run(args[0], args[1:]...); (s.last.code == 0) == not {
		s.fatal("exit status %d", s.last.code)
	}
}

// grep is `[-count=N] PATTERN` in a text.
func (s *script) grep(not bool, args []string, where, text string) {
	count := -1
	if n, ok := strings.CutPrefix(args[0], "-count="); ok {
		var err error
		count, err = strconv.Atoi(n)
		s.must(err)
		args = args[1:]
	}
	found := len(regexp.MustCompile("(?m)"+args[0]).FindAllString(text, -1))
	if (found > 0) == not || count >= 0 && found != count {
		s.fatal("%s has %d times %s:\n%s", where, found, args[0], text)
	}
}

func (s *script) path(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(s.dir, name)
}

func (s *script) text(name string) string {
	text, err := os.ReadFile(s.path(name))
	s.must(err)
	return string(text)
}

func (s *script) each(paths []string, do func(string) error) {
	for _, p := range paths {
		s.must(do(s.path(p)))
	}
}

func (s *script) written(path string) time.Time {
	info, err := os.Stat(path)
	s.must(err)
	return info.ModTime()
}

func (s *script) must(err error) {
	if err != nil {
		s.fatal("%v", err)
	}
}

func (s *script) fatal(format string, args ...any) {
	s.t.Helper()
	s.t.Fatalf("%s:%d: %s\nstdout:\n%s\nstderr:\n%s", s.file, s.line, fmt.Sprintf(format, args...), s.last.stdout, s.last.stderr)
}
