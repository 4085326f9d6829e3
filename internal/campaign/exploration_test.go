package campaign

import (
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"pgmpi/analyze/judge"
	"pgmpi/measure/results"
)

// Its mpiruns of stage 2 have chosen what others test.
func TestExplorationsAreNotJudgedAsChecks(t *testing.T) {
	bubble(t, func(t *testing.T, b *bed) {
		b.checked(quick)
		folder, m, err := OpenResults(b.out)
		if err != nil {
			t.Fatal(err)
		}
		m.Exploration = true
		if err := folder.WriteManifest(m); err != nil {
			t.Fatal(err)
		}
		verdicts := map[string]func() error{
			"matrix": func() error { _, err := Sides([]string{b.out}); return err },
			"figures": func() error {
				_, err := Figures([]string{b.out}, nil, &results.Folder{Path: t.TempDir()}, nil)
				return err
			},
			"export":  func() error { _, err := Export([]string{b.out}, ExportVerdicts, "csv", io.Discard); return err },
			"compare": func() error { _, err := Judge(folder, m, judge.Default()); return err },
		}
		for name, ask := range verdicts {
			if err := ask(); err == nil || !strings.Contains(err.Error(), "an exploration, and no check: its answer is that of `pgmpi analyze "+b.out) {
				t.Errorf("%s: %v", name, err)
			}
		}
		for _, what := range []string{ExportSamples, ExportMedians} {
			if n, err := Export([]string{b.out}, what, "csv", io.Discard); err != nil || n == 0 {
				t.Errorf("%s: %d rows, %v", what, n, err)
			}
		}
		if _, err := Described(folder, m, judge.Default()); err != nil {
			t.Errorf("times: %v", err)
		}
	})
}

func TestHistoryNamesAnExplorationAsSuch(t *testing.T) {
	root := t.TempDir()
	aReport(t, root+"/night", created("2026-01-01T02:00:00Z"), nil)
	aReport(t, root+"/explored", created(""), &results.Manifest{Exploration: true})
	if err := os.Remove(root + "/explored/" + reportName); err != nil {
		t.Fatal(err)
	}
	if _, skipped := foldersOf(t, root); len(skipped) != 1 || !strings.Contains(fmt.Sprint(skipped), "an exploration: a history is of checks") {
		t.Errorf("skipped: %v", skipped)
	}
}
