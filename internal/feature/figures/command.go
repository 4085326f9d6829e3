package figures

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"pgmpi/internal/command"
	"pgmpi/internal/conf"
	"pgmpi/internal/fail"
	"pgmpi/internal/lists"
	"pgmpi/internal/picture"
	"pgmpi/measure/results"
)

func newCommand(h *command.Host) *cobra.Command {
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
			g, err := drawnFrom(args, cases, &results.Folder{Path: out}, chosen, p.Counting("drawing"))
			p.Clear()
			if err != nil {
				return err
			}
			return h.Print(galleries.Document(g), command.Usually(galleries, ""))
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
