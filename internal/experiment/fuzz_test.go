package experiment_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgmpi/analyze"
	"pgmpi/analyze/judge"
	"pgmpi/analyze/report/check"
	"pgmpi/analyze/report/checks"
	"pgmpi/analyze/report/environment"
	"pgmpi/analyze/series"
	"pgmpi/internal/conf/glfile"
	"pgmpi/internal/document"
	"pgmpi/internal/experiment"
	"pgmpi/internal/experiment/run"
	"pgmpi/internal/fail"
	"pgmpi/internal/reading"
	"pgmpi/measure/results"
	"pgmpi/testkit/bed"
	"pgmpi/testkit/damaged"
	"pgmpi/testkit/must"
)

// FuzzConfiguration: a gl.toml without errors has a campaign, whose manifest can be
// written, read, and gone on with, and has a report before anything is measured.
func FuzzConfiguration(f *testing.F) {
	for _, text := range []string{bed.Quick, glfile.Template(), "[job]\nnp = [2]\nlooks = [3, 6]\n",
		"[[guideline]]\nid = \"=mine\\u202e\"\nmonotony = \"MPI_Scan\"\nmsizes = [8, 16]\n"} {
		f.Add([]byte(text))
	}
	dir, rank := f.TempDir(), bed.RankProgram(f)
	f.Fuzz(func(t *testing.T, text []byte) {
		config := parsed(text)
		if config == nil {
			t.Skip()
		}
		c, err := planned(config, dir, rank, nil)
		if err != nil {
			no := (*fail.Setup)(nil)
			must.Hold(t, errors.As(err, &no), "%T: %v", err, err)
			return
		}
		folder := &results.Folder{Path: dir}
		if err := folder.WriteManifest(c.Manifest); err != nil {
			must.Hold(t, strings.Contains(err.Error(), "run medians"), "%v", err)
			return
		}
		m, err := folder.Manifest()
		must.Do(t, err)
		_, err = planned(parsed(text), dir, rank, m)
		must.Hold(t, err == nil, "it cannot be gone on with: %v", err)
		damaged.Showable(t, dir, shows)
	})
}

// parsed is a configuration of a size that a fuzzer has time for; else nil.
func parsed(text []byte) *glfile.File {
	config, err := glfile.Parse("gl.toml", text)
	if err != nil || config.Validate(nil) != nil || len(config.Job.NP) > 2 || config.Job.MPIRuns > 40 {
		return nil
	}
	if plan, err := config.Plan(append([]int{1}, config.Job.NP...)); err == nil && len(plan.Tests) > 300 {
		return nil
	}
	return config
}

// planned is the dry run of a check, whatever launches it.
func planned(config *glfile.File, dir, rank string, before *results.Manifest) (*run.Campaign, error) {
	config.MPI.Rank, config.MPI.Launch = rank, []string{"true", "{np}"}
	return run.New(context.Background(), experiment.Check, config, run.Options{Path: dir, Before: before, Dry: true})
}

// shows are what is made of one folder. A new document about folders belongs here, or in such a test of its feature.
var shows = []damaged.Show{
	func(path string) ([]*document.Document, error) { // analyze
		j, err := judgedFolder(path)
		if err != nil {
			return nil, err
		}
		return []*document.Document{check.Reports.Document(j.Report)}, nil
	},
	func(path string) ([]*document.Document, error) { // compare
		var sides []*analyze.Side
		for range 2 {
			j, err := judgedFolder(path)
			if err != nil {
				return nil, err
			}
			sides = append(sides, j.Side(path))
		}
		c, err := series.Compare(sides[0], sides[1], series.CompareConfig{Config: judge.Default(), Alternative: judge.TwoSided})
		if err != nil {
			return nil, err
		}
		s, err := series.NewSpread(sides, true)
		if err != nil {
			return nil, err
		}
		return []*document.Document{checks.Comparisons.Document(c), checks.Spreads.Document(s), checks.Matrices.Document(series.NewMatrix(sides))}, nil
	},
	func(path string) ([]*document.Document, error) { // env
		_, m, err := reading.Open(path)
		if err != nil {
			return nil, err
		}
		return []*document.Document{environment.Environments.Document(&environment.Environment{Rank: m.Rank, Factors: m.Factors, Config: m.Config, Doubts: m.Factors.Remarks()})}, nil
	},
	func(path string) ([]*document.Document, error) { // --explain
		j, err := judgedFolder(path)
		if err != nil || len(j.Manifest.Plan.Tests) == 0 {
			return nil, err
		}
		e, err := j.Explain(0)
		if err != nil {
			return nil, err
		}
		return []*document.Document{check.Explanations.Document(e)}, nil
	},
}

func judgedFolder(path string) (*reading.Judgement, error) {
	folder, m, err := reading.Open(path)
	if err != nil {
		return nil, err
	}
	return reading.Judge(folder, m, judge.Default())
}

// beside are what may lie in a folder besides manifest and raw files. Who reads one more adds it here.
var beside = []damaged.File{
	{Name: reading.WhichName, Read: func(dir string) error { _, err := judgedFolder(dir); return err }, Seeds: []string{
		`{"schema":"pgmpi-which/1","rows":[{"collective":"MPI_Reduce","shape":"p2","msize":8,"algorithms":["binomial+8Ki+fan2"],"by":"tree"}]}`,
		`{"schema":"pgmpi-which/1","rows":[{"collective":"MPI_Reduce","shape":"p2","msize":8,"algorithms":["a\n"]}]}`}},
	{Name: results.ABFile, Read: func(dir string) error { _, _, _, err := experiment.Compares([]string{dir}); return err }, Seeds: []string{
		`{"schema":"pgmpi-ab/1","a":"A","b":"B","predict_order":["ab"],"measure_order":["ba"]}`,
		`{"schema":"pgmpi-ab/1","name":"x","levels":["A"],"measure_order":["a"]}`}},
	{Name: reading.ReportName, Read: func(dir string) error {
		text, err := os.ReadFile(filepath.Join(dir, reading.ReportName))
		if err == nil {
			_, err = series.ReadCheck(bytes.NewReader(text), dir)
		}
		return err
	}, Seeds: []string{
		`{"schema":"pgmpi-report/1","shapes":[{"np":2}],"verdicts":[{"guideline":"GL8","verdict":"kept"}]}`}},
}

func FuzzFolder(f *testing.F) { damaged.Folder(f, beside, shows) }
