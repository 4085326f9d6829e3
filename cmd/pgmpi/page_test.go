package main

import (
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"pgmpi/analyze/report"
	"pgmpi/internal/exitcode"
)

func TestThePageIsThatOfTerminalEnvironmentAndFlags(t *testing.T) {
	for _, c := range []struct {
		flags, env string
		columns    int // of the terminal
		want       report.Page
	}{
		{"", "", 0, report.Page{}}, // a file
		{"", "", 80, report.Page{Width: 80, Colour: true}},
		{"", "", 40, report.Page{Width: 80, Colour: true}},
		{"", "", 120, report.Page{Width: 120, Colour: true}},
		{"", "", 300, report.Page{Width: 160, Colour: true}},
		{"", "COLUMNS=90", 120, report.Page{Width: 90, Colour: true}},
		{"", "COLUMNS=90", 0, report.Page{Width: 90}},
		{"", "COLUMNS=5", 0, report.Page{Width: 80}},
		{"", "COLUMNS=many", 0, report.Page{}},
		{"--width=200", "COLUMNS=90", 120, report.Page{Width: 200, Colour: true}},
		{"", "NO_COLOR=1", 80, report.Page{Width: 80}},
		{"", "TERM=dumb", 80, report.Page{Width: 80}},
		{"--color=always", "NO_COLOR=1", 0, report.Page{Colour: true}},
		{"--color=never", "", 80, report.Page{Width: 80}},
		{"", "LANG=C", 0, report.Page{ASCII: true}},
		{"", "LANG=de_DE.UTF-8", 0, report.Page{}},
		{"", "LC_CTYPE=POSIX LANG=C.utf8", 0, report.Page{ASCII: true}},
		{"", "LC_ALL=C.utf8 LC_CTYPE=POSIX", 0, report.Page{}},
		{"", "LANG=de_DE@euro", 0, report.Page{ASCII: true}},
		{"--ascii", "LANG=C.UTF-8", 0, report.Page{ASCII: true}},
		{"--ascii=false", "LANG=C", 0, report.Page{}},
	} {
		fs := pflag.NewFlagSet("x", pflag.ContinueOnError)
		pageFlags(fs)
		if err := fs.Parse(strings.Fields(c.flags)); err != nil {
			t.Fatal(err)
		}
		env := map[string]string{}
		for _, v := range strings.Fields(c.env) {
			name, value, _ := strings.Cut(v, "=")
			env[name] = value
		}
		got, err := screenOf(fs, func(name string) string { return env[name] }, c.columns)
		if err != nil || got.Page != c.want {
			t.Errorf("%s %s on %d columns: %+v, %v, want %+v", c.flags, c.env, c.columns, got.Page, err, c.want)
		}
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
