package main

import (
	"bufio"
	"errors"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"pgmpi/analyze/export"
	"pgmpi/internal/clean"
	"pgmpi/internal/conf"
	"pgmpi/internal/fail"
	"pgmpi/internal/reading"
	"pgmpi/internal/regular"
)

func exportCommand() *cobra.Command {
	var what, format, out string
	c := &cobra.Command{
		Use:   "export DIR…",
		Short: "samples, run medians or verdicts as one table",
		Long: `Writes one table of all given results folders, for R, pandas or DuckDB: a row
for each sample (every timed repetition), each run median (a case in one mpirun)
or each verdict. Every row says which folder, library, host and shape it is
from. Verdicts are computed again with the settings of each folder.
docs/results-format.md explains the columns. Needs no MPI.

  pgmpi export before after --out x.parquet
  pgmpi export DIR --what medians > medians.csv

--format osu writes run medians in the two columns of OSU's benchmarks, which
` + "`pgmpi analyze --from osu`" + ` reads again.`,
		Args: wants(1, anyNumber, "at least one results folder"),
		RunE: func(c *cobra.Command, args []string) error {
			format, err := tableFormat(format, out)
			if err != nil {
				return err
			}
			if format == export.OSU && !c.Flags().Changed("what") {
				what = reading.ExportMedians
			}
			return exportTable(args, what, format, out)
		},
	}
	fs := c.Flags()
	fs.StringVar(&what, "what", reading.ExportSamples, "`WHAT` a row is of: "+strings.Join(reading.Exports, ", "))
	fs.StringVar(&format, "format", "", "`FORMAT`: "+strings.Join(export.Formats, ", ")+" (default: parquet where the name of --out ends so, else csv)")
	fs.StringVar(&out, "out", "", "the `FILE` to write (default: csv goes to standard output)")
	return c
}

func tableFormat(format, out string) (string, error) {
	switch {
	case format == "" && strings.EqualFold(filepath.Ext(out), "."+export.Parquet):
		format = export.Parquet
	case format == "":
		format = export.CSV
	}
	if format == export.Parquet && out == "" {
		return "", fail.Setupf("export: Parquet is not for a terminal; name a file: --out x.parquet")
	}
	if out == "" {
		return format, nil
	}
	if err := writable(out); err != nil {
		return "", fail.Setupf("--out: %w", err)
	}
	return format, nil
}

// exportTable writes a table to standard output, or into a file, whole or not at all.
func exportTable(paths []string, what, format, out string) error {
	if out == "" {
		to := bufio.NewWriter(stdout)
		_, err := reading.Export(paths, what, format, to, newProgress(columnsOf(stdout) > 0).Counting("writing"))
		return errors.Join(err, to.Flush())
	}
	rows, failed := 0, error(nil)
	p := newProgress(false)
	err := regular.Write(out, func(w io.Writer) error {
		rows, failed = reading.Export(paths, what, format, w, p.Counting("writing"))
		return failed
	})
	p.Clear()
	if failed != nil {
		return failed
	}
	if err != nil {
		return err
	}
	warn("%s of %s in %s\n", conf.Plural(rows, "row"), conf.Plural(len(paths), "folder"), clean.Line(out))
	return nil
}
