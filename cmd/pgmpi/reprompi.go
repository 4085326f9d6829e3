package main

import (
	"errors"
	"os"

	"pgmpi/analyze"
	"pgmpi/analyze/report"
	"pgmpi/internal/conf"
	"pgmpi/measure/results/reprompi"
)

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
	formats, err := pick(report.Reports, o.format)
	if err != nil {
		return err
	}
	config, err := s.load(nil)
	if err != nil {
		return err
	}
	if s.guidelines == "" {
		config.Check.Guidelines = []string{"all"}
	}
	var files []*reprompi.File
	for _, path := range paths {
		f, err := reprompi.Read(path)
		var missing *os.PathError
		if errors.As(err, &missing) {
			return setup(err)
		}
		if err != nil {
			return err
		}
		files = append(files, f)
	}
	m, runs, err := reprompi.Import(files, config.Check, config.Guideline)
	if err != nil {
		return setup(err)
	}
	m.Version = version
	r, err := analyze.Analyze(m, runs, config.Analyze)
	if err != nil {
		return err
	}
	if err := writeReport(report.Reports.Document(r), withJSON(formats), o.out); err != nil {
		return err
	}
	return verdictExit(r)
}
