package overlap

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"pgmpi/analyze/judge"
	"pgmpi/internal/feature/overlap/work"
	"pgmpi/testkit/mpirun"
	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

// overlapped runs `pgmpi overlap` of five repetitions, of which it drops none however long they take, and reads what it wrote.
func overlapped(b *mpirun.Fixture, code int, toml string, args ...string) (mpirun.Said, *Overlap) {
	b.T.Helper()
	file := b.TOML("[job]\nnp = [2]\nmpiruns = 1\n[nrep]\nfixed = 5\n" + toml)
	s := b.Pgmpi(append([]string{"overlap", "--rank", b.Rank, "--out", b.Out, "--guidelines", file, "--format", "table,csv,html"}, args...)...).Exits(b.T, code)
	text := must.Get(os.ReadFile(filepath.Join(b.Out, "overlap.json")))(b.T)
	var o Overlap
	must.Do(b.T, json.Unmarshal(text, &o))
	return s, &o
}

// One mpirun finds what there is to find of every call, and is too few for a verdict. Nothing here asks how long.
func TestOverlapOfEveryNonblockingCollective(t *testing.T) {
	mpirun.BothAtOnce(t, func(t *testing.T, b *mpirun.Fixture) {
		method := work.Methods[b.LibraryIndex()]
		s, o := overlapped(b, 4, "", "--method", method, "--msizes", "8,64Ki", "--tests", "4Ki")
		s.Shows(t, "^OVERLAP: ", "^Iallreduce[, ]", "^Iscatter[, ]").WideLines(t, mpirun.TextWidth)
		if len(o.Cases) != 22 || o.Method != method {
			t.Errorf("%d cases by %s", len(o.Cases), o.Method)
		}
		for _, c := range o.Cases {
			if c.R != 1 || c.Reason != "" {
				t.Errorf("%s at %d: R = %d, %s", c.Function, c.Msize, c.R, c.Reason)
				continue
			}
			r := c.Runs[0]
			should.Hold(t, len(r.Search) == 2 && r.Search[0].Tests == 0 && r.Search[1].Tests == (c.Msize/4096+1),
				"%s at %d: searched %+v", c.Function, c.Msize, r.Search)
			should.Hold(t, (r.Steps > 0) == (method == work.ByWork) && r.None.N == 5 && r.Best.N == 5 && r.None.TestsNS == 0 && (r.Best.Tests <= 0 || r.Best.TestsNS != 0) && r.DoneNS > 0,
				"%s at %d: %+v", c.Function, c.Msize, r)
		}
		again := b.Pgmpi("overlap", b.Out, "--format", "csv").Exits(t, 4)
		stored, err := os.ReadFile(filepath.Join(b.Out, "overlap.csv"))
		should.Hold(t, err == nil && again.Stdout == string(stored), "shown again it differs, or %v", err)
	})
}

// A call that is right by itself, and wrong when it is tested, is named; one that a preloaded library completes is measured.
func TestOverlapVerifiesTheCallsThatItTests(t *testing.T) {
	t.Parallel()
	b := mpirun.New(t, mpirun.Libraries[0])
	const shim = "[mpi]\nenv = { LD_PRELOAD = \"%s/overlap-%s.so\", PGMPI_OVERLAP = \"%s\" }\n"
	for mode, wrong := range map[string]bool{"spoil:0": true, "late:0": true, "wait:1000": false, "helper:1000": false} {
		code := 4
		if wrong {
			code = 3
		}
		b.Out = filepath.Join(b.Dir, mode[:4])
		_, o := overlapped(b, code, fmt.Sprintf(shim, b.Bin, b.Lib.Name, mode), "--functions", "MPI_Bcast,MPI_Reduce", "--msizes", "1Ki", "--tests", "512")
		for _, c := range o.Cases {
			want := wrong && c.Function == "MPI_Ibcast"
			should.Hold(t, c.Wrong == want && (c.NB7.Verdict == judge.Wrong) == want && (c.R == 0) == want, "%s: %s is %+v", mode, c.Function, c)
		}
	}
}
