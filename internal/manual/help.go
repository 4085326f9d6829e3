// Package manual explains pgmpi's commands: as help, as manual pages, and in the menus of a shell.
//
// A tree of cobra commands comes in, whose flags are annotated with Under and Offer; text
// comes out. It runs no command and knows no key of gl.toml.
package manual

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"pgmpi/internal/phrase"
)

const (
	mostNeeded = "most needed" // the flags that --help shows, by name
	section    = "section"     // of gl.toml, for the heading
	choices    = "choices"     // what may follow the flag
)

// MostNeeded names the flags that --help shows, for the annotations of a command with many.
func MostNeeded(flags string) map[string]string { return map[string]string{mostNeeded: flags} }

// Need adds a flag to the flags of --help, where the command does not name it.
func Need(f *pflag.Flag) { annotate(f, mostNeeded, f.Name) }

// Needed returns the names of the flags that --help shows.
func Needed(c *cobra.Command) []string {
	names := strings.Fields(c.Annotations[mostNeeded])
	for _, f := range Flags(c) {
		names = append(names, f.Annotations[mostNeeded]...)
	}
	return names
}

func Under(f *pflag.Flag, of string) { annotate(f, section, of) }

func annotate(f *pflag.Flag, name string, values ...string) {
	if f.Annotations == nil {
		f.Annotations = map[string][]string{}
	}
	f.Annotations[name] = values
}

// Commands returns the commands that are shown, in the order of the overview.
func Commands(root *cobra.Command) []*cobra.Command {
	return slices.DeleteFunc(slices.Clone(root.Commands()), func(c *cobra.Command) bool { return !c.IsAvailableCommand() })
}

func Flags(c *cobra.Command) (out []*pflag.Flag) {
	c.Flags().VisitAll(func(f *pflag.Flag) {
		if f.Name != "help" {
			out = append(out, f)
		}
	})
	return out
}

// HelpWidth limits the lines of a help text, in columns.
const HelpWidth = 80

// pageFlags say how a page looks; only --help=all has them.
var pageFlags = []string{"width", "color", "ascii"}

// Help returns the text of --help, or if all is set of --help=all; for pgmpi itself it returns the overview.
func Help(c *cobra.Command, all bool) string {
	if c.Name() == "help" || !c.HasParent() {
		return overview(c.Root())
	}
	w := &strings.Builder{}
	flags := Flags(c)
	fmt.Fprintf(w, "pgmpi %s: %s\n\n%s\n\nUsage: pgmpi %s%s\n", c.Name(), c.Short, strings.TrimSpace(c.Long), c.Use, phrase.When(len(flags) > 0, " [FLAGS]"))
	for line := range strings.Lines(c.Example) {
		fmt.Fprintf(w, "  %s\n", strings.TrimSpace(line))
	}
	needed, shown := Needed(c), flags
	if !all {
		shown = slices.DeleteFunc(slices.Clone(flags), func(f *pflag.Flag) bool {
			return len(needed) > 0 && !slices.Contains(needed, f.Name) || slices.Contains(pageFlags, f.Name)
		})
	}
	cut := false
	for _, p := range parts(shown) {
		if !all {
			p.flags = inShort(p.flags, &cut)
		}
		if p.title != "" {
			fmt.Fprintf(w, "\n%s:", p.title)
		}
		fmt.Fprintf(w, "\n%s", p.flags.FlagUsagesWrapped(HelpWidth))
	}
	if more := len(flags) - len(shown); more > 0 || cut {
		fmt.Fprintf(w, "\n`pgmpi %s --help=all` explains these%s.\n", c.Name(), phrase.When(more > 0, " and %d flags more", more))
	}
	return w.String()
}

// mostShort is how many columns a text of a flag may have where it is shown in short.
const mostShort = 52

// leastShort keeps a text whole that would lose all that it says: "with --from: …".
const leastShort = 15

// inShort returns the flags with the first part of their texts, and sets cut if any had more.
func inShort(flags *pflag.FlagSet, cut *bool) *pflag.FlagSet {
	out := pflag.NewFlagSet("", pflag.ContinueOnError)
	out.SortFlags = false
	flags.VisitAll(func(f *pflag.Flag) {
		value, usage := pflag.UnquoteUsage(f)
		g := *f
		for _, end := range []string{"; ", " (", ": "} {
			if before, _, found := strings.Cut(usage, end); found && utf8.RuneCountInString(usage) > mostShort && len(before) >= leastShort {
				usage, *cut = before, true
			}
		}
		g.Usage = usage
		if f.Value.Type() != "bool" {
			g.Value = called{f.Value, value}
		}
		if g.DefValue == "[]" { // else it were shown of a value of another type
			g.DefValue = ""
		}
		out.AddFlag(&g)
	})
	return out
}

// called is the value of a flag with the name that its text had for it.
type called struct {
	pflag.Value
	name string
}

func (c called) Type() string { return c.name }

func overview(root *cobra.Command) string {
	w := &strings.Builder{}
	fmt.Fprintf(w, "%s\nUsage: pgmpi COMMAND [FLAGS]\n\n", root.Long)
	group := ""
	for _, c := range Commands(root) {
		title := ""
		if c.GroupID != group {
			group, title = c.GroupID, c.GroupID
		}
		fmt.Fprintf(w, "%-9s%-13s%s\n", title, c.Name(), c.Short)
	}
	fmt.Fprint(w, `
Start with:
  pgmpi check                          this machine, GL1–GL17, with the defaults
  pgmpi check --np 2 --msizes 8,1Ki    a quick look
  pgmpi init                           a commented gl.toml for your own settings

`+"`pgmpi help COMMAND` has the flags. Exit codes: 0 nothing violated, 1 violated,\n2 nothing was measured, 3 the measurement failed, 4 no verdict possible,\n130 interrupted.\n")
	return w.String()
}

type part struct {
	title string
	flags *pflag.FlagSet
}

var headings = []struct {
	title    string
	sections []string
}{
	{"What is measured", []string{"check", "job"}},
	{"How MPI is started", []string{"mpi"}},
	{"How it is measured", []string{"nrep", "measure"}},
	{"How it is judged", []string{"analyze"}},
	{"What it is held against", []string{"gate"}},
	{"Folder and output", nil}, // all other flags
}

const MostWithoutHeadings = 15

func parts(flags []*pflag.Flag) []part {
	all := make([]part, len(headings))
	for _, f := range flags {
		i, title := 0, ""
		if len(flags) > MostWithoutHeadings {
			i = headingOf(f)
			title = headings[i].title
		}
		if all[i].flags == nil {
			all[i] = part{title, pflag.NewFlagSet(title, pflag.ContinueOnError)}
			all[i].flags.SortFlags = false
		}
		all[i].flags.AddFlag(f)
	}
	return slices.DeleteFunc(all, func(p part) bool { return p.flags == nil })
}

func headingOf(f *pflag.Flag) int {
	for i, h := range headings {
		if of := f.Annotations[section]; of != nil && slices.Contains(h.sections, of[0]) {
			return i
		}
	}
	return len(headings) - 1
}

// Usual returns the default of a flag, as help puts it after the text; flags of keys have it in the text.
func Usual(f *pflag.Flag) string {
	if slices.Contains([]string{"", "[]", "0", "0s", "false"}, f.DefValue) {
		return ""
	}
	return " (default " + f.DefValue + ")"
}
