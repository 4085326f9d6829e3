package reading_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"pgmpi/internal/reading"
	"pgmpi/measure/results"
	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

func TestHistoryNamesWhatIsNoCheck(t *testing.T) {
	root := t.TempDir()
	aReport(t, root+"/night", created("2026-01-01T02:00:00Z"), nil)
	overlap := &results.Manifest{Schema: results.ManifestSchema, Kind: "overlap"}
	aReport(t, root+"/overlap", created(""), overlap)
	must.Do(t, os.Remove(root+"/overlap/"+reading.ReportName))
	_, skipped := foldersOf(t, root)
	should.Hold(t, len(skipped) == 1 && strings.Count(fmt.Sprint(skipped), "is a folder of pgmpi overlap; pgmpi overlap") == 1, "skipped: %v", skipped)
}
