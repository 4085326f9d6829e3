package reading

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"

	"pgmpi/analyze"
	"pgmpi/analyze/judge"
	"pgmpi/analyze/series"
	"pgmpi/guidelines"
	"pgmpi/internal/conf/glfile"
	"pgmpi/measure/results"
)

// Kept returns what report.json of a check's folder says, without its samples. It returns nil where
// that may not be what a judgement by these settings would say: of another version, older than an
// mpirun, or by other settings.
func Kept(folder *results.Folder, m *results.Manifest, config *glfile.File, version string) *Judgement {
	own, err := ConfigOf(m)
	same := err == nil && m.Version == version && reflect.DeepEqual(own.Analyze, config.Analyze)
	path := filepath.Join(folder.Path, ReportName)
	if !same || config.Gate.Wanted() || !newest(path) {
		return nil
	}
	text, err := readFile(path, MostReport)
	if err != nil {
		return nil
	}
	if _, err := series.ReadCheck(bytes.NewReader(text), path); err != nil { // its limits
		return nil
	}
	r := new(analyze.Report)
	if json.Unmarshal(text, r) != nil || !answers(r, &m.Plan, &config.Analyze) {
		return nil
	}
	if r.Folder, err = Name(folder.Path); err != nil {
		return nil
	}
	nameAlgorithms(r, folder)
	return &Judgement{&analyze.Analysis{Report: r}, folder, m}
}

// newest tells whether a report is no older than the manifest and the mpiruns beside it.
func newest(report string) bool {
	made, err := os.Stat(report)
	if err != nil {
		return false
	}
	for _, name := range []string{ManifestName, "raw"} {
		info, err := os.Stat(filepath.Join(filepath.Dir(report), name))
		if err != nil || info.ModTime().After(made.ModTime()) {
			return false
		}
	}
	return true
}

// answers tells whether a report is about the tests of a plan, by the settings.
func answers(r *analyze.Report, plan *guidelines.Plan, cfg *judge.Config) bool {
	same := r.Method == cfg.Method && r.Alpha == cfg.Alpha && r.MinSlowdown == cfg.MinSlowdown &&
		r.SplitTolerance == cfg.SplitTolerance && (cfg.Test == judge.TestAuto || cfg.Test == r.Test)
	if !same || r.Gate != nil || len(r.Verdicts) != len(plan.Tests) {
		return false
	}
	for i := range r.Verdicts {
		v, t := &r.Verdicts[i], &plan.Tests[i]
		if v.Guideline != t.Guideline || v.Type != t.Type || v.Function != t.Function ||
			v.Msize != t.Msize || v.Shape != t.Shape.String() {
			return false
		}
	}
	return true
}
