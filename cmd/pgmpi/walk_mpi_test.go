package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"pgmpi/internal/command"
	"pgmpi/internal/exitcode"
	"pgmpi/testkit/mpirun"
	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

// walkSteps limits how many commands a walk runs, whose end nobody knows before. Far fewer are printed.
const walkSteps = 300

// walkSeeds lists where a user begins, at the defaults of each command: what they print is about a library's algorithms.
// otherSeeds begin with one library each, in `make test-all` with both. NP is the launcher of two processes.
const walkSeeds = `
pgmpi check gl.toml --out c1
pgmpi explore gl.toml --msizes 1Ki --out e1
pgmpi remedy e1
pgmpi remedy c1
pgmpi analyze e1
pgmpi which gl.toml
pgmpi status e1
`

var otherSeeds = [...]string{`
pgmpi overlap gl.toml --out o1
pgmpi submit gl.toml --out sub1
pgmpi analyze --from osu osu.txt --np 4 --out imp
pgmpi times c1
`, `
pgmpi profile --out app.prof -- NP APP
pgmpi check --calls app.prof gl.toml --out cc
pgmpi gain cc app.prof
pgmpi check gl.toml --out c2
pgmpi compare c1 c2
pgmpi history c1 c2
`}

// walkFile keeps every command short; all else has its default.
const walkFile = `
[check]
functions = ["MPI_Bcast", "MPI_Scatterv", "MPI_Allreduce"]
[job]
np = [2]
mpiruns = 6
msizes = ["8", "1Ki"]
[nrep]
max = 10
predictions = 1
[mpi]
launch = [%s]
%s`

// walk runs every command once that another one prints, or writes into a README. Commands are the same where they
// differ only in folders that were made alike.
type walk struct {
	*fixture
	seen map[string]bool
	made map[string]string // folders, and how they were made
}

// form puts how a folder was made in place of its name, which may be with or without a path.
func (w *walk) form(line string) string {
	line = strings.ReplaceAll(line, w.Dir+"/", "")
	for folder, how := range w.made {
		line = regexp.MustCompile(`(^|[ /])`+regexp.QuoteMeta(folder)+`($|[ /])`).ReplaceAllString(line, "${1}<"+how+">${2}")
	}
	return line
}

// note notes the folders that a command has made, whose next commands depend on its exit code.
func (w *walk) note(line string, code int) {
	how := fmt.Sprintf("%s, exit %d", strings.Fields(line)[1], code)
	if strings.Contains(line, "/remedy/") {
		how = "with a remedy: " + how
	}
	for _, path := range w.Found("*/") {
		if name := filepath.Base(path); w.made[name] == "" {
			w.made[name] = how
		}
	}
}

// printedCommand matches a command in backticks, or alone on a line with or without label.
var printedCommand = regexp.MustCompile("(?m)`(pgmpi [a-z]+ [^`]+)`|^ *(?:[A-Za-z ]+: +)?(pgmpi [a-z]+ .+)$")

// placeholder matches what keeps a text from being a command line: a form, a part that is left out, or another
// shell's syntax.
var placeholder = regexp.MustCompile(`\b[A-Z]{2,}\b|\.\.\.|…|[<[|]`)

func commandNames() (names []string) {
	for _, c := range rootCommand(command.New(io.Discard, io.Discard)).Commands() {
		names = append(names, c.Name())
	}
	return names
}

// commandsIn returns the commands in a text that can be run as they are.
func commandsIn(text string) (out []string) {
	names := commandNames()
	for _, m := range printedCommand.FindAllStringSubmatch(text, -1) {
		line := strings.Join(strings.Fields(m[1]+m[2]), " ")
		prose := m[1] == "" && !slices.Contains(names, strings.Fields(line)[1])
		if !prose && !placeholder.MatchString(strings.ReplaceAll(line, "MPI_", "")) {
			out = append(out, line)
		}
	}
	return out
}

// shorter asks for less where a command measures much, or on more processes than there may be cores.
var shorter = []struct{ command, by string }{
	{`^(pgmpi check --np 2).*`, "$1 --msizes 8,64 --functions Scan --nrep-max 10 --mpiruns 6"},
	{`^pgmpi check --calls \S+$`, "$0 --mpiruns 6 --nrep-max 10"},
	{`^pgmpi explore --np 2.*`, "pgmpi explore gl.toml --np 2 --msizes 8 --algorithms Scan --mpiruns 3"},
	{`^(pgmpi explore gl.toml --functions).*`, "$1 Scan --msizes 8 --mpiruns 3"},
	{`^pgmpi remedy \S+$`, "$0 --mpiruns 6"},
	{`^pgmpi remedy pgmpi-.*`, "$0 --max-time 4s"},
	{`^pgmpi check --only textbook$`, "$0 --np 2 --msizes 8 --functions Scan --mpiruns 6"},
	{`^(pgmpi overlap --np 2).*`, "$1 --msizes 8 --functions Bcast --mpiruns 5"},
	{`^(pgmpi clocks --np 2).*`, "$1 --clock-sync shared,hca3 --seconds 0.2"},
	{`^(pgmpi clocks --np 4) --barrier$`, "$1 --barrier --calls 20"},
	{`^(pgmpi selftest --np 2).*`, "$1 --msizes 8,64 --mpiruns 7"},
	{`^pgmpi fingerprint --np 2 .*`, "$0 --mpiruns 2"},
}

// step runs a command, and then the commands that its output and READMEs name.
func (w *walk) step(line, from string) {
	few := line
	for _, s := range shorter {
		few = regexp.MustCompile(s.command).ReplaceAllString(few, s.by)
	}
	form := w.form(few)
	if w.seen[form] || strings.Contains(line, " --go") { // --go gives a job to a batch system
		return
	}
	w.seen[form] = true
	should.Hold(w.T, len(w.seen) <= walkSteps, "the walk goes on after %d commands: `%s` (from: %s)", walkSteps, line, from)
	if len(w.seen) > walkSteps {
		return
	}
	began, s := time.Now(), w.Run("sh", "-c", few)
	w.T.Logf("exit %d, %.1f s: %s (from: %s)", s.Code, time.Since(began).Seconds(), few, from)
	w.note(line, s.Code)
	all := s.Stdout + s.Stderr
	codes := []int{exitcode.OK, exitcode.Violated, exitcode.NoVerdict}
	if strings.HasSuffix(from, "--help") { // its files, folders and programs are not here
		codes = append(codes, exitcode.Setup, exitcode.Failed)
	}
	should.Hold(w.T, slices.Contains(codes, s.Code) && !strings.Contains(all, "unknown command") && !strings.Contains(all, "unknown flag"), "`%s` (from: %s) ends with %d:\n%s", line, from, s.Code, all)
	should.Hold(w.T, !strings.Contains(all, "internal error") && !strings.Contains(all, "goroutine "), "`%s`:\n%s", line, all)
	for _, next := range slices.Concat(commandsIn(all), w.readmes()) {
		w.step(next, line)
	}
}

func (w *walk) readmes() (out []string) {
	for _, depth := range []string{"*", "*/*"} {
		files, _ := filepath.Glob(filepath.Join(w.Dir, depth, "README.md"))
		for _, path := range files {
			out = append(out, commandsIn(string(must.Get(os.ReadFile(path))(w.T)))...)
		}
	}
	return out
}

// The default way does not fail: a command that a screen, a README in a folder or a help names runs. Examples of a help
// run with one library or the other, in `make test-all` with both.
func TestEveryCommandThatIsPrintedRuns(t *testing.T) {
	bothAtOnce(t, func(t *testing.T, b *fixture) {
		if _, err := os.Stat(filepath.Join(b.Bin, "preload-"+b.Lib.Name)); err != nil {
			t.Skip("a program to profile is missing: `make test` builds it")
		}
		b.Env = append(b.Env, "PGMPI_RANK="+b.Rank, "OMPI_MCA_rmaps_base_oversubscribe=1")
		must.Do(t, os.WriteFile(filepath.Join(b.Dir, "osu.txt"), []byte("# OSU MPI Allreduce Latency Test v7.4\n# Size       Avg Latency(us)\n4 3.10\n8 2.90\n1024 9.00\n"), 0o666))
		words := strings.Fields(b.Lib.MPI)
		yields := strings.TrimPrefix(b.preloads(), "[mpi]\n") // another test may have the cores
		b.TOML(fmt.Sprintf(walkFile, `"`+strings.Join(words, `", "`)+`"`, yields))
		program := filepath.Join(b.Bin, "preload-"+b.Lib.Name) + " many 10000" // calls of MPI_Allreduce
		seeds := walkSeeds
		for i, others := range otherSeeds {
			if b.has(i) || mpirun.Everything {
				seeds += others
			}
		}
		seeds = strings.NewReplacer("NP", strings.ReplaceAll(b.Lib.MPI, "{np}", "2"), "APP", program).Replace(seeds)
		w := &walk{b, map[string]bool{}, map[string]string{}}
		for seed := range strings.FieldsFuncSeq(seeds, func(r rune) bool { return r == '\n' }) {
			w.step(seed, "the start")
		}
		for i, name := range commandNames() {
			if !b.has(i) && !mpirun.Everything {
				continue
			}
			w.step("pgmpi "+name+" --help", "the start")
		}
	})
}
