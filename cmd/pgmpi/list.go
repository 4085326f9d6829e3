package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"

	"github.com/spf13/pflag"

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
		return func(context.Context, []string) error {
			if *path == "" {
				return list(stdout, nil)
			}
			s := settings{guidelines: *path}
			f, err := s.load(nil)
			if err != nil {
				return err
			}
			return list(stdout, f)
		}
	},
}

// list shows the tables, and the guidelines of a gl.toml unless it is nil.
func list(w io.Writer, f *glfile.File) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "GUIDELINES")
	for _, e := range guidelines.Catalogue() {
		g := e.Guidelines()
		if len(g) == 1 {
			note := ""
			if e.Extended {
				note = "  (extended: off by default)"
			}
			fmt.Fprintf(t, "  %s\t%s%s\n", e.ID, g[0].Formula(), note)
			continue
		}
		formula := guidelines.Guideline{ID: e.ID, Type: g[0].Type, Function: "MPI_A"}.Formula()
		fmt.Fprintf(t, "  %s\t%s  for each of the %d collectives A (%s)\n", e.ID, formula, len(g), g[0].Type)
	}
	if f != nil {
		listUsers(t, f)
	}
	fmt.Fprintln(t, "\nCOLLECTIVES")
	for _, id := range mockups.Collectives() {
		fmt.Fprintf(t, "  %s\n", id)
	}
	fmt.Fprintln(t, "\nMOCK-UPS")
	listMockups(t)
	fmt.Fprintln(t, "\nDATATYPES AND OPERATORS")
	for _, d := range mockups.Datatypes() {
		fmt.Fprintf(t, "  %s\t%v  (auto: %s)\n", d.Name, d.Ops, d.Auto)
	}
	return t.Flush()
}

// listMockups shows the mock-ups, and those that are the collectives themselves
// in one line.
func listMockups(w io.Writer) {
	rows := [][2]string{}
	longest := 0
	for _, f := range mockups.All() {
		if f.IsMockup() && !f.Identity {
			rows = append(rows, [2]string{f.ID, f.What})
			longest = max(longest, len(f.ID))
		}
	}
	rows = append(rows, [2]string{mockups.IdentityOf("MPI_A"),
		fmt.Sprintf("MPI_A itself by its PMPI_ name, for each of the %d collectives of GL1: for A/A tests in a [[guideline]]", len(mockups.Identities()))})
	for _, r := range rows {
		id := r[0]
		for _, line := range wrapped(r[1], sheetWidth-longest-len("    ")) {
			fmt.Fprintf(w, "  %s\t%s\n", id, line)
			id = ""
		}
	}
}

// listUsers shows the guidelines of a gl.toml and where they are checked.
func listUsers(w io.Writer, f *glfile.File) {
	fmt.Fprintf(w, "\nGUIDELINES OF %s\n", f.Name)
	if len(f.Guideline) == 0 {
		fmt.Fprintln(w, "  none: it has no [[guideline]]")
	}
	for _, u := range f.Guideline {
		g, sizes := u.Guideline(), "job.msizes"
		switch {
		case !guidelines.HasSize(g.Function):
			sizes = "no size"
		case len(u.Msizes) > 0:
			sizes = strings.Join(u.Msizes, ", ")
		}
		fmt.Fprintf(w, "  %s\t%s  (%s; %s)\n", g.ID, g.Formula(), g.Type, sizes)
	}
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
