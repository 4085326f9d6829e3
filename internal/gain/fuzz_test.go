package gain

import (
	"os"
	"path/filepath"
	"testing"

	"pgmpi/internal/fixture/must"
)

// FuzzRemedy: whatever a remedy.json holds, it is refused with its path, or a gain can be computed from it.
func FuzzRemedy(f *testing.F) {
	for _, text := range []string{
		`{"schema":"pgmpi-remedy/1","cells":[{"function":"MPI_Scan","shape":"p2","msize":1024,"np":2,"state":"mended","by":["x"],"gain":2,"gain_lo95":1.5,"gain_hi95":3}],"env":{"X":"y"}}`,
		`{"schema":"pgmpi-remedy/1","cells":[{"function":"MPI_Scan","msize":1024,"np":2,"state":"faster"}]}`,
		`{"schema":"pgmpi-remedy/1","cells":[{"function":"MPI_Scan","msize":-1,"np":0,"state":"a\n"}]}`, "{", "null",
	} {
		f.Add([]byte(text))
	}
	path := filepath.Join(f.TempDir(), "remedy.json")
	f.Fuzz(func(t *testing.T, text []byte) {
		must.Do(t, os.WriteFile(path, text, 0o666))
		r, err := remedyOf(path)
		if err != nil {
			must.Hold(t, r == nil && len(err.Error()) > len(path), "%v", err)
			return
		}
		Join(violated(), r, called())
	})
}
