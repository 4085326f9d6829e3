package reading

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgmpi/analyze"
)

func TestReportsThatWouldFillTheMemoryAreRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), ReportName)
	text, err := json.Marshal(&analyze.Report{Schema: analyze.Schema, Verdicts: []analyze.Verdict{{Guideline: "GL8"}}})
	if err == nil {
		err = os.WriteFile(path, text, 0o666)
	}
	if err != nil {
		t.Fatal(err)
	}
	c := chronicle{seen: map[string]bool{}, tests: mostTests}
	if err := c.night(path); err == nil || !strings.Contains(err.Error(), "fewer") {
		t.Errorf("%v", err)
	}
}
