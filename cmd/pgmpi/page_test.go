package main

import (
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"pgmpi/internal/document"
	"pgmpi/internal/exitcode"
	"pgmpi/internal/fixture/must"
	"pgmpi/internal/fixture/should"
)

func TestThePageIsThatOfTerminalEnvironmentAndFlags(t *testing.T) {
	for _, c := range []struct {
		flags, env string
		columns    int // of the terminal
		want       document.Page
	}{
		{"", "", 0, document.Page{}}, // a file
		{"", "", 80, document.Page{Width: 80, Colour: true}},
		{"", "", 40, document.Page{Width: 80, Colour: true}},
		{"", "", 120, document.Page{Width: 120, Colour: true}},
		{"", "", 300, document.Page{Width: 160, Colour: true}},
		{"", "COLUMNS=90", 120, document.Page{Width: 90, Colour: true}},
		{"", "COLUMNS=90", 0, document.Page{Width: 90}},
		{"", "COLUMNS=5", 0, document.Page{Width: 80}},
		{"", "COLUMNS=many", 0, document.Page{}},
		{"--width=200", "COLUMNS=90", 120, document.Page{Width: 200, Colour: true}},
		{"", "NO_COLOR=1", 80, document.Page{Width: 80}},
		{"", "TERM=dumb", 80, document.Page{Width: 80}},
		{"--color=always", "NO_COLOR=1", 0, document.Page{Colour: true}},
		{"--color=never", "", 80, document.Page{Width: 80}},
		{"", "LANG=C", 0, document.Page{ASCII: true}},
		{"", "LANG=de_DE.UTF-8", 0, document.Page{}},
		{"", "LC_CTYPE=POSIX LANG=C.utf8", 0, document.Page{ASCII: true}},
		{"", "LC_ALL=C.utf8 LC_CTYPE=POSIX", 0, document.Page{}},
		{"", "LANG=de_DE@euro", 0, document.Page{ASCII: true}},
		{"--ascii", "LANG=C.UTF-8", 0, document.Page{ASCII: true}},
		{"--ascii=false", "LANG=C", 0, document.Page{}},
	} {
		fs := pflag.NewFlagSet("x", pflag.ContinueOnError)
		pageFlags(fs)
		must.Do(t, fs.Parse(strings.Fields(c.flags)))
		env := map[string]string{}
		for _, v := range strings.Fields(c.env) {
			name, value, _ := strings.Cut(v, "=")
			env[name] = value
		}
		got, err := screenOf(fs, func(name string) string { return env[name] }, c.columns)
		should.Hold(t, err == nil && got.Page == c.want, "%s %s on %d columns: %+v, %v, want %+v", c.flags, c.env, c.columns, got.Page, err, c.want)
	}
}

func TestFlagsOfThePageAreChecked(t *testing.T) {
	inProcess("list", "--width", "40").exits(t, exitcode.Setup).says(t, "--width: 40 is below 80 columns")
	inProcess("list", "--color", "allways").exits(t, exitcode.Setup).says(t, `--color: unknown word "allways" (did you mean always?)`)
	for _, width := range []string{"80", "100", "160"} {
		inProcess("list", "--width", width).exits(t, 0).shows(t, `^identity:MPI_A `)
	}
	inProcess("list", "--width", "80").exits(t, 0).wideLines(t, 80)
	inProcess("list", "--ascii").exits(t, 0).shows(t, `^GL3 +Gather\(n\) <= Allgather\(n\)$`, `^--------`)
}
