package main

import (
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/pflag"
)

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

// sections are the flags of a command under their headings, or all without one.
func sections(fs *pflag.FlagSet) []section {
	n := 0
	fs.VisitAll(func(*pflag.Flag) { n++ })
	if n <= fewFlags {
		return []section{{flags: fs}}
	}
	all := make([]section, len(headings))
	for i, h := range headings {
		all[i] = section{h.title, pflag.NewFlagSet(h.title, pflag.ContinueOnError)}
		all[i].flags.SortFlags = false
	}
	fs.VisitAll(func(f *pflag.Flag) { all[headingOf(f)].flags.AddFlag(f) })
	var out []section
	for _, s := range all {
		if s.flags.HasFlags() {
			out = append(out, s)
		}
	}
	return out
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

// choices is the annotation of a flag that says what may follow it.
const choices = "choices"

// chooses notes what may follow a flag.
func chooses(fs *pflag.FlagSet, flag string, names []string) {
	fs.Lookup(flag).Annotations = map[string][]string{choices: names}
}

// choicesOf is what may follow a flag; nil where it is no name of a list.
func choicesOf(f *pflag.Flag) []string {
	if k, ok := f.Value.(*keyFlag); ok {
		return k.key.Names
	}
	return f.Annotations[choices]
}

// argumentsOf are the words that may follow a command, where it knows them.
func argumentsOf(c command) []string {
	switch c.name {
	case "completion":
		return shells
	case "man":
		return commandNames()
	}
	return nil
}

func commandNames() []string {
	var names []string
	for _, c := range commands() {
		names = append(names, c.name)
	}
	return names
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
