package main

import (
	"bufio"
	"cmp"
	"errors"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"pgmpi/analyze/export"
	"pgmpi/analyze/report/checks"
	"pgmpi/internal/command"
	"pgmpi/internal/conf"
	"pgmpi/internal/fail"
	"pgmpi/internal/lists"
	"pgmpi/internal/picture"
	"pgmpi/internal/reading"
	"pgmpi/internal/regular"
	"pgmpi/measure/results"
)

func exportCommand(h *command.Host) *cobra.Command {
	var what, format, out string
	c := &cobra.Command{
		Use:     "export DIR…",
		Example: "pgmpi export before after --out x.parquet\npgmpi export DIR --what medians > medians.csv",
		Short:   "samples, run medians or verdicts as one table",
		Long: `Writes one table of all given results folders, for R, pandas or DuckDB: a row
for each sample (every timed repetition), each run median (a case in one mpirun)
or each verdict. Every row says which folder, library, host and shape it is
from. Verdicts are computed again with the settings of each folder.
docs/results-format.md explains the columns. Needs no MPI.

--format osu writes run medians in the two columns of OSU's benchmarks, which
` + "`pgmpi analyze --from osu`" + ` reads again.`,
		Args: command.Wants(1, command.AnyNumber, "at least one results folder"),
		RunE: func(c *cobra.Command, args []string) error {
			format, err := tableFormat(format, out)
			if err != nil {
				return err
			}
			if format == export.OSU && !c.Flags().Changed("what") {
				what = reading.ExportMedians
			}
			return exportTable(h, args, what, format, out)
		},
	}
	fs := c.Flags()
	fs.StringVar(&what, "what", reading.ExportSamples, "`WHAT` a row is of: "+strings.Join(reading.Exports, ", "))
	fs.StringVar(&format, "format", "", "`FORMAT`: "+strings.Join(export.Formats, ", ")+" (default: parquet where the name of --out ends so, else csv)")
	fs.StringVar(&out, "out", "", "the `FILE` to write (default: csv goes to standard output)")
	return c
}

func tableFormat(format, out string) (string, error) {
	if format == "" {
		switch ext := strings.ToLower(filepath.Ext(out)); ext {
		case "." + export.Parquet:
			format = export.Parquet
		case "", ".csv", ".tsv", ".txt":
			format = export.CSV
		default:
			return "", fail.Setupf("export: no format has names that end in %s: name the file x.csv or x.parquet, or give --format", ext)
		}
	}
	if format == export.Parquet && out == "" {
		return "", fail.Setupf("export: Parquet is not for a terminal; name a file: --out x.parquet")
	}
	if out != "" {
		if err := command.Writable(out); err != nil {
			return "", fail.Setupf("--out: %w", err)
		}
	}
	return format, nil
}

// exportTable writes a table to standard output, or into a file: whole or not at all.
func exportTable(h *command.Host, paths []string, what, format, out string) error {
	if out == "" {
		to := bufio.NewWriter(h.Stdout)
		_, err := reading.Export(paths, what, format, to, h.NewProgress(h.Columns() > 0).Counting("writing"))
		return errors.Join(err, to.Flush())
	}
	rows, failed := 0, error(nil)
	p := h.NewProgress(false)
	err := regular.Write(out, func(w io.Writer) error {
		rows, failed = reading.Export(paths, what, format, w, p.Counting("writing"))
		return failed
	})
	p.Clear()
	if err := cmp.Or(failed, err); err != nil {
		return err
	}
	h.Warn("%s of %s in %s\n", conf.Plural(rows, "row"), conf.Plural(len(paths), "folder"), out)
	return nil
}

func figuresCommand(h *command.Host) *cobra.Command {
	var out string
	var cases, formats []string
	c := &cobra.Command{
		Use:     "figures DIR…",
		Example: "pgmpi figures DIR --out fig\npgmpi figures openmpi mpich --out fig --case Scan:256Ki",
		Short:   "pictures for a paper, and the data behind them",
		Long: `Draws the run-times of every pattern that is violated or undecided (Fig. 2 and 3
of the PGMPI paper) and of every collective, heat maps, losses, and how slow
each mpirun was. Of single cases it draws the samples: by repetition, as
histogram, as distribution, against a log-normal one, and how the number of
repetitions was found (Fig. 1). Several folders, such as two libraries, share
pictures. Each picture is a PDF with its data as csv; --format also has SVG for
pages and PNG for slides. Needs no MPI.`,
		Args: command.Wants(1, command.AnyNumber, "at least one results folder"),
		RunE: func(_ *cobra.Command, args []string) error {
			chosen, err := pictureFormats(formats)
			if err != nil {
				return err
			}
			p := h.NewProgress(false)
			g, err := reading.Figures(args, cases, &results.Folder{Path: out}, chosen, p.Counting("drawing"))
			p.Clear()
			if err != nil {
				return err
			}
			return h.Print(checks.Galleries.Document(g), command.Usually(checks.Galleries, ""))
		},
	}
	fs := c.Flags()
	fs.StringVar(&out, "out", "fig", "the `DIR` for the pictures")
	fs.StringArrayVar(&cases, "case", nil, "draw the samples of a `CASE` FUNCTION:MSIZE[:SHAPE], such as Scan:256Ki; may be given again (default: the largest loss, and its mock-up)")
	fs.StringSliceVar(&formats, "format", []string{"pdf", "csv"}, "comma `LIST` of "+strings.Join(extensions(), ", "))
	return c
}

func extensions() []string {
	return lists.Map(picture.Formats, func(f picture.Format) string { return f.Ext })
}

func pictureFormats(names []string) (out []picture.Format, err error) {
	for _, name := range names {
		i := slices.Index(extensions(), strings.TrimSpace(name))
		if i < 0 {
			return nil, fail.Setupf("--format: %s", conf.Unknown("format", name, extensions()))
		}
		out = append(out, picture.Formats[i])
	}
	return out, nil
}
