package reading_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pgmpi/analyze/report/check"
	"pgmpi/internal/conf/glfile"
	"pgmpi/internal/reading"
	"pgmpi/measure/results"
	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

func TestAReportThatMayNotBeOfItsMpirunsIsNotTakenForThem(t *testing.T) {
	later := time.Now().Add(time.Hour)
	rewrite := func(from, to string) func(string, *results.Manifest, *glfile.File) {
		return func(dir string, _ *results.Manifest, _ *glfile.File) {
			path := filepath.Join(dir, reading.ReportName)
			text := string(must.Get(os.ReadFile(path))(t))
			must.Hold(t, strings.Contains(text, from), "no %s", from)
			must.Do(t, os.WriteFile(path, []byte(strings.Replace(text, from, to, 1)), 0o666))
		}
	}
	for name, change := range map[string]func(string, *results.Manifest, *glfile.File){
		"":                func(string, *results.Manifest, *glfile.File) {},
		"another version": func(_ string, m *results.Manifest, _ *glfile.File) { m.Version = "0.1" },
		"other settings":  func(_ string, _ *results.Manifest, c *glfile.File) { c.Analyze.Alpha = .01 },
		"a baseline":      func(_ string, _ *results.Manifest, c *glfile.File) { c.Gate.Baseline = []string{"night"} },
		"a later mpirun": func(dir string, _ *results.Manifest, _ *glfile.File) {
			must.Do(t, os.Chtimes(filepath.Join(dir, "raw"), later, later))
		},
		"no report": func(dir string, _ *results.Manifest, _ *glfile.File) {
			must.Do(t, os.Remove(filepath.Join(dir, reading.ReportName)))
		},
		"no JSON":        rewrite("{", "["),
		"another level":  rewrite(`"alpha": 0.05`, `"alpha": 0.5`),
		"another method": rewrite(`"method": "default"`, `"method": "paper"`),
		"another test":   rewrite(`"guideline": "GL8"`, `"guideline": "GL9"`),
		"another schema": rewrite(`"pgmpi-report/1"`, `"pgmpi-report/9"`),
	} {
		dir := aCheck(t)
		folder, m := must.Two(reading.Open(dir, results.Check))(t)
		config := must.Get(reading.ConfigOf(m))(t)
		j := must.Get(reading.Judge(folder, m, config.Analyze))(t)
		must.Do(t, reading.Keep(folder, check.Reports.Document(j.Report), nil))
		version := m.Version
		change(dir, m, config)
		kept := reading.Kept(folder, m, config, version)
		should.Hold(t, (kept != nil) == (name == ""), "%s: taken %v", name, kept != nil)
		if kept != nil {
			should.Equal(t, kept.Report.Verdicts, j.Report.Verdicts)
		}
	}
}
