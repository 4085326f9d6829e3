package main

import (
	"fmt"
	"slices"

	"github.com/spf13/pflag"

	"pgmpi/analyze"
	"pgmpi/analyze/report"
	"pgmpi/guidelines"
	"pgmpi/internal/campaign"
)

func (o *output) explains(fs *pflag.FlagSet) {
	fs.StringArrayVar(&o.explain, "explain", nil,
		"show what the verdicts of a `SELECTOR` rest on: GUIDELINE[:FUNCTION]:MSIZE[:SHAPE], such as GL8:4Ki or GL1:MPI_Bcast:1Ki:p2; may be given again")
}

// selected returns the tests that the selectors of --explain name, by index
// into the Plan's, each once.
func selected(plan *guidelines.Plan, selectors []string) ([]int, error) {
	var tests []int
	for _, s := range selectors {
		found, err := analyze.Select(plan, s)
		if err != nil {
			return nil, setupf("--explain: %w", err)
		}
		for _, i := range found {
			if !slices.Contains(tests, i) {
				tests = append(tests, i)
			}
		}
	}
	return tests, nil
}

// explain shows what the verdicts on tests rest on.
func explain(f report.Format, j *campaign.Judgement, tests []int) error {
	f = orUsual(report.Explanations, f.Name)
	for n, i := range tests {
		e, err := j.Explain(i)
		if err != nil {
			return err
		}
		if n > 0 {
			fmt.Fprintln(stdout)
		}
		if err := show(report.Explanations.Document(e), f); err != nil {
			return err
		}
	}
	return nil
}
