package imported

import (
	"cmp"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"pgmpi/analyze/report/checks"
	"pgmpi/guidelines"
	"pgmpi/internal/command"
	"pgmpi/internal/conf"
	"pgmpi/internal/experiment/run"
	"pgmpi/internal/fail"
	"pgmpi/internal/feature/imported/readers"
	"pgmpi/internal/lists"
	"pgmpi/internal/manual"
	"pgmpi/internal/phrase"
	"pgmpi/internal/reading"
	"pgmpi/internal/settings"
)

const byText = "any"

const long = `

With --from FORMAT the arguments are what another benchmark has written, files
or folders: ` + "`pgmpi analyze --from any results/`" + `. They become a results
folder, or one for each job (docs/how-to-import.md). Fewer than eight mpiruns,
or means, give no verdicts: what is slower there was seen once.`

// extend lets pgmpi analyze take files of other programs besides a results folder.
func extend(c *cobra.Command, s *settings.Settings, o *command.Output) (out string) {
	var from string
	var oneJob bool
	folder := c.RunE
	c.Use += "|FILE…"
	c.Long += long
	c.Args = command.Wants(1, command.AnyNumber, "one results folder, or files of other programs with --from")
	c.RunE = func(c *cobra.Command, args []string) error {
		if from != "" {
			return files(readers.Given{From: strings.TrimPrefix(from, byText), OneJob: oneJob}, args, s, o)
		}
		if oneJob {
			return fail.Setupf("analyze: --one-job goes with --from")
		}
		if s.Given("job.np", "job.shapes") {
			return fail.Setupf("analyze: --np and --shape go with --from; a results folder has its own")
		}
		if s.File != "" {
			return fail.Setupf("analyze: --guidelines goes with --from; a results folder has its own")
		}
		return folder(c, args)
	}
	fs := c.Flags()
	fs.StringVar(&from, "from", "", "the `FORMAT` of files that another program has written: "+
		strings.Join(readers.Formats(), ", ")+"; "+byText+" finds it by their text")
	manual.Offer(fs.Lookup("from"), append(readers.Formats(), byText))
	fs.BoolVar(&oneJob, "one-job", false, "with --from: files in different folders are mpiruns of one job")
	s.Keys(fs, "np", "shape")
	s.Means(fs, "np", "with --from: the number of processes, where files do not say it")
	s.Means(fs, "shape", "with --from: `NODESxPPN`, where files do not say it")
	s.FileFlag(fs, "with --from: the `FILE` gl.toml whose [check] and [[guideline]] say what is judged (default: all)")
	for _, name := range []string{"from", "np", "guidelines"} {
		manual.Need(fs.Lookup(name))
	}
	return "; with --from for the results folders (default pgmpi-imported-<UTC time>)"
}

func files(given readers.Given, paths []string, s *settings.Settings, o *command.Output) error {
	config, err := s.Load(nil)
	if err != nil {
		return err
	}
	if s.File == "" {
		config.Check.Guidelines = []string{"all", string(guidelines.Nonblocking), string(guidelines.Persistent)}
	}
	o.Out = cmp.Or(o.Out, experiment.NewFolder())
	jobs, leftOut, err := take(paths, given, config, run.Options{Path: o.Out, Version: o.Version, Line: os.Args,
		Notes: o.Notes})
	if err != nil {
		return err
	}
	notes := append(lists.Map(leftOut, func(text string) string { return "left out: " + text }), warnings(jobs)...)
	shown, more := phrase.First(notes, 10, "note: %d more, with --full\n")
	for _, text := range shown {
		o.Note("note: " + text)
	}
	if more != "" {
		o.Warn("%s", more)
	}
	s.File = ""
	if together := beside(jobs); together == nil {
		o.Out = ""
		return o.Again(jobs[0].path, true, s.Without("job.np").Without("job.shapes"), experiment)
	} else if o.Explained() {
		return fail.Setupf("analyze: --explain is of one job: pgmpi analyze %s --explain", jobs[0].path)
	} else if err := o.Formats.As(checks.Matrices); err != nil {
		return err
	} else {
		return o.WriteBy(reading.Keep, together)
	}
}

// warnings says what does not count in the files of jobs, each text once.
func warnings(jobs []job) (out []string) {
	first, more := map[string]string{}, map[string]int{}
	for _, j := range jobs {
		for _, text := range j.warnings {
			if _, known := first[text]; known {
				more[text]++
				continue
			}
			first[text] = j.path
			out = append(out, text)
		}
	}
	return lists.Map(out, func(text string) string {
		if len(jobs) == 1 {
			return text
		}
		return first[text] + phrase.When(more[text] > 0, " and %s", conf.Plural(more[text], "more job")) + ": " + text
	})
}
