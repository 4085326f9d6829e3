package reading

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"pgmpi/analyze"
	"pgmpi/analyze/judge"
	"pgmpi/analyze/series"
	"pgmpi/internal/conf"
	"pgmpi/internal/conf/glfile"
	"pgmpi/internal/fail"
	"pgmpi/measure/results"
)

// Hold holds the judgement of a folder against what [gate] names; nil: nothing.
func (j *Judgement) Hold(g *series.Against, config *glfile.File) error {
	if g == nil {
		return nil
	}
	if g.FailOn == series.FailOnTimes {
		cfg := series.CompareConfig{Config: config.Analyze, Alternative: judge.TwoSided}
		if err := j.compare(g, cfg); err != nil {
			return err
		}
	}
	return series.Hold(j.Analysis, g)
}

// compare compares the run-times with those of every baseline.
func (j *Judgement) compare(g *series.Against, cfg series.CompareConfig) error {
	g.Times = nil
	today := &analyze.Side{Name: j.folder.Path, Analysis: j.Analysis}
	for _, n := range g.Nights {
		folder, m, err := Open(n.Folder, results.Check)
		if err != nil {
			return err
		}
		before, err := Judge(folder, m, cfg.Config)
		if err != nil {
			return fail.Setupf("the baseline %s: %w", n.Folder, err)
		}
		c, err := series.Compare(&analyze.Side{Name: n.Folder, Analysis: before.Analysis}, today, cfg)
		if err != nil {
			return err
		}
		g.Times = append(g.Times, c)
	}
	return nil
}

// Against reads what [gate] names, for the check of a manifest in the folder self; nil:
// it names nothing. What cannot be read, or compared, is an error.
func Against(config *glfile.File, m *results.Manifest, self string) (*series.Against, error) {
	cfg := config.Gate
	cfg.Baseline = slices.DeleteFunc(slices.Clone(cfg.Baseline), func(s string) bool { return s == "" })
	if !cfg.Wanted() {
		return nil, nil
	}
	g := &series.Against{GateConfig: cfg}
	if cfg.Expect != "" {
		text, err := readFile(cfg.Expect, mostExpect)
		if err != nil {
			return nil, fail.Setupf("gate.expect: %w", err)
		}
		if g.Expect, err = glfile.ParseExpect(cfg.Expect, text); err != nil {
			return nil, fail.AsSetup(err)
		}
	}
	b := baselines{Against: g, m: m, self: self}
	for _, path := range cfg.Baseline {
		err := b.add(path)
		if errors.Is(err, fs.ErrNotExist) {
			err = fmt.Errorf("%w; before the first of many nights: mkdir %s", err, conf.Quote(path))
		}
		if err != nil {
			return nil, fail.AsSetup(fmt.Errorf("gate.baseline: %w", err))
		}
	}
	series.NewestFirst(g.Nights)
	for _, n := range g.Nights {
		if _, _, err := Open(n.Folder, results.Check); err != nil && cfg.FailOn == series.FailOnTimes {
			return nil, fail.Setupf("gate.fail_on = \"times\" compares mpiruns, so a baseline has to be a results folder: %w", err)
		}
	}
	return g, nil
}
