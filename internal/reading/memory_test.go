package reading

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"pgmpi/analyze"
	"pgmpi/analyze/judge"
	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

func TestReportsThatWouldFillTheMemoryAreRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), ReportName)
	text, err := json.Marshal(&analyze.Report{Schema: analyze.Schema, Origin: analyze.Origin{Created: "2026-01-01T02:00:00Z"}, Verdicts: []analyze.Verdict{{Guideline: "GL8", Verdict: judge.Kept}}})
	if err == nil {
		err = os.WriteFile(path, text, 0o666)
	}
	must.Do(t, err)
	c := chronicle{seen: map[string]bool{}, tests: mostTests}
	should.Fail(t, c.night(path), "fewer")
}
