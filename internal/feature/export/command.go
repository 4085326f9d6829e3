package export

import (
	"bufio"
	"cmp"
	"errors"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"pgmpi/internal/command"
	"pgmpi/internal/conf"
	"pgmpi/internal/fail"
	"pgmpi/internal/regular"
)

func newCommand(h *command.Host) *cobra.Command {
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
			if format == OSU && !c.Flags().Changed("what") {
				what = ofMedians
			}
			return exportTable(h, args, what, format, out)
		},
	}
	fs := c.Flags()
	fs.StringVar(&what, "what", ofSamples, "`WHAT` a row is of: "+strings.Join(tables, ", "))
	fs.StringVar(&format, "format", "", "`FORMAT`: "+strings.Join(Formats, ", ")+" (default: parquet where the name of --out ends so, else csv)")
	fs.StringVar(&out, "out", "", "the `FILE` to write (default: csv goes to standard output)")
	return c
}

func tableFormat(format, out string) (string, error) {
	if format == "" {
		switch ext := strings.ToLower(filepath.Ext(out)); ext {
		case "." + Parquet:
			format = Parquet
		case "", ".csv", ".tsv", ".txt":
			format = CSV
		default:
			return "", fail.Setupf("export: no format has names that end in %s: name the file x.csv or x.parquet, or give --format", ext)
		}
	}
	if format == Parquet && out == "" {
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
		_, err := export(paths, what, format, to, h.NewProgress(h.Columns() > 0).Counting("writing"))
		return errors.Join(err, to.Flush())
	}
	rows, failed := 0, error(nil)
	p := h.NewProgress(false)
	err := regular.Write(out, func(w io.Writer) error {
		rows, failed = export(paths, what, format, w, p.Counting("writing"))
		return failed
	})
	p.Clear()
	if err := cmp.Or(failed, err); err != nil {
		return err
	}
	h.Warn("%s of %s in %s\n", conf.Plural(rows, "row"), conf.Plural(len(paths), "folder"), out)
	return nil
}
