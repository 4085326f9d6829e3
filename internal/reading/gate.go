package reading

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"pgmpi/analyze/judge"
	"pgmpi/analyze/series"
	"pgmpi/internal/conf"
	"pgmpi/internal/conf/glfile"
	"pgmpi/internal/fail"
	"pgmpi/measure/results"
)

// Hold holds the judgement of a folder against its baselines, if there are any.
func (j *Judgement) Hold(g *series.Baselines, config *glfile.File) error {
	if g == nil {
		return nil
	}
	if g.FailOn == series.FailOnTimes {
		cfg := series.CompareConfig{Config: config.Analyze, Alternative: judge.TwoSided}
		if err := j.compare(g, cfg); err != nil {
			return err
		}
	}
	r, err := series.Hold(j.Analysis, g)
	if err == nil {
		j.Analysis = j.With(r)
	}
	return err
}

// compare compares the run-times with every baseline's.
func (j *Judgement) compare(g *series.Baselines, cfg series.CompareConfig) error {
	g.Times = nil
	today := j.Side(j.folder.Path)
	for _, n := range g.Nights {
		folder, m, err := Open(n.Path, results.Checks...)
		if err != nil {
			return err
		}
		before, err := Judge(folder, m, cfg.Config)
		if err != nil {
			return fail.Setupf("the baseline %s: %w", n.Path, err)
		}
		c, err := series.Compare(before.Side(n.Path), today, cfg)
		if err != nil {
			return err
		}
		g.Times = append(g.Times, c)
	}
	return nil
}

// Baselines reads what [gate] names, for the check of a manifest in the folder self; nil:
// it names nothing. What cannot be read, or compared, is an error.
func Baselines(config *glfile.File, m *results.Manifest, self string) (*series.Baselines, error) {
	cfg := config.Gate
	cfg.Baseline = slices.DeleteFunc(slices.Clone(cfg.Baseline), func(s string) bool { return s == "" })
	if !cfg.Wanted() {
		return nil, nil
	}
	g := &series.Baselines{GateConfig: cfg}
	if cfg.Expect != "" {
		text, err := readFile(cfg.Expect, mostExpect)
		if err != nil {
			return nil, fail.Setupf("gate.expect: %w", err)
		}
		if g.Expect, err = glfile.ParseExpect(cfg.Expect, text); err != nil {
			return nil, fail.AsSetup(err)
		}
	}
	b := baselines{Baselines: g, m: m, self: self}
	for _, path := range cfg.Baseline {
		err := b.add(path)
		if errors.Is(err, fs.ErrNotExist) {
			err = fmt.Errorf("%w; before the first of many nights: mkdir %s", err, conf.Quote(path))
		}
		if err != nil {
			return nil, fail.AsSetup(fmt.Errorf("gate.baseline: %w", err))
		}
	}
	slices.SortStableFunc(g.Nights, func(a, b *series.Check) int {
		return cmp.Or(cmp.Compare(b.Night, a.Night), cmp.Compare(b.Created, a.Created))
	})
	for _, n := range g.Nights {
		if _, _, err := Open(n.Path, results.Checks...); err != nil && cfg.FailOn == series.FailOnTimes {
			return nil, fail.Setupf("gate.fail_on = \"times\" compares mpiruns, so a baseline has to be a results folder: %w", err)
		}
	}
	return g, nil
}
