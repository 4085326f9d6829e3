package experiment_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgmpi/analyze"
	"pgmpi/analyze/judge"
	"pgmpi/analyze/report/calls"
	"pgmpi/analyze/report/check"
	"pgmpi/analyze/report/checks"
	"pgmpi/analyze/samples"
	"pgmpi/analyze/series"
	"pgmpi/guidelines"
	"pgmpi/internal/clean"
	"pgmpi/internal/conf"
	"pgmpi/internal/conf/glfile"
	"pgmpi/internal/document"
	"pgmpi/internal/experiment"
	"pgmpi/internal/experiment/run"
	"pgmpi/internal/fail"
	"pgmpi/internal/fixture/bed"
	"pgmpi/internal/fixture/must"
	"pgmpi/internal/reading"
	"pgmpi/measure/protocol"
	"pgmpi/measure/results"
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
		showable(t, dir)
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

// shows are what is made of one folder. A new document about folders belongs here.
var shows = []func(path string) ([]*document.Document, error){
	func(path string) ([]*document.Document, error) { // analyze, times
		j, err := judgedFolder(path)
		if err != nil {
			return nil, err
		}
		t, err := samples.NewTimes(j.Side(path), true)
		if err != nil {
			return nil, err
		}
		return []*document.Document{check.Reports.Document(j.Report), calls.RunTimes.Document(t)}, nil
	},
	func(path string) ([]*document.Document, error) { // fingerprint
		folder, m, err := reading.Open(path)
		if err != nil || len(m.Plan.Cases) == 0 {
			return nil, err
		}
		k := m.Plan.Cases[0]
		x := experiment.Fingerprint(fmt.Sprintf("%s:%s:%s", k.Function, conf.FormatSize(k.Msize), k.Shape))
		found, err := x.Judge(run.Read(x, folder, m, nil))
		if err != nil {
			return nil, err
		}
		return []*document.Document{found.Document}, nil
	},
	func(path string) ([]*document.Document, error) { // compare, reproduce, matrix, figures
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
		g := checks.NewGallery(sides, nil)
		return []*document.Document{checks.Comparisons.Document(c), checks.Spreads.Document(s), checks.Matrices.Document(series.NewMatrix(sides)), checks.Galleries.Document(g)}, nil
	},
	func(path string) ([]*document.Document, error) { // env
		_, m, err := reading.Open(path)
		if err != nil {
			return nil, err
		}
		return []*document.Document{check.Environments.Document(&check.Environment{Rank: m.Rank, Factors: m.Factors, Config: m.Config, Doubts: m.Factors.Remarks()})}, nil
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

// showable makes everything that there is of a folder.
func showable(t *testing.T, path string) {
	t.Helper()
	table := must.Get(check.Reports.Format("table"))(t)
	for _, show := range shows {
		documents, err := show(path)
		for _, d := range documents {
			var text strings.Builder
			must.Do(t, table.Write(&text, d))
			must.Hold(t, !strings.ContainsFunc(text.String(), func(r rune) bool { return r != '\n' && clean.Hidden(r) }), "%s: %q", d.Name, text.String())
		}
		must.Hold(t, err == nil || err.Error() != "", "an error without a word")
	}
}

// beside are the files that may lie beside the manifest and raw files, what reads them, and what they may hold. Who reads
// one more adds it here.
var beside = []struct {
	name  string
	read  func(dir string) error
	seeds []string
}{
	{reading.WhichName, func(dir string) error { _, err := judgedFolder(dir); return err }, []string{
		`{"schema":"pgmpi-which/1","rows":[{"collective":"MPI_Reduce","shape":"p2","msize":8,"algorithms":["binomial+8Ki+fan2"],"by":"tree"}]}`,
		`{"schema":"pgmpi-which/1","rows":[{"collective":"MPI_Reduce","shape":"p2","msize":8,"algorithms":["a\n"]}]}`}},
	{results.ABFile, func(dir string) error { _, _, _, err := experiment.Compares([]string{dir}); return err }, []string{
		`{"schema":"pgmpi-ab/1","a":"A","b":"B","predict_order":["ab"],"measure_order":["ba"]}`,
		`{"schema":"pgmpi-ab/1","name":"x","levels":["A"],"measure_order":["a"]}`}},
	{reading.ReportName, func(dir string) error {
		text, err := os.ReadFile(filepath.Join(dir, reading.ReportName))
		if err == nil {
			_, err = series.ReadCheck(bytes.NewReader(text), dir)
		}
		return err
	}, []string{
		`{"schema":"pgmpi-report/1","shapes":[{"np":2}],"verdicts":[{"guideline":"GL8","verdict":"kept"}]}`}},
}

// FuzzFolder: whatever a results folder holds, reading it ends, with a document or
// an error.
func FuzzFolder(f *testing.F) {
	p2 := guidelines.Shape{NP: 2}
	config := must.Get(json.Marshal(glfile.Default()))(f)
	m := results.Manifest{Schema: results.ManifestSchema, R: 1, Config: config, Plan: guidelines.Plan{Shapes: []guidelines.Shape{p2}, Datatype: "byte", Op: "bor",
		Cases: []guidelines.Case{{Function: "MPI_Reduce", Msize: 8, Shape: p2}, {Function: "reduce_as_allreduce", Msize: 8, Shape: p2}},
		Tests: []guidelines.Test{{Guideline: "GL8", Type: guidelines.Pattern, Function: "MPI_Reduce", Mockup: "reduce_as_allreduce", Msize: 8, Shape: p2, Others: []int{1}}}}}
	m.Factors.Layouts = append(m.Factors.Layouts, *bed.OneHost(2))
	header := results.Header{Schema: results.RawSchema, Mode: protocol.ModeMeasure, Shape: p2, Run: 1}
	for i, c := range m.Plan.Cases {
		header.Cases = append(header.Cases, results.CaseInfo{Plan: i, Function: c.Function, Msize: c.Msize, CaseResult: protocol.CaseResult{Case: i, Status: protocol.StatusOK, NRep: 1}})
	}
	manifest, err1 := json.Marshal(m)
	head, err2 := json.Marshal(header)
	must.Do(f, errors.Join(err1, err2))
	rows := append(append([]byte("#"), head...), "\n0\t0\t5\t0\n1\t0\t4\t0\n#end rows=2\n"...)
	f.Add(manifest, rows, uint8(0), []byte(nil))
	f.Add(bytes.ReplaceAll(manifest, []byte("MPI_Reduce"), []byte("\u009b31m\u202e=x")), []byte("#{}"), uint8(0), []byte(nil))
	for i, file := range beside {
		for _, seed := range file.seeds {
			f.Add(manifest, rows, uint8(i), []byte(seed))
		}
	}
	dir := f.TempDir()
	must.Do(f, os.Mkdir(filepath.Join(dir, "raw"), 0o777))
	f.Fuzz(func(t *testing.T, manifest, raw []byte, which uint8, more []byte) {
		var packed bytes.Buffer
		z := gzip.NewWriter(&packed)
		_, err1 := z.Write(raw)
		must.Do(t, errors.Join(err1, z.Close(), os.WriteFile(filepath.Join(dir, "manifest.json"), manifest, 0o666),
			os.WriteFile(filepath.Join(dir, "raw", "run-p2-01.tsv.gz"), packed.Bytes(), 0o666)))
		file := beside[int(which)%len(beside)]
		path := filepath.Join(dir, file.name)
		must.Do(t, os.WriteFile(path, more, 0o666))
		defer os.Remove(path)
		err := file.read(dir)
		must.Hold(t, err == nil || err.Error() != "", "an error without a word")
		showable(t, dir)
	})
}
