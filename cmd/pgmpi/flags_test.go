package main

import (
	"os"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/spf13/pflag"
)

// flagSets are the flags of every command.
func flagSets() map[string]*pflag.FlagSet {
	sets := map[string]*pflag.FlagSet{}
	for _, c := range commands() {
		sets[c.name] = pflag.NewFlagSet(c.name, pflag.ContinueOnError)
		c.flags(sets[c.name])
	}
	return sets
}

func TestGuideHasTheFlagsOfEveryCommandAndNoOthers(t *testing.T) {
	guide, err := os.ReadFile("../../docs/guide.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(guide), "\n## Flags\n")
	section, _, _ = strings.Cut(section, "\n## ")
	sets := flagSets()
	documented := map[string]bool{}
	flag := regexp.MustCompile("`--([a-z-]+)")
	for line := range strings.Lines(section) {
		cells := strings.Split(line, "|")
		if len(cells) < 4 {
			continue
		}
		for _, m := range flag.FindAllStringSubmatch(cells[1], -1) {
			for command := range strings.SplitSeq(cells[2], ",") {
				command = strings.TrimSpace(command)
				if fs := sets[command]; fs == nil || fs.Lookup(m[1]) == nil {
					t.Errorf("there is no `%s --%s`", command, m[1])
				}
				documented[command+" --"+m[1]] = true
			}
		}
	}
	for command, fs := range sets {
		fs.VisitAll(func(f *pflag.Flag) {
			if !documented[command+" --"+f.Name] {
				t.Errorf("`%s --%s` is missing", command, f.Name)
			}
		})
	}
}

// wideLines fails the test for each line above a number of columns.
func (s said) wideLines(t *testing.T, most int) said {
	t.Helper()
	for line := range strings.Lines(s.stdout) {
		if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > most {
			t.Errorf("%d columns: %s", n, line)
		}
	}
	return s
}

func TestHelpFitsIn80ColumnsAndNamesValuesReadably(t *testing.T) {
	inProcess("help").exits(t, 0).wideLines(t, helpWidth)
	for _, c := range commands() {
		s := inProcess("help", c.name).exits(t, 0).wideLines(t, helpWidth)
		if m := regexp.MustCompile(`--\S+ (string|int|uint|float|ints|strings|float64Slice)\b.*`).FindString(s.stdout); m != "" {
			t.Errorf("help %s: %s", c.name, m)
		}
	}
	if s := inProcess("help", "clocks"); !strings.Contains(s.stdout, "(default 1,5,10)") {
		t.Errorf("%s", s.stdout)
	}
}
