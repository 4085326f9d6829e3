package main

import (
	"os"

	"pgmpi/analyze/report"
	"pgmpi/internal/campaign"
	"pgmpi/internal/conf"
	"pgmpi/measure/results"
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
	r, err := campaign.Import(paths, config, version)
	if err != nil {
		return err
	}
	if o.out != "" {
		if err := os.MkdirAll(o.out, 0o777); err != nil {
			return setup(err)
		}
		if err := campaign.StoreReport(&results.Folder{Path: o.out}, r, formats); err != nil {
			return err
		}
	}
	if err := show(report.Reports.Document(r), formats[0]); err != nil {
		return err
	}
	return verdictExit(r)
}
