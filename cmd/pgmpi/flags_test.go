package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"pgmpi/internal/command"
	"pgmpi/internal/conf/glfile"
	"pgmpi/internal/exitcode"
	"pgmpi/internal/lists"
	"pgmpi/internal/manual"
	"pgmpi/internal/settings"
	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

var update = flag.Bool("update", false, "write the tables of docs/ anew")

// sameTable compares a table of docs/ with its source.
func sameTable(t *testing.T, file, name string, rows []string) {
	t.Helper()
	path := filepath.Join("../../docs", file)
	text := must.Get(os.ReadFile(path))(t)
	before, rest, begins := strings.Cut(string(text), "<!-- "+name+": made by make docs -->\n")
	got, after, ends := strings.Cut(rest, "<!-- end -->\n")
	if !begins || !ends {
		t.Fatalf("%s has no place for the table of %s", file, name)
	}
	want := strings.Join(rows, "\n") + "\n"
	if got == want {
		return
	}
	if !*update {
		t.Errorf("%s: the table of %s should be:\n%s\n(go test ./cmd/pgmpi -run Tables -update writes it)", file, name, want)
		return
	}
	must.Do(t, os.WriteFile(path, []byte(before+string(text)[len(before):len(text)-len(rest)]+want+"<!-- end -->\n"+after), 0o666))
}

// seeForm is the last words of a key that lead to its page.
var seeForm = regexp.MustCompile(`(?:; see|\. See) \[[^\]]*\]\(([^)]*)\)\.?$`)

func TestTablesOfKeysAreThoseOfTheProgram(t *testing.T) {
	d := glfile.Default()
	sections := map[string][]glfile.Key{}
	for _, k := range glfile.Keys() {
		section, _, _ := strings.Cut(k.Name, ".")
		sections[section] = append(sections[section], k)
	}
	for section, keys := range sections {
		var rows []string
		for _, k := range keys {
			name, meaning := "`"+strings.TrimPrefix(k.Name, section+".")+"`", k.Meaning()
			if m := seeForm.FindStringSubmatch(meaning); m != nil { // the key leads there
				name, meaning = "["+name+"]("+m[1]+")", seeForm.ReplaceAllString(meaning, "")
			}
			rows = append(rows, fmt.Sprintf("- %s, `%s`: %s", name, k.TOML(&d), meaning))
		}
		sameTable(t, "configuration.md", "["+section+"]", rows)
	}
}

func TestVersionWithoutARankProgramFitsIn80Columns(t *testing.T) {
	t.Setenv("PGMPI_RANK", "")
	inProcess("version").Exits(t, 0).WideLines(t, manual.HelpWidth)
}

func TestHelpFitsIn80ColumnsAndNamesValuesReadably(t *testing.T) {
	t.Parallel()
	inProcess("help").Exits(t, 0).WideLines(t, manual.HelpWidth)
	for _, c := range manual.Commands(rootCommand(command.New(io.Discard, io.Discard))) {
		few := inProcess("help", c.Name()).Exits(t, 0).WideLines(t, manual.HelpWidth)
		s := inProcess(c.Name(), "--help=all").Exits(t, 0).WideLines(t, manual.HelpWidth)
		if m := regexp.MustCompile(`--\S+ (string|int|uint|float|ints|strings|float64Slice)\b.*`).FindString(s.Stdout); m != "" {
			t.Errorf("help %s: %s", c.Name(), m)
		}
		n := strings.Count(few.Stdout, "\n")
		should.Hold(t, n <= 40 && strings.Contains(few.Stdout, "\n  "+strings.ReplaceAll(c.Example, "\n", "\n  ")+"\n"), "help %s has %d lines; examples: %s", c.Name(), n, c.Example)
		const flag = "\n      --"
		if n := strings.Count(few.Stdout, flag); n > manual.MostWithoutHeadings {
			t.Errorf("help %s shows %d flags", c.Name(), n)
		}
		if n := strings.Count(s.Stdout, flag); n != len(manual.Flags(c)) {
			t.Errorf("%s --help=all shows %d flags of %d", c.Name(), n, len(manual.Flags(c)))
		}
		for _, name := range manual.Needed(c) {
			if c.Flags().Lookup(name) == nil {
				t.Errorf("%s has no --%s", c.Name(), name)
			}
		}
	}
	if s := inProcess("help", "clocks"); has("clocks") && !strings.Contains(s.Stdout, "(default 1,5,10)") {
		t.Errorf("%s", s.Stdout)
	}
}

// A line of an example that this pgmpi does not take would be worse than none.
func TestExamplesOfHelpAreTaken(t *testing.T) {
	t.Parallel()
	for _, c := range manual.Commands(rootCommand(command.New(io.Discard, io.Discard))) {
		lines := strings.Split(c.Example, "\n")
		should.Hold(t, len(lines) == 2 && lines[0] != lines[1], "%s: %q", c.Name(), lines)
		for _, line := range lines {
			_, line, ok := strings.Cut(line, "pgmpi ")
			line, _, _ = strings.Cut(regexp.MustCompile("'[^']*'").ReplaceAllString(line, "words"), " >")
			line, _, _ = strings.Cut(strings.TrimSuffix(line, ")"), " |")
			words := strings.Fields(line)
			root := rootCommand(command.New(io.Discard, io.Discard))
			of, rest, err := root.Find(words)
			must.Hold(t, ok && err == nil && of.HasParent(), "%s: %s: %v", c.Name(), line, err)
			must.Do(t, of.ParseFlags(rest))
			should.Hold(t, of.Args == nil || of.Args(of, of.Flags().Args()) == nil, "%s: %s has wrong arguments", c.Name(), line)
		}
		should.Contain(t, manual.Page(c), ".SH EXAMPLES")
	}
}

func TestTheGuideNamesEveryCommand(t *testing.T) {
	guide := string(must.Get(os.ReadFile("../../docs/guide.md"))(t))
	for _, c := range manual.Commands(rootCommand(command.New(io.Discard, io.Discard))) {
		should.Hold(t, regexp.MustCompile("`(pgmpi )?"+c.Name()+"\\b").MatchString(guide), "docs/guide.md has no row of pgmpi %s", c.Name())
	}
}

func TestEveryFlagOfAKeyIsTakenByACommand(t *testing.T) {
	needs(t, "fingerprint") // which alone takes --fresh and --windows
	taken := map[string]bool{}
	for _, c := range manual.Commands(rootCommand(command.New(io.Discard, io.Discard))) {
		c.Flags().VisitAll(func(f *pflag.Flag) {
			if key, ok := settings.KeyOf(f); ok {
				taken[key.Name] = true
			}
		})
	}
	for _, k := range glfile.Keys() {
		should.Hold(t, k.Flag == "" || taken[k.Name], "%s has the flag --%s, which no command takes: name it in the Keys of one", k.Name, k.Flag)
	}
}

func TestOneManualPageIsNotWrittenIntoAFolder(t *testing.T) {
	inProcess("man", "check", "--out", t.TempDir()).Exits(t, exitcode.Setup).Says(t, "--out is for all pages")
}

// They take it without --guidelines, as check does.
func TestCommandsThatAskTheLibraryTakeAConfiguration(t *testing.T) {
	path := filepath.Join(t.TempDir(), "gl.toml")
	must.Do(t, os.WriteFile(path, []byte("[mpi]\nrank = \"/nowhere/pgmpi-rank\"\n"), 0o666))
	for _, command := range lists.Keep([]string{"which", "env"}, has) {
		inProcess(command, path).Exits(t, exitcode.Setup).Says(t, "/nowhere/pgmpi-rank")
		inProcess(command, path, "--guidelines", path).Exits(t, exitcode.Setup).Says(t, "give one of the two")
	}
}

func TestFlagsOfThePageAreChecked(t *testing.T) {
	inProcess("list", "--width", "40").Exits(t, exitcode.Setup).Says(t, "--width: 40 is below 80 columns")
	inProcess("list", "--color", "allways").Exits(t, exitcode.Setup).Says(t, `--color: unknown word "allways" (did you mean always?)`)
	for _, width := range []string{"80", "100", "160"} {
		inProcess("list", "--width", width).Exits(t, 0).Shows(t, `^identity:MPI_A `)
	}
	inProcess("list", "--width", "80").Exits(t, 0).WideLines(t, 80)
	inProcess("list", "--ascii").Exits(t, 0).Shows(t, `^GL3 +Gather\(n\) <= Allgather\(n\)$`, `^--------`)
}
