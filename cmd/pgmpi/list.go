package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"pgmpi/analyze/report"
	"pgmpi/internal/clean"
	"pgmpi/internal/command"
	"pgmpi/internal/conf"
	"pgmpi/internal/conf/glfile"
	"pgmpi/internal/document"
	"pgmpi/internal/fail"
	"pgmpi/internal/phrase"
	"pgmpi/internal/settings"
	"pgmpi/internal/untimed"
	"pgmpi/measure/launch"
)

func listCommand(h *command.Host) *cobra.Command {
	var s settings.Settings
	var own bool
	var format *command.FormatFlag
	c := &cobra.Command{
		Use:     "list",
		Example: "pgmpi list --guidelines gl.toml\npgmpi list --algorithms",
		Short:   "show collectives, mock-ups and guidelines",
		Long: `Shows what can be measured and checked, with the ids that gl.toml uses; with
--guidelines also the guidelines of that file. With --algorithms it asks the MPI
library for its own algorithms instead, in one mpirun that measures nothing.
Their names, such as Bcast@binomial, may stand wherever a function may.`,
		RunE: func(c *cobra.Command, _ []string) error {
			file, err := s.Load(nil)
			if err != nil {
				return err
			}
			if own {
				list, err := untimed.ReadAlgorithms(c.Context(), file, nil)
				if err != nil {
					return err
				}
				return h.Print(report.AlgorithmLists.Document(list), format.Printed())
			}
			f, err := report.Lists.Format(format.Printed().Name)
			if err != nil {
				return fail.Setupf("--format: %w; the others are for --algorithms", err)
			}
			return h.Print(report.Lists.Document(file), f)
		},
	}
	fs := c.Flags()
	s.FileFlag(fs, "the `FILE` gl.toml whose own guidelines are shown too")
	fs.BoolVar(&own, "algorithms", false, "the library's own algorithms of its collectives, instead")
	s.Keys(fs, "np", "launch", "rank")
	format = h.NewFormat(fs, report.Lists.Formats(), "`FORMAT`: "+strings.Join(report.Lists.Formats(), ", ")+"; with --algorithms also json, csv", report.AlgorithmLists.Pick)
	return c
}

func initCommand(h *command.Host) *cobra.Command {
	var out string
	var schema bool
	c := &cobra.Command{
		Use:     "init [--schema [FILE]]",
		Example: "pgmpi init\npgmpi init --schema report.json",
		Short:   "write a commented gl.toml",
		Long: "Writes gl.toml with every key, its default and what it means. An existing file\nis kept. " +
			"--schema prints the JSON schema that its first line names, by which an\neditor completes and checks keys; " +
			"with the name of a document, such as\nreport.json or compare.json, the schema of that.",
		Args: func(c *cobra.Command, args []string) error {
			most := 0
			if schema {
				most = 1
			}
			return command.Wants(0, most, "one document, such as report.json, or none")(c, args)
		},
		RunE: func(_ *cobra.Command, args []string) error {
			if schema {
				return printSchema(h, args)
			}
			if out == "-" {
				_, err := io.WriteString(h.Stdout, glfile.Template())
				return err
			}
			f, err := os.OpenFile(out, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o666)
			if os.IsExist(err) {
				return fail.Setupf("%s is there already: move it away, or choose another name with --out", out)
			}
			if err != nil {
				return fail.AsSetup(err)
			}
			if _, err := io.WriteString(f, glfile.Template()); err != nil {
				f.Close()
				return fail.AsSetup(err)
			}
			h.Warn("wrote %s; check it with: pgmpi check %s\n", out, out)
			return f.Close()
		},
	}
	c.Flags().StringVar(&out, "out", "gl.toml", "the `FILE`; - for standard output")
	c.Flags().BoolVar(&schema, "schema", false, "print the JSON schema of gl.toml, or of a document")
	return c
}

func printSchema(h *command.Host, of []string) error {
	text, err := glfile.Schema()
	if len(of) > 0 {
		text, err = documentSchema(of[0])
	}
	if err == nil {
		_, err = fmt.Fprintf(h.Stdout, "%s\n", text)
	}
	return err
}

// documentSchema returns the schema of what pgmpi writes for programs under that name, with or without .json.
func documentSchema(name string) ([]byte, error) {
	var known []string
	for _, d := range documents() {
		file := d.FileIn(document.JSON)
		if file == name || strings.TrimSuffix(file, ".json") == name {
			return json.MarshalIndent(d.Schema(), "", "  ")
		}
		known = append(known, file)
	}
	near := conf.Nearest(name, known)
	return nil, fail.Setupf("there is no schema of %q%s: choose from %s", name,
		phrase.When(near != "", " (did you mean %s?)", near), strings.Join(known, ", "))
}

func versionCommand(h *command.Host) *cobra.Command {
	var rank string
	c := &cobra.Command{
		Use:     "version",
		Example: "pgmpi version\npgmpi version --rank bin/pgmpi-rank-mpich",
		Short:   "name pgmpi and the MPI library of the rank program",
		Long:    "Names this program and, where a rank program is at hand, the MPI library it is\nbuilt for.",
		RunE: func(_ *cobra.Command, _ []string) error {
			if err := h.Say(fmt.Sprintf("pgmpi %s\n", h.Version)); err != nil {
				return err
			}
			path, err := launch.FindRank(rank)
			if err != nil && rank == "" {
				return h.Say(clean.Text(strings.NewReplacer(", and none", ",\n  and none", ": build", ":\n  build", ", or name", ",\n  or name").Replace(err.Error()) + "\n"))
			}
			if err != nil {
				return fail.AsSetup(err)
			}
			env, err := launch.Config{}.ABIEnv(path, nil)
			if err != nil {
				return fail.AsSetup(err)
			}
			info, err := launch.Probe(path, env)
			if err != nil {
				return fail.AsSetup(err)
			}
			return h.Say(clean.Lines([]string{fmt.Sprintf("rank program %s, version %s", path, info.Version),
				fmt.Sprintf("  built for %s (%s), loads %s", info.BuiltFor, cmp.Or(launch.Needs(path), "libmpi"), info.LibVersion)}) + "\n")
		},
	}
	c.Flags().StringVar(&rank, "rank", "", "the rank program `FILE` (default: as for check)")
	return c
}
