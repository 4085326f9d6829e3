package app

import (
	"os"
	"path/filepath"
	"testing"

	"pgmpi/internal/conf/glfile"
	"pgmpi/testkit/must"
)

// FuzzRemedy tries any remedy.json: it is refused with its path, or a gain can be computed from it.
func FuzzRemedy(f *testing.F) {
	for _, text := range []string{
		`{"schema":"pgmpi-remedy/1","cells":[{"function":"MPI_Scan","shape":"p2","msize":1024,"np":2,"state":"mended","by":["x"],"gain":2,"gain_lo95":1.5,"gain_hi95":3}],"env":{"X":"y"}}`,
		`{"schema":"pgmpi-remedy/1","cells":[{"function":"MPI_Scan","msize":1024,"np":2,"state":"faster"}]}`,
		`{"schema":"pgmpi-remedy/1","cells":[{"function":"MPI_Scan","msize":-1,"np":0,"state":"a\n"}]}`, "{", "null",
		`{"schema":"pgmpi-remedy/1","cells":[],"trades":[{"what":"x","folder":"trade-1","mends":[{"function":"MPI_Scan","msize":1024,"np":2,"ratio":2,"ratio_lo95":1.5,"ratio_hi95":3}]}]}`,
		`{"schema":"pgmpi-remedy/1","cells":[],"trades":[{"what":"x","folder":"../a","harms":[{"function":"MPI_Scan","ratio":-2}]}]}`,
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

// FuzzProfile tries any profile: it is refused with its path, or a check can be planned from it.
func FuzzProfile(f *testing.F) {
	for _, text := range []string{profileOfFour, "{", "null",
		`{"schema":"pgmpi-profile/1","processes":2,"ranks":2,"wall_ns":9,"calls":[{"function":"MPI_Reduce","processes":2,"calls":1,"ranks":2,"sum_ns":2}]}`,
		`{"schema":"pgmpi-profile/1","processes":4,"ranks":2,"wall_ns":9,"functions":[{"name":"MPI_Send_c","calls":3,"sum_ns":6}],"messages":[{"function":"MPI_Send","bytes":4096,"pair":"nodes","calls":3,"sum_ns":6}],"calls":[]}`,
		`{"schema":"pgmpi-profile/1","processes":4,"ranks":2,"wall_ns":9,"calls":[{"function":"MPI_Reduce","bytes":16,"processes":4,"communicator":"world","datatype":"MPI_DOUBLE_COMPLEX","op":"MPI_SUM","other_root":2,"root":3,` +
			`"calls":2,"ranks":2,"sum_ns":9,"least_rank_ns":4,"most_rank_ns":5}],"sites":[{"function":"MPI_Reduce","bytes":16,"module":"a","offset":9,"where":"f at a.c:7","calls":2,"sum_ns":9}]}`,
	} {
		f.Add([]byte(text))
	}
	path := filepath.Join(f.TempDir(), "app.prof")
	f.Fuzz(func(t *testing.T, text []byte) {
		must.Do(t, os.WriteFile(path, text, 0o666))
		config := glfile.Default()
		_, err := callsOf(path, &config)
		must.Hold(t, err == nil || len(err.Error()) > len(path), "%v", err)
	})
}
