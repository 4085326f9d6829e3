package main

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"pgmpi/internal/exitcode"
)

const about = `pgmpi finds out whether an MPI library keeps its own promises.

A collective should never be slower than an emulation of it by other
collectives (its mock-up), than itself on more data, or than itself called k
times on 1/k of the data. pgmpi measures, tests and reports the violations.
`

// exitCodes are what scripts go by.
var exitCodes = []struct {
	code  int
	means string
}{
	{exitcode.OK, "nothing violated; with a baseline: nothing newly wrong"},
	{exitcode.Violated, "violated; with a baseline: an alarm"},
	{exitcode.Setup, "nothing was measured"},
	{exitcode.Failed, "the measurement failed, or a call is wrong"},
	{exitcode.NoVerdict, "no verdict possible"},
	{exitcode.Interrupted, "interrupted"},
}

func helpCommand() *cobra.Command {
	return &cobra.Command{
		Use:               "help [COMMAND]",
		Short:             "show the commands, or the flags of one",
		Args:              wants(0, 1, "one command, or none"),
		ValidArgsFunction: commandNames,
		RunE: func(c *cobra.Command, args []string) error {
			of := c
			if len(args) > 0 {
				var err error
				if of, err = find(c.Root(), args[0]); err != nil {
					return err
				}
			}
			return say(help(of, false))
		},
	}
}

// mostNeeded notes the flags that --help shows of a command with many, by name.
func mostNeeded(flags string) map[string]string { return map[string]string{"most needed": flags} }

// flagsOf are the flags of a command but --help.
func flagsOf(c *cobra.Command) (out []*pflag.Flag) {
	c.Flags().VisitAll(func(f *pflag.Flag) {
		if f.Name != "help" {
			out = append(out, f)
		}
	})
	return out
}

// helpWidth is the widest line of a help text, in columns.
const helpWidth = 80

// help is the text of --help, or with all flags of --help=all; of pgmpi itself it is the overview.
func help(c *cobra.Command, all bool) string {
	if c.Name() == "help" || !c.HasParent() {
		return overview(c.Root())
	}
	w := &strings.Builder{}
	fmt.Fprintf(w, "pgmpi %s: %s\n\n%s\n\nUsage: pgmpi %s", c.Name(), c.Short, strings.TrimSpace(c.Long), c.Use)
	flags := flagsOf(c)
	if len(flags) == 0 {
		fmt.Fprintln(w)
		return w.String()
	}
	fmt.Fprintln(w, " [FLAGS]")
	needed := strings.Fields(c.Annotations["most needed"])
	few := len(needed) > 0 && !all
	if few {
		flags = slices.DeleteFunc(flags, func(f *pflag.Flag) bool { return !slices.Contains(needed, f.Name) })
	}
	for _, s := range sections(flags) {
		if s.title != "" {
			fmt.Fprintf(w, "\n%s:", s.title)
		}
		fmt.Fprintf(w, "\n%s", s.flags.FlagUsagesWrapped(helpWidth))
	}
	if few {
		fmt.Fprintf(w, "\n`pgmpi %s --help=all` shows %d flags more.\n", c.Name(), len(flagsOf(c))-len(flags))
	}
	return w.String()
}

func overview(root *cobra.Command) string {
	w := &strings.Builder{}
	fmt.Fprintf(w, "%s\nUsage: pgmpi COMMAND [FLAGS]\n\n", root.Long)
	group := ""
	for _, c := range commands(root) {
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

// section is a part of a command's flags, with its heading in help and manual.
type section struct {
	title string
	flags *pflag.FlagSet
}

// headings are in the order of the help; the key of a flag says which it is under.
var headings = []struct {
	title string
	keys  []string // sections of gl.toml
	flags []string // that have no key
}{
	{"What is measured", []string{"check", "job"}, []string{"guidelines"}},
	{"How MPI is started", []string{"mpi"}, nil},
	{"How it is measured", []string{"nrep", "measure"}, nil},
	{"How it is judged", []string{"analyze"}, nil},
	{"What it is held against", []string{"gate"}, nil},
	{"Folder and output", nil, nil},
}

// fewFlags need no headings.
const fewFlags = 15

// sections are flags under their headings, or all without one.
func sections(flags []*pflag.Flag) (out []section) {
	all := make([]section, len(headings))
	for _, f := range flags {
		i, title := 0, ""
		if len(flags) > fewFlags {
			i = headingOf(f)
			title = headings[i].title
		}
		if all[i].flags == nil {
			all[i] = section{title, pflag.NewFlagSet(title, pflag.ContinueOnError)}
			all[i].flags.SortFlags = false
		}
		all[i].flags.AddFlag(f)
	}
	return slices.DeleteFunc(all, func(s section) bool { return s.flags == nil })
}

// headingOf is the index of a flag's heading; the last has what no other asks for.
func headingOf(f *pflag.Flag) int {
	part := ""
	if k, ok := f.Value.(*keyFlag); ok {
		part, _, _ = strings.Cut(k.key.Name, ".")
	}
	for i, h := range headings {
		if slices.Contains(h.keys, part) || part == "" && slices.Contains(h.flags, f.Name) {
			return i
		}
	}
	return len(headings) - 1
}

// usual is the default of a flag, as help puts it behind the text; those of keys are in it.
func usual(f *pflag.Flag) string {
	if slices.Contains([]string{"", "[]", "0", "0s", "false"}, f.DefValue) {
		return ""
	}
	return " (default " + f.DefValue + ")"
}

var endOfBrief = regexp.MustCompile(`[:;(]`)

// brief is a flag's help for a line of a menu.
func brief(f *pflag.Flag) string {
	_, text := pflag.UnquoteUsage(f)
	if at := endOfBrief.FindStringIndex(text); at != nil && at[0] > 0 {
		text = text[:at[0]]
	}
	return strings.TrimRight(text, " ,.")
}
