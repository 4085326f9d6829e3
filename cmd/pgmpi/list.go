package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/pflag"

	"pgmpi/analyze/report"
	"pgmpi/guidelines"
	"pgmpi/internal/conf/glfile"
	"pgmpi/measure/launch"
	"pgmpi/mockups"
)

var listCommand = command{
	name:  "list",
	short: "show collectives, mock-ups and guidelines",
	long: `Shows what can be measured and checked, with the ids that gl.toml uses; with
--guidelines also the guidelines of that file.`,
	flags: func(fs *pflag.FlagSet) func(context.Context, []string) error {
		path := fs.String("guidelines", "", "the `FILE` gl.toml whose own guidelines are shown too")
		var format string
		formatFlag(fs, &format, lists)
		return func(context.Context, []string) error {
			f, err := pickOne(lists, format)
			if err != nil {
				return err
			}
			var file glfile.File
			if *path != "" {
				s := settings{guidelines: *path}
				read, err := s.load(nil)
				if err != nil {
					return err
				}
				file = *read
			}
			return show(lists.Document(&file), f)
		}
	},
}

// lists are the tables, and the guidelines of a gl.toml if it has a name.
var lists = report.Kind[glfile.File]{Name: "list", Sections: func(f *glfile.File) []report.Section {
	out := []report.Section{listGuidelines()}
	if f.Name != "" {
		out = append(out, listUsers(f))
	}
	collectives := report.Titled("COLLECTIVES")
	collectives.Lines(mockups.Collectives()...)
	types := report.Titled("DATATYPES AND OPERATORS")
	types.Table = &report.Table{Head: []string{"datatype", "operators", "auto"}, Align: "lll"}
	for _, d := range mockups.Datatypes() {
		types.Table.Add(d.Name, strings.Join(d.Ops, " "), d.Auto)
	}
	return append(out, collectives, listMockups(), types)
}}

func listGuidelines() report.Section {
	s := report.Titled("GUIDELINES")
	s.Table = &report.Table{Head: []string{"id", "formula", ""}, Align: "lll", Flex: 1}
	for _, e := range guidelines.Catalogue() {
		g := e.Guidelines()
		if len(g) > 1 {
			formula := guidelines.Guideline{ID: e.ID, Type: g[0].Type, Function: "MPI_A"}.Formula()
			s.Table.Add(e.ID, formula, fmt.Sprintf("for each of the %d collectives A (%s)", len(g), g[0].Type))
			continue
		}
		note := ""
		if e.Extended {
			note = "extended: off by default"
		}
		s.Table.Add(e.ID, g[0].Formula(), note)
	}
	return s
}

// listMockups shows the mock-ups, and those that are the collectives themselves
// in one row.
func listMockups() report.Section {
	s := report.Titled("MOCK-UPS")
	s.Table = &report.Table{Head: []string{"id", "what it does"}, Align: "ll", Flex: 1}
	for _, f := range mockups.All() {
		if f.IsMockup() && !f.Identity {
			s.Table.Add(f.ID, f.What)
		}
	}
	s.Table.Add(mockups.IdentityOf("MPI_A"),
		fmt.Sprintf("MPI_A itself by its PMPI_ name, for each of the %d collectives of GL1: for A/A tests in a [[guideline]]", len(mockups.Identities())))
	return s
}

// listUsers shows the guidelines of a gl.toml and where they are checked.
func listUsers(f *glfile.File) report.Section {
	s := report.Titled("GUIDELINES OF %s", f.Name)
	if len(f.Guideline) == 0 {
		s.Say("none: it has no [[guideline]]")
		return s
	}
	s.Table = &report.Table{Head: []string{"id", "formula", "type", "sizes"}, Align: "llll", Flex: 1}
	for _, u := range f.Guideline {
		g, sizes := u.Guideline(), "job.msizes"
		switch {
		case !guidelines.HasSize(g.Function):
			sizes = "no size"
		case len(u.Msizes) > 0:
			sizes = strings.Join(u.Msizes, ", ")
		}
		s.Table.Add(g.ID, g.Formula(), string(g.Type), sizes)
	}
	return s
}

var initCommand = command{
	name:  "init",
	short: "write a commented gl.toml",
	long:  "Writes gl.toml with every key, its default and what it means. An existing file\nis kept.",
	flags: func(fs *pflag.FlagSet) func(context.Context, []string) error {
		out := fs.String("out", "gl.toml", "the `FILE`; - for standard output")
		return func(context.Context, []string) error {
			if *out == "-" {
				_, err := io.WriteString(stdout, glfile.Template())
				return err
			}
			f, err := os.OpenFile(*out, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o666)
			if os.IsExist(err) {
				return setupf("%s is there already: move it away, or choose another name with --out", *out)
			}
			if err != nil {
				return setup(err)
			}
			if _, err := io.WriteString(f, glfile.Template()); err != nil {
				f.Close()
				return setup(err)
			}
			fmt.Fprintf(stderr, "wrote %s; check it with: pgmpi check --guidelines %s\n", *out, *out)
			return f.Close()
		}
	},
}

var versionCommand = command{
	name:  "version",
	short: "name pgmpi and the MPI library of the rank program",
	long:  "Names this program and, where a rank program is at hand, the MPI library it is\nbuilt for.",
	flags: func(fs *pflag.FlagSet) func(context.Context, []string) error {
		rank := fs.String("rank", "", "the rank program `FILE` (default: pgmpi-rank beside pgmpi)")
		return func(context.Context, []string) error {
			fmt.Fprintf(stdout, "pgmpi %s\n", version)
			path, err := launch.FindRank(*rank)
			if err != nil {
				if *rank != "" {
					return setup(err)
				}
				fmt.Fprintf(stdout, "no rank program beside it: `make build` makes one\n")
				return nil
			}
			info, err := launch.Probe(path)
			if err != nil {
				return setup(err)
			}
			fmt.Fprintf(stdout, "rank program %s, version %s\n  built for %s, loads %s\n", path, info.Version, info.BuiltFor, info.LibVersion)
			return nil
		}
	},
}
