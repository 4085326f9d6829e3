package run_test

import (
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"pgmpi/analyze/judge"
	"pgmpi/internal/fixture/bed"
	"pgmpi/internal/fixture/must"
	"pgmpi/internal/reading"
	"pgmpi/measure/results"
)

// Its mpiruns of stage 2 have chosen what others test.
func TestExplorationsAreNotJudgedAsChecks(t *testing.T) {
	bed.Bubble(t, func(t *testing.T, b *bed.Bed) {
		b.Checked(bed.Quick)
		folder, m := must.Two(reading.OpenResults(b.Out))(t)
		m.Exploration = true
		must.Do(t, folder.WriteManifest(m))
		verdicts := map[string]func() error{
			"matrix": func() error { _, err := reading.Sides([]string{b.Out}); return err },
			"figures": func() error {
				_, err := reading.Figures([]string{b.Out}, nil, &results.Folder{Path: t.TempDir()}, nil)
				return err
			},
			"export": func() error {
				_, err := reading.Export([]string{b.Out}, reading.ExportVerdicts, "csv", io.Discard)
				return err
			},
			"compare": func() error { _, err := reading.Judge(folder, m, judge.Default()); return err },
		}
		for name, ask := range verdicts {
			if err := ask(); err == nil || !strings.Contains(err.Error(), "an exploration, and no check: its answer is that of `pgmpi analyze "+b.Out) {
				t.Errorf("%s: %v", name, err)
			}
		}
		for _, what := range []string{reading.ExportSamples, reading.ExportMedians} {
			if n, err := reading.Export([]string{b.Out}, what, "csv", io.Discard); err != nil || n == 0 {
				t.Errorf("%s: %d rows, %v", what, n, err)
			}
		}
		if _, err := reading.Described(folder, m, judge.Default()); err != nil {
			t.Errorf("times: %v", err)
		}
	})
}

func TestHistoryNamesAnExplorationAsSuch(t *testing.T) {
	root := t.TempDir()
	aReport(t, root+"/night", created("2026-01-01T02:00:00Z"), nil)
	aReport(t, root+"/explored", created(""), &results.Manifest{Exploration: true})
	must.Do(t, os.Remove(root+"/explored/"+reading.ReportName))
	if _, skipped := foldersOf(t, root); len(skipped) != 1 || !strings.Contains(fmt.Sprint(skipped), "an exploration: a history is of checks") {
		t.Errorf("skipped: %v", skipped)
	}
}
