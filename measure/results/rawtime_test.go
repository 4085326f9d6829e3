package results

import (
	"compress/gzip"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgmpi/internal/fixture/must"
	"pgmpi/internal/fixture/should"
)

// Numbers that are no run-time do not get past the reader; 0 may stand for a
// sample that was late, so the analysis refuses it.
func TestRunTimesThatAreNoneAreRefusedWithTheirPlace(t *testing.T) {
	head := must.Get(json.Marshal(sampleRun().Header))(t)
	path := filepath.Join(t.TempDir(), "run-p2-03.tsv.gz")
	for _, ns := range []string{"NaN", "Inf", "-Inf", "-250", "", "2.5", "1e3", "1234567890123456789012"} {
		f, err := os.Create(path)
		must.Do(t, err)
		z := gzip.NewWriter(f)
		fmt.Fprintf(z, "#%s\n0\t0\t250\t0\n0\t1\t%s\t0\n#end rows=2\n", head, ns)
		must.Do(t, z.Close())
		must.Do(t, f.Close())
		_, err = ReadRaw(path)
		want := fmt.Sprintf("%s:3: case MPI_Bcast at 8 B, repetition 1: %q is no run-time", path, ns)
		should.Hold(t, err != nil && strings.HasPrefix(err.Error(), want), "%q: %v, want %s", ns, err, want)
	}
}
