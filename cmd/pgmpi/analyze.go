package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/pflag"

	"pgmpi/analyze"
	"pgmpi/analyze/report"
	"pgmpi/internal/campaign"
	"pgmpi/internal/conf"
	"pgmpi/internal/exitcode"
	"pgmpi/measure/results"
)

var analyzeCommand = command{
	name:  "analyze",
	args:  "DIR|FILE…",
	short: "stage 3 only: judge a results folder again",
	long: `Reads the raw files of a results folder, filters and tests them, prints the
tables and writes report.json into the folder, in place of the one that is
there, or into that of --out. The settings are those of the folder's gl.toml;
flags beat them. With --explain, what single verdicts rest on is printed in
place of the tables. Needs no MPI.

With --from reprompi the arguments are output files of ReproMPI's mpibenchmark,
each of them one mpirun:
` + "`pgmpi analyze --from reprompi run1.dat run2.dat …`" + `. All guidelines that have
both sides in the data are judged, or those of --guidelines; nothing is written
without --out.`,
	flags: func(fs *pflag.FlagSet) func(context.Context, []string) error {
		var s settings
		var o output
		s.judging(fs)
		o.formats(fs)
		o.explains(fs)
		from := fs.String("from", "", "`PROGRAM` whose output files the arguments are: reprompi")
		fs.StringVar(&s.guidelines, "guidelines", "", "with --from: the `FILE` gl.toml whose [check] and [[guideline]] say what is judged (default: all)")
		fs.StringVar(&o.out, "out", "", "a `DIR` for the report (default: the results folder; with --from nothing is written)")
		return func(_ context.Context, args []string) error {
			if *from != "" {
				return analyzeFiles(*from, args, &s, &o)
			}
			if s.guidelines != "" {
				return setupf("analyze: --guidelines goes with --from; a results folder has its own")
			}
			if len(args) != 1 {
				return setupf("analyze: give one results folder; see `pgmpi help analyze`")
			}
			formats, err := pick(report.Reports, o.format)
			if err != nil {
				return err
			}
			folder, m, err := campaign.OpenResults(args[0])
			if err != nil {
				return err
			}
			config, err := campaign.ConfigOf(m)
			if err != nil {
				return err
			}
			if err := s.apply(config); err != nil {
				return err
			}
			tests, err := selected(&m.Plan, o.explain)
			if err != nil {
				return err
			}
			into := folder
			if o.out != "" {
				if err := os.MkdirAll(o.out, 0o777); err != nil {
					return setup(err)
				}
				into = &results.Folder{Path: o.out}
			}
			j, err := campaign.Judge(folder, m, config.Analyze)
			if err != nil {
				return err
			}
			return showJudgement(j, folder.Path, into, formats, tests, false)
		}
	},
}

// showJudgement puts report.json and the other formats into a folder, and the first format
// and the explanations on standard output; the exit code is from the findings.
// explained are indices of tests; tables says whether the first format is
// printed beside explanations.
func showJudgement(j *campaign.Judgement, path string, into *results.Folder, formats []report.Format, explained []int, tables bool) error {
	r := j.Report
	var err error
	// A report that cannot be stored is printed all the same.
	unwritten := campaign.StoreReport(into, r, formats)
	if len(explained) == 0 || tables {
		err = show(report.Reports.Document(r), formats[0])
		fmt.Fprint(stdout, strings.Repeat("\n", min(len(explained), 1)))
	}
	if err == nil {
		err = explain(formats[0], j, explained)
	}
	switch {
	case err != nil:
		return fmt.Errorf("standard output: %w; the report is in %s", err, into.Path)
	case unwritten != nil:
		return fmt.Errorf("the report is not stored: %w\n  %sgo on with: %s analyze %s; --out has it written elsewhere", unwritten, makeRoom(unwritten), os.Args[0], conf.Quote(path))
	}
	fmt.Fprintf(stderr, "results: %s\n", into.Path)
	return verdictExit(r)
}

func verdictExit(r *analyze.Report) error {
	switch {
	case r.Exit == exitcode.OK || r.Exit == exitcode.Violated:
		return exitOrNil(r.Exit, nil)
	case len(r.Wrong) > 0:
		w := r.Wrong[0]
		return exitOrNil(r.Exit, fmt.Errorf("%s at %s gave wrong data (%s). Leave it out with:\n  exclude = [%s]",
			w.Function, conf.HumanSize(w.Msize), w.Message, quoteAll(r.Exclude)))
	case r.Refused != nil:
		return exitOrNil(r.Exit, errors.New(r.Refused.Reason))
	}
	return exitOrNil(r.Exit, fmt.Errorf("no verdict for %d planned tests: they lack valid run medians; see the report", len(r.Incomplete)))
}

func exitOrNil(code int, err error) error {
	if code == 0 {
		return nil
	}
	return &exit{code, err}
}

func quoteAll(words []string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = fmt.Sprintf("%q", w)
	}
	return strings.Join(quoted, ", ")
}
