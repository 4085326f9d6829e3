package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"pgmpi/analyze"
	"pgmpi/analyze/report/check"
	"pgmpi/guidelines"
	"pgmpi/internal/conf"
	"pgmpi/internal/document"
	"pgmpi/internal/experiment"
	"pgmpi/internal/fail"
	"pgmpi/internal/manual"
	"pgmpi/internal/reading"
	"pgmpi/internal/settings"
)

func analyzeCommand() *cobra.Command {
	var s settings.Settings
	var o output
	var from string
	c := &cobra.Command{
		Use:   "analyze DIR|FILE…",
		Short: "stage 3 only: judge a results folder again",
		Long: `Reads the raw files of a results folder, filters and tests them, prints the
tables and writes report.json into the folder, or into another with --out. The
folder's gl.toml has the settings, and flags beat them; a report that was made
with other settings is not replaced. --explain prints what single verdicts rest
on, in place of the tables. --baseline compares with other checks, as
` + "`pgmpi check --baseline`" + ` does, but measures nothing again. Needs no MPI.

With --from reprompi the arguments are output files of ReproMPI's mpibenchmark,
one for each mpirun:
` + "`pgmpi analyze --from reprompi run1.dat run2.dat …`" + `. It judges the guidelines
whose two sides are both in the data, or of these the ones that --guidelines
selects; nothing is written without --out.`,
		Args:        wants(1, anyNumber, "one results folder, or output files with --from"),
		Annotations: manual.MostNeeded("explain baseline expect method alpha min-slowdown out full format from guidelines"),
		RunE: func(_ *cobra.Command, args []string) error {
			if from != "" {
				return analyzeFiles(from, args, &s, &o)
			}
			if s.File != "" {
				return fail.Setupf("analyze: --guidelines goes with --from; a results folder has its own")
			}
			if len(args) != 1 {
				return fail.Setupf("analyze: give one results folder: `pgmpi compare` and `pgmpi history` take several")
			}
			return o.again(args[0], true, &s, experiment.Check, experiment.Explore)
		},
	}
	fs := c.Flags()
	s.Judging(fs)
	s.Gate(fs)
	o.formats = formatsFlag(fs, check.Reports, ", all into the folder")
	o.explains(fs)
	fs.StringVar(&from, "from", "", "`PROGRAM` whose output files the arguments are: reprompi")
	s.FileFlag(fs, "with --from: the `FILE` gl.toml whose [check] and [[guideline]] say what is judged (default: all)")
	fs.StringVar(&o.out, "out", "", "a `DIR` for the report (default: the results folder, unless its report was made with other settings; with --from nothing is written)")
	return c
}

// mayExplain refuses explanations where a check prints a format that they cannot follow.
func mayExplain(selectors []string, formats *formatFlag) error {
	if known := check.Explanations.Formats(); len(selectors) > 0 && !slices.Contains(known, formats.beside().Name) {
		return fail.Setupf("--explain prints after the tables: put %s first in --format, or use `pgmpi analyze DIR --explain`", strings.Join(known, " or "))
	}
	return nil
}

func selected(plan *guidelines.Plan, selectors []string) ([]analyze.Selection, error) {
	var out []analyze.Selection
	for _, text := range selectors {
		s, err := analyze.Select(plan, text)
		if err != nil {
			return nil, fail.Setupf("--explain: %w", err)
		}
		out = append(out, s)
	}
	return out, nil
}

// chosen returns the tests of selections by their index in the Plan, each once, and warns
// of a selection without any.
func chosen(selections []analyze.Selection, j *reading.Judgement) []int {
	var tests []int
	for _, s := range selections {
		of := s.Of(j.Report)
		if len(of) == 0 {
			warn("--explain %s: none of these tests is violated; add a size to see others\n", conf.Quote(s.Selector))
		}
		for _, i := range of {
			if !slices.Contains(tests, i) {
				tests = append(tests, i)
			}
		}
	}
	return tests
}

// explain shows what the verdicts on tests rest on: all of a single one, and of several a sentence each unless --full asks for all.
func explain(f document.Format, j *reading.Judgement, tests []int) error {
	f = usually(check.Explanations, f.Name)
	whole := printed.full || len(tests) == 1 // of several, a sentence each
	for n, i := range tests {
		e, err := j.Explain(i)
		if err != nil {
			return err
		}
		d := check.Explanations.Document(e)
		if !whole {
			d = d.Brief()
		} else if n > 0 {
			fmt.Fprintln(stdout)
		}
		if err := put(d, f); err != nil {
			return err
		}
	}
	if !whole && len(tests) > 0 {
		return say("\nThe samples, pictures and tests behind it: --full, or --explain with one test.\n")
	}
	return nil
}

// analyzeFiles judges measurements of another program.
func analyzeFiles(from string, paths []string, s *settings.Settings, o *output) error {
	if known := []string{"reprompi"}; from != known[0] {
		return fail.Setupf("--from: %s", conf.Unknown("program", from, known))
	}
	if len(o.explain) > 0 {
		return fail.Setupf("analyze: --explain needs the raw files of a results folder, it does not go with --from")
	}
	config, err := s.Load(nil)
	if err != nil {
		return err
	}
	if s.File == "" {
		config.Check.Guidelines = []string{"all"}
	}
	r, err := reading.Import(paths, config, version)
	if err != nil {
		return err
	}
	return o.writeBy(reading.Keep, check.Reports.Document(r))
}
