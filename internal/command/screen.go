package command

import (
	"cmp"
	"os"
	"regexp"
	"strconv"
	"strings"

	"github.com/spf13/pflag"
	"golang.org/x/term"

	"pgmpi/internal/conf"
	"pgmpi/internal/document"
	"pgmpi/internal/fail"
	"pgmpi/internal/manual"
)

var colours = []string{"auto", "always", "never"}

func PageFlags(fs *pflag.FlagSet) {
	fs.Int("width", 0, "`COLUMNS` that a line may take, from "+strconv.Itoa(document.LeastWidth)+" on (default: the width of the terminal, from 80 to 160; elsewhere 100)")
	fs.String("color", colours[0], "`WHEN` to use colour: "+strings.Join(colours, ", ")+"; auto: on a terminal, unless NO_COLOR is set or TERM is dumb")
	manual.Offer(fs.Lookup("color"), colours)
	fs.Bool("ascii", false, "print ASCII only (default where LC_ALL, LC_CTYPE or LANG names a locale that is not UTF-8)")
}

// pageOf returns the page that flags ask for, and whether they ask for all. columns is the width of the terminal,
// or 0 without one.
func pageOf(fs *pflag.FlagSet, env func(string) string, columns int) (s document.Page, full bool, err error) {
	s.ASCII = notUTF8(env)
	if columns > 0 {
		s.Width = fitting(columns)
		s.Colour = env("NO_COLOR") == "" && env("TERM") != "dumb"
	}
	if n, err := strconv.Atoi(env("COLUMNS")); err == nil && n > 0 {
		s.Width = fitting(n)
	}
	if fs.Lookup("width") == nil {
		return s, full, nil
	}
	if f := fs.Lookup("full"); f != nil {
		full = f.Value.String() == "true"
	}
	if fs.Changed("ascii") {
		s.ASCII, _ = fs.GetBool("ascii")
	}
	switch colour, _ := fs.GetString("color"); colour {
	case "auto":
	case "always", "never":
		s.Colour = colour == "always"
	default:
		return s, full, fail.Setupf("--color: %s", conf.Unknown("word", colour, colours))
	}
	width, _ := fs.GetInt("width")
	if fs.Changed("width") && (width < document.LeastWidth || width > 10000) {
		return s, full, fail.Setupf("--width: %d is below %d columns, which tables need, or above 10000", width, document.LeastWidth)
	}
	s.Width = cmp.Or(width, s.Width)
	return s, full, nil
}

func fitting(columns int) int { return min(max(columns, document.LeastWidth), document.MostWidth) }

var utf8Name = regexp.MustCompile(`(?i)utf-?8`)

// notUTF8 tells whether the environment names a locale without UTF-8. Where it names no locale, as in many
// containers, nothing is known.
func notUTF8(env func(string) string) bool {
	locale := cmp.Or(env("LC_ALL"), env("LC_CTYPE"), env("LANG"))
	return locale != "" && !utf8Name.MatchString(locale)
}

// Columns returns the width of the program's terminal, or 0 without one.
func (h *Host) Columns() int {
	f, ok := h.Stdout.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return 0
	}
	columns, _, err := term.GetSize(int(f.Fd()))
	if err != nil || columns <= 0 { // the terminal does not know its width
		return document.LeastWidth
	}
	return columns
}
