package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

// completing lists command lines. A shell must offer the wanted words at their end, and not the unwanted one.
var completing = []struct {
	line     string
	want     []string
	unwanted string
}{
	{"pgmpi ch", []string{"check"}, "compare"},
	{"pgmpi help his", []string{"history"}, "check"},
	{"pgmpi check --msi", []string{"--msizes"}, "--cell"},
	{"pgmpi history --c", []string{"--cell", "--color"}, "--msizes"},
	{"pgmpi check --sync w", []string{"window", "window_auto"}, "barrier"},
	{"pgmpi analyze --format j", []string{"json", "junit"}, "csv"},
	{"pgmpi history --format j", []string{"json"}, "junit"},
	{"pgmpi check --color ", []string{"always", "auto", "never"}, "check"},
	{"pgmpi completion z", []string{"zsh"}, "bash"},
	{"pgmpi man nr", []string{"nrep"}, "check"},
}

// shell finds a shell, or skips the test.
func shell(t *testing.T, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		t.Skipf("no %s here", name)
	}
	return path
}

// offered returns the words that a shell prints for a command line: the script gets a file with the completion of
// pgmpi, and the line.
func offered(t *testing.T, completion, line string, argv ...string) []string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "completion")
	must.Do(t, os.WriteFile(file, []byte(completion), 0o666))
	cmd := exec.Command(argv[0], append(argv[1:], file, line)...)
	cmd.Env = append(os.Environ(), "HOME="+t.TempDir())
	out, err := cmd.CombinedOutput()
	must.Hold(t, err == nil, "%s: %v\n%s", line, err, out)
	return strings.Fields(string(out))
}

// bashAsks sets what bash hands to a function for completion, cutting at blanks. In a list, the meaning of each
// word follows it.
const bashAsks = `set -u; compopt() { :; }; source "$1"; COLUMNS=80 COMP_LINE=$2 COMP_POINT=${#2} COMP_TYPE=9; read -ra COMP_WORDS <<<"$2"; [[ $2 == *' ' ]] && COMP_WORDS+=("")
COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); __start_pgmpi; complete -p pgmpi >/dev/null; printf '%s\n' "${COMPREPLY[@]%% *}"`

func TestBashCompletes(t *testing.T) {
	t.Parallel()
	bash, text := shell(t, "bash"), inProcess("completion", "bash").Exits(t, 0).Stdout
	for _, c := range completing {
		got := offered(t, text, c.line, bash, "--norc", "-c", bashAsks, "bash")
		if slices.Sort(got); !slices.Equal(got, c.want) {
			t.Errorf("%q: %q, want %q", c.line, got, c.want)
		}
	}
	// Bash makes three words of --sync=w in COMP_WORDS, but not in COMP_LINE.
	for line, want := range map[string]int{"pgmpi check --sync=w": 2, "pgmpi check --sync=": 7} {
		got := offered(t, text, line, bash, "--norc", "-c", bashAsks, "bash")
		should.Hold(t, len(got) == want, "%q: %q", line, got)
	}
}

func TestFishCompletes(t *testing.T) {
	fish, text := shell(t, "fish"), inProcess("completion", "fish").Exits(t, 0).Stdout
	for _, c := range completing {
		got := offered(t, text, c.line, fish, "--no-config", "-c", `source $argv[1]; complete -C $argv[2] | string replace -r '\t.*' ''; true`)
		for _, w := range c.want {
			should.Hold(t, slices.Contains(got, w), "%q: %q lacks %s", c.line, got, w)
		}
		should.Hold(t, !slices.Contains(got, c.unwanted), "%q: %q", c.line, got)
	}
}

// zshAsks types the line and two tabs into a zsh on a pseudo-terminal. It ends when the words of $3 have been
// shown. With -D, zsh writes no dump; for root, a dump to /dev/null would replace it.
const zshAsks = `zmodload zsh/zpty; export TERM=dumb
zpty z zsh -f -i
zpty -w z 'autoload -U compinit; compinit -u -D; source '$1'; LISTMAX=1000; setopt noalwayslastprompt; print DO''NE'
zpty -r z seen '*DONE*' || exit 3
zpty -w -n z "$2"$'\t\t'; zpty -r z seen "$3"; zpty -d z`

func TestZshCompletes(t *testing.T) {
	zsh, file := shell(t, "zsh"), filepath.Join(t.TempDir(), "completion")
	must.Do(t, os.WriteFile(file, []byte(inProcess("completion", "zsh").Exits(t, 0).Stdout), 0o666))
	for _, c := range completing[2:7] { // each starts a shell of its own
		cmd := exec.Command("timeout", "60", zsh, "-f", "-c", zshAsks, "zsh", file, c.line, "*"+strings.Join(c.want, "*")+"*")
		out, err := cmd.CombinedOutput()
		should.Hold(t, err == nil, "%q does not become %q: %v\n%s", c.line, c.want, err, out)
	}
}

func TestCompletionRefusesOtherShells(t *testing.T) {
	inProcess("completion", "zhs").Exits(t, 2).Says(t, "zsh")
	inProcess("completion").Exits(t, 2).Says(t, "bash, zsh, fish")
}
