package results

import (
	"compress/gzip"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

// Numbers that are no run-time do not get past the reader; 0 may stand for a
// sample that was late, so the analysis refuses it.
func TestRunTimesThatAreNoneAreRefusedWithTheirPlace(t *testing.T) {
	head := must.Get(json.Marshal(sampleRun().Header))(t)
	path := filepath.Join(t.TempDir(), "run-p2-03.tsv.gz")
	timed := sampleRun().Header
	timed.WallNS = 1e9
	writeRows(t, path, must.Get(json.Marshal(timed))(t), "999999999999999999")
	_, err := ReadRaw(path, 1<<20)
	should.Fail(t, err, path+":3: a call that took 277777h46m39.999999999s, in an mpirun of ")
	for _, ns := range []string{"NaN", "Inf", "-Inf", "-250", "", "2.5", "1e3", "1234567890123456789012"} {
		writeRows(t, path, head, ns)
		_, err := ReadRaw(path, 1<<20)
		want := fmt.Sprintf("%s:3: case MPI_Bcast at 8 B, repetition 1: %q is no run-time", path, ns)
		should.Hold(t, err != nil && strings.HasPrefix(err.Error(), want), "%q: %v, want %s", ns, err, want)
	}
}

// writeRows writes a raw file with a sample of 250 ns and another.
func writeRows(t *testing.T, path string, head []byte, ns string) {
	t.Helper()
	f := must.Get(os.Create(path))(t)
	z := gzip.NewWriter(f)
	fmt.Fprintf(z, "#%s\n0\t0\t250\t0\n0\t1\t%s\t0\n#end rows=2\n", head, ns)
	must.Do(t, z.Close())
	must.Do(t, f.Close())
}
