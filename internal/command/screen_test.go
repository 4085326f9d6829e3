package command

import (
	"strings"
	"testing"
	"time"

	"github.com/spf13/pflag"

	"pgmpi/internal/document"
	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
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
		PageFlags(fs)
		must.Do(t, fs.Parse(strings.Fields(c.flags)))
		env := map[string]string{}
		for _, v := range strings.Fields(c.env) {
			name, value, _ := strings.Cut(v, "=")
			env[name] = value
		}
		got, _, err := pageOf(fs, func(name string) string { return env[name] }, c.columns)
		should.Hold(t, err == nil && got == c.want, "%s %s on %d columns: %+v, %v, want %+v", c.flags, c.env, c.columns, got, err, c.want)
	}
}

func TestTheTimeOfALaunchIsForADryRun(t *testing.T) {
	for _, c := range []struct {
		d    DryRun
		fine bool
	}{{DryRun{LaunchTime: 1}, false}, {DryRun{Wanted: true, LaunchTime: 1}, true}, {DryRun{Wanted: true, LaunchTime: timed}, true}, {DryRun{}, true}} {
		if err := c.d.check(); (err == nil) != c.fine {
			t.Errorf("%+v: %v", c.d, err)
		}
	}
	for text, want := range map[string]time.Duration{"10s": 10 * time.Second, "timed": timed, "0s": 0, "-1s": 0, "soon": 0} {
		var d DryRun
		fs := pflag.NewFlagSet("x", pflag.ContinueOnError)
		d.Flags(fs)
		err := fs.Parse([]string{"--launch-time", text})
		should.Hold(t, d.LaunchTime == want && (err == nil) == (want != 0), "%s: %v, %v", text, d.LaunchTime, err)
	}
}
