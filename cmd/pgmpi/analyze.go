package main

import (
	"cmp"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"pgmpi/analyze/judge"
	"pgmpi/analyze/report/check"
	"pgmpi/analyze/report/checks"
	"pgmpi/analyze/series"
	"pgmpi/internal/command"
	"pgmpi/internal/experiment"
	"pgmpi/internal/experiment/run"
	"pgmpi/internal/fail"
	"pgmpi/internal/manual"
	"pgmpi/internal/phrase"
	"pgmpi/internal/reading"
	"pgmpi/internal/settings"
	"pgmpi/measure/results/imported"
)

const byText = "any"

func analyzeCommand(h *command.Host) *cobra.Command {
	var s settings.Settings
	o := command.Output{Host: h}
	var from string
	var summaries []string
	c := &cobra.Command{
		Use:   "analyze DIR|FILE…",
		Short: "stage 3 only: judge a results folder again",
		Long: `Reads the raw files of a results folder, filters and tests them, prints the
tables and writes report.json into the folder, or into another with --out. The
folder's gl.toml has the settings, and flags beat them; a report that was made
with other settings is not replaced. --explain prints what single verdicts rest
on, in place of the tables. --baseline compares with other checks, as
` + "`pgmpi check --baseline`" + ` does, but measures nothing again. Needs no MPI.

--summary LIST prints what the check would have said by other summaries of the
same samples, as other benchmarks take them, beside ours.

With --from FORMAT the arguments are what another benchmark has written, files
or folders: ` + "`pgmpi analyze --from osu run1 run2 …`" + `. They become a results
folder, or one for each job, and the guidelines whose sides are both in the data
are judged, or of these the ones that --guidelines selects. Fewer than eight
mpiruns, or means, give no verdicts: what is slower there was seen once.`,
		Args:        command.Wants(1, command.AnyNumber, "one results folder, or files of other programs with --from"),
		Annotations: manual.MostNeeded("explain baseline expect method alpha min-slowdown out full format from np guidelines"),
		RunE: func(_ *cobra.Command, args []string) error {
			if from != "" {
				return analyzeFiles(from, args, &s, &o)
			}
			if s.Given("job.np", "job.shapes") {
				return fail.Setupf("analyze: --np and --shape go with --from; a results folder has its own")
			}
			if s.File != "" {
				return fail.Setupf("analyze: --guidelines goes with --from; a results folder has its own")
			}
			if len(args) != 1 {
				return fail.Setupf("analyze: give one results folder: `pgmpi compare` and `pgmpi history` take several")
			}
			if len(summaries) > 0 {
				return command.Written(&o, checks.SummaryLists, func() (*series.Summaries, error) { return reading.Summaries(args[0], summaries, s.Load) })
			}
			return o.Again(args[0], true, &s, experiment.Check, experiment.Explore, experiment.Imported)
		},
	}
	fs := c.Flags()
	s.Judging(fs)
	s.Gate(fs)
	o.Formats = h.FormatsFlag(fs, check.Reports, ", all into the folder")
	o.Explains(fs)
	fs.StringSliceVar(&summaries, "summary", nil, "what other summaries would say, a comma `LIST` of "+strings.Join(judge.Strings(series.OtherSummaries), ", "))
	fs.StringVar(&from, "from", "", "the `FORMAT` of files that another program has written: "+strings.Join(imported.Formats(), ", ")+"; "+byText+" finds it by their text")
	manual.Offer(fs.Lookup("from"), append(imported.Formats(), byText))
	s.Keys(fs, "np", "shape")
	s.Means(fs, "np", "with --from: the number of processes, where files do not say it")
	s.Means(fs, "shape", "with --from: `NODESxPPN`, where files do not say it")
	s.FileFlag(fs, "with --from: the `FILE` gl.toml whose [check] and [[guideline]] say what is judged (default: all)")
	fs.StringVar(&o.Out, "out", "", "a `DIR` for the report (default: the results folder, unless its report was made with other settings); with --from for the results folders (default pgmpi-imported-<UTC time>)")
	return c
}

func analyzeFiles(from string, paths []string, s *settings.Settings, o *command.Output) error {
	config, err := s.Load(nil)
	if err != nil {
		return err
	}
	if s.File == "" {
		config.Check.Guidelines = []string{"all"}
	}
	o.Out = cmp.Or(o.Out, experiment.Imported.NewFolder())
	jobs, leftOut, err := experiment.Import(paths, strings.TrimPrefix(from, byText), config, run.Options{Path: o.Out, Version: o.Version, Line: os.Args})
	if err != nil {
		return err
	}
	shown, more := phrase.First(leftOut, 10, "note: left out: %d more")
	for _, text := range shown {
		o.Warn("note: left out: %s\n", text)
	}
	if more != "" {
		o.Warn("%s\n", more)
	}
	s.File = ""
	if beside := experiment.Beside(jobs); beside == nil {
		o.Out = ""
		return o.Again(jobs[0].Path, true, s.Without("job.np").Without("job.shapes"), experiment.Imported)
	} else if o.Explained() {
		return fail.Setupf("analyze: --explain is of one job: pgmpi analyze %s --explain", jobs[0].Path)
	} else if err := o.Formats.As(checks.Matrices); err != nil {
		return err
	} else {
		return o.WriteBy(reading.Keep, beside)
	}
}
