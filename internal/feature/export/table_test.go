package export

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgmpi/internal/conf/glfile"
	"pgmpi/testkit/fixture"
	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

// aCheck is a results folder in which GL8 is violated at 8 B and not at 64 B.
func aCheck(t *testing.T) string {
	dir := filepath.Join(t.TempDir(), "out")
	fixture.Folder(t, dir, glfile.Default())
	return dir
}

func TestAnExportHasARowForEachSampleMedianAndVerdict(t *testing.T) {
	dir := aCheck(t)
	const cases, mpiruns, samples = 4, 10, 3
	for what, want := range map[string]int{ofSamples: cases * mpiruns * samples, ofMedians: cases * mpiruns, ofVerdicts: 2} {
		var out bytes.Buffer
		rows, err := export([]string{dir}, what, "csv", &out, func(done, all int) {
			should.Hold(t, done <= all && all > 0, "%s: %d of %d", what, done, all)
		})
		must.Do(t, err)
		should.Equal(t, rows, want, what)
		should.Equal(t, strings.Count(out.String(), "\n"), want+1, what)
	}
}

func TestAnExportIsRefusedWithWhatIsWrong(t *testing.T) {
	dir, damaged := aCheck(t), aCheck(t)
	must.Do(t, os.WriteFile(filepath.Join(damaged, "raw", "run-p2-03.tsv.gz"), []byte("x"), 0o666))
	for _, c := range []struct {
		paths              []string
		what, format, want string
	}{
		{[]string{dir}, "verdict", "csv", "--what: unknown word \"verdict\" (did you mean verdicts?)"},
		{[]string{dir}, ofSamples, "cvs", "--format: "},
		{[]string{dir, dir + "/."}, ofSamples, "csv", dir + " is given twice"},
		{[]string{dir, dir + "x"}, ofSamples, "csv", "there is no folder " + dir + "x"},
		{[]string{dir, damaged}, ofSamples, "csv", damaged + ": "},
	} {
		_, err := export(c.paths, c.what, c.format, &bytes.Buffer{}, func(int, int) {})
		should.Fail(t, err, c.want, c.what)
	}
}
