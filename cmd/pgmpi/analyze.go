package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/pflag"

	"pgmpi/analyze"
	"pgmpi/analyze/report/check"
	"pgmpi/guidelines"
	"pgmpi/internal/clean"
	"pgmpi/internal/conf"
	"pgmpi/internal/document"
	"pgmpi/internal/exitcode"
	"pgmpi/internal/fail"
	"pgmpi/internal/reading"
	"pgmpi/measure/results"
)

var analyzeCommand = command{
	name:  "analyze",
	args:  "DIR|FILE…",
	short: "stage 3 only: judge a results folder again",
	long: `Reads the raw files of a results folder, filters and tests them, prints the
tables and writes report.json into the folder, or into that of --out. The
settings are those of the folder's gl.toml; flags beat them. Judged with other
settings it is a look: the report that is there stays. With --explain, what
single verdicts rest on is printed in place of the tables. With --baseline it is
held against other checks as by
` + "`pgmpi check --baseline`" + `; nothing is measured again. Needs no MPI.

With --from reprompi the arguments are output files of ReproMPI's mpibenchmark,
each of them one mpirun:
` + "`pgmpi analyze --from reprompi run1.dat run2.dat …`" + `. All guidelines that have
both sides in the data are judged, or those of --guidelines; nothing is written
without --out.`,
	flags: func(fs *pflag.FlagSet) action {
		var s settings
		var o output
		s.judging(fs)
		s.gate(fs)
		o.formats = formatsFlag(fs, check.Reports, ", all into the folder")
		o.explains(fs)
		from := fs.String("from", "", "`PROGRAM` whose output files the arguments are: reprompi")
		fs.StringVar(&s.guidelines, "guidelines", "", "with --from: the `FILE` gl.toml whose [check] and [[guideline]] say what is judged (default: all)")
		fs.StringVar(&o.out, "out", "", "a `DIR` for the report (default: the results folder, unless its report was made with other settings; with --from nothing is written)")
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
			folder, m, err := reading.OpenResults(args[0])
			if err != nil {
				return err
			}
			if m.Exploration {
				return o.analyzeExploration(&s, folder, m)
			}
			config, err := s.load(m)
			if err != nil {
				return err
			}
			tests, err := selected(&m.Plan, o.explain)
			if err != nil {
				return err
			}
			into := folder
			switch {
			case o.out != "":
				if into, err = folderFor(o.out); err != nil {
					return err
				}
			case reading.OnlyLooks(folder, m, config):
				into = nil
			}
			j, err := reading.Judge(folder, m, config.Analyze)
			if err != nil {
				return err
			}
			if err := j.Hold(config); err != nil && !s.given("gate.baseline", "gate.expect") {
				return fmt.Errorf("%w\n  the folder was checked against that; --baseline '' --expect '' judges it without", err)
			} else if err != nil {
				return err
			}
			return showJudgement(j, folder.Path, into, o.formats, tests, false)
		}
	},
}

// showJudgement puts report.json and the other formats into a folder or their files, and the first format
// and the explanations on standard output; the exit code is from the findings.
// tables says whether the first format is printed beside explanations. into is nil where the report of
// the folder stays.
func showJudgement(j *reading.Judgement, path string, into *results.Folder, formats *formatFlag, selections []analyze.Selection, tables bool) error {
	r := j.Report
	d, explained := check.Reports.Document(r), chosen(selections, r)
	var err error
	stored := ""
	// A report that cannot be stored is printed all the same.
	unwritten := formats.deliver(d)
	if into != nil {
		stored = into.Path
		unwritten = errors.Join(reading.StoreReport(into, r, formats.stored()), unwritten, reading.StoreMedians(into, j.Analysis))
	}
	if len(selections) == 0 || tables {
		err = formats.print(d, stored)
		fmt.Fprint(stdout, strings.Repeat("\n", min(len(explained), 1)))
	}
	if err == nil {
		err = explain(formats.beside(), j, explained)
	}
	switch {
	case err != nil && stored == "":
		return fmt.Errorf("standard output: %w", err)
	case err != nil:
		return fmt.Errorf("standard output: %w; the report is in %s", err, stored)
	case unwritten != nil && path == stored && readOnly(unwritten):
		warn("note: %s may not be written, so the report is not stored; --out DIR has it written elsewhere\n", path)
	case unwritten != nil:
		return fmt.Errorf("the report is not stored: %w\n  %sgo on with: %s analyze %s; --out has it written elsewhere", unwritten, makeRoom(unwritten), os.Args[0], conf.Quote(path))
	}
	if into == nil {
		warn("note: the report in %s stays, since it was made with other settings; --out DIR has this one written\n", path)
	}
	warn("%s\n", check.Closing(r, stored, formats.page(d, stored)))
	return verdictExit(r)
}

// readOnly tells whether a folder is somebody else's: what is in it may be looked at.
func readOnly(err error) bool {
	return errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS)
}

// verdictExit is how a command ends that has shown a report.
func verdictExit(r *analyze.Report) error {
	switch found := r.ExitCode(); {
	case found == exitcode.Violated:
		return errFound
	case found == exitcode.Failed:
		w := r.Wrong[0]
		return fmt.Errorf("%s at %s %s (%s). Leave it out with:\n  exclude = [%s]",
			clean.Line(w.Function), conf.HumanSize(w.Msize), w.Did(), clean.Line(w.Message), quoteAll(r.Exclude))
	case found == exitcode.NoVerdict && r.Refused != nil:
		return &fail.Refused{Reason: r.Refused.Reason}
	case found == exitcode.NoVerdict:
		return &fail.Refused{Reason: fmt.Sprintf("no verdict for %d planned tests: they lack valid run medians; see the report", len(r.Incomplete))}
	}
	return nil
}

func quoteAll(words []string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = fmt.Sprintf("%q", w)
	}
	return strings.Join(quoted, ", ")
}

// selected reads the selectors of --explain.
func selected(plan *guidelines.Plan, selectors []string) ([]analyze.Selection, error) {
	var out []analyze.Selection
	for _, text := range selectors {
		s, err := analyze.Select(plan, text)
		if err != nil {
			return nil, setupf("--explain: %w", err)
		}
		out = append(out, s)
	}
	return out, nil
}

// chosen are the tests of selections by index into the Plan's, each once. It says where
// there is none.
func chosen(selections []analyze.Selection, r *analyze.Report) []int {
	var tests []int
	for _, s := range selections {
		of := s.Of(r)
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

// explain shows what the verdicts on tests rest on.
func explain(f document.Format, j *reading.Judgement, tests []int) error {
	f = usually(check.Explanations, f.Name)
	for n, i := range tests {
		e, err := j.Explain(i)
		if err != nil {
			return err
		}
		if n > 0 {
			fmt.Fprintln(stdout)
		}
		if err := show(check.Explanations.Document(e), f); err != nil {
			return err
		}
	}
	return nil
}

// analyzeFiles judges what another program has measured.
func analyzeFiles(from string, paths []string, s *settings, o *output) error {
	if known := []string{"reprompi"}; from != known[0] {
		return setupf("--from: %s", conf.Unknown("program", from, known))
	}
	if len(o.explain) > 0 {
		return setupf("analyze: --explain needs the raw files of a results folder, it does not go with --from")
	}
	if len(paths) == 0 {
		return setupf("analyze --from %s: give its output files, one for each mpirun", from)
	}
	config, err := s.load(nil)
	if err != nil {
		return err
	}
	if s.guidelines == "" {
		config.Check.Guidelines = []string{"all"}
	}
	r, err := reading.Import(paths, config, version)
	if err != nil {
		return err
	}
	d := check.Reports.Document(r)
	if o.out != "" {
		folder, err := folderFor(o.out)
		if err != nil {
			return err
		}
		if err := reading.StoreReport(folder, r, o.formats.stored()); err != nil {
			return err
		}
	}
	if err := errors.Join(o.formats.deliver(d), o.formats.print(d, o.out)); err != nil {
		return err
	}
	warn("%s\n", check.Closing(r, o.out, o.formats.page(d, o.out)))
	return verdictExit(r)
}
