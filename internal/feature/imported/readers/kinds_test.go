package readers

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pgmpi/guidelines"
	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

// Each condition of a rule about jobs and folders has here a case that it alone decides.

// of measures functions at 8 B.
func of(datatype, op string, root int, functions ...string) *measurement {
	var keys []timedKey
	for _, f := range functions {
		keys = append(keys, timedKey{f, 8})
	}
	m := ran("", keys...)
	m.Datatype, m.Op, m.Root = datatype, op, root
	return m
}

// kindsOf lists the jobs: datatype, operator, root and functions.
func kindsOf(all ...*measurement) string {
	var out []string
	for _, j := range jobs(all) {
		var names []string
		for _, run := range j.runs {
			for c := range run {
				names = append(names, strings.TrimPrefix(c.function, "MPI_"))
			}
		}
		slices.Sort(names)
		out = append(out, strings.TrimSpace(fmt.Sprintf("%s %s %d %s", j.Datatype, j.Op, j.Root, strings.Join(names, "+"))))
	}
	return strings.Join(out, "; ")
}

func TestAKindIsThatOfAnyCollectiveInAFile(t *testing.T) {
	for name, c := range map[string]struct {
		all  []*measurement
		want string
	}{
		"a reduction first": {[]*measurement{of("a", "sum", 0, "MPI_Allreduce", "MPI_Allgather"), of("b", "sum", 0,
			"MPI_Allreduce")},
			"a sum 0 Allgather+Allreduce; b sum 0 Allreduce"},
		"a reduction last": {[]*measurement{of("a", "sum", 0, "MPI_Allgather", "MPI_Allreduce"), of("b", "sum", 0,
			"MPI_Allreduce")},
			"a sum 0 Allgather+Allreduce; b sum 0 Allreduce"},
		"a root first":     {[]*measurement{of("a", "", 3, "MPI_Bcast", "MPI_Allgather")}, "a  3 Allgather+Bcast"},
		"a root last":      {[]*measurement{of("a", "", 3, "MPI_Allgather", "MPI_Bcast")}, "a  3 Allgather+Bcast"},
		"a root of nobody": {[]*measurement{of("a", "", 3, "MPI_Allgather")}, "a  0 Allgather"},
		"a mock-up of a reduction": {[]*measurement{of("a", "sum", 0, "reduce_as_allreduce"), of("b", "sum", 0,
			"reduce_as_allreduce")},
			"a sum 0 reduce_as_allreduce; b sum 0 reduce_as_allreduce"},
		"nothing":           {[]*measurement{of("a", "sum", 3)}, "0"},
		"nothing, and more": {[]*measurement{of("z", "", 0), of("a", "", 0, "MPI_Allgather")}, "a  0 Allgather"},
		"roots of datatypes": {[]*measurement{of("a", "sum", 0, "MPI_Reduce"), of("b", "sum", 3, "MPI_Reduce")},
			"a sum 0 Reduce; b sum 3 Reduce"},
		"a move of the one datatype": {[]*measurement{of("a", "sum", 0, "MPI_Allreduce"), of("b", "", 0, "MPI_Allgather")},
			"a sum 0 Allgather+Allreduce"},
		"moves of two others": {[]*measurement{of("a", "sum", 0, "MPI_Allreduce"), of("b", "", 0, "MPI_Allgather"),
			of("c", "", 0, "MPI_Allgather")},
			"a sum 0 Allreduce; b  0 Allgather; c  0 Allgather"},
	} {
		should.Equal(t, kindsOf(c.all...), c.want, name)
	}
	empty := of("z", "", 0)
	empty.unused = []string{"PingPong"}
	should.Equal(t, jobs([]*measurement{empty, of("a", "sum", 0, "MPI_Allreduce")})[0].unused, []string{"PingPong"})
}

func TestSomeKindsOfManyAreReadAndTheRestIsNoted(t *testing.T) {
	for n, noted := range map[int]bool{mostKinds: false, mostKinds + 1: true} {
		var datatypes, roots []*measurement
		for i := range n {
			datatypes = append(datatypes, of(fmt.Sprint("t", i), "", 0, "MPI_Allreduce"))
			roots = append(roots, of("a", "", i, "MPI_Bcast"))
		}
		for _, all := range [][]*measurement{datatypes, roots} {
			got := jobs(all)
			should.Equal(t, len(got), mostKinds)
			should.Equal(t, strings.Contains(strings.Join(got[0].notes, ""), "at most 64 of each are read"), noted, "%d", n)
		}
	}
}

func TestAJobIsNamedByItsRootAndItsOperator(t *testing.T) {
	j := &Job{Setting: Setting{Folder: "f", Buffers: "CUDA", kind: kind{Op: "sum"}, Shape: guidelines.Shape{NP: 2}}}
	for root, want := range map[int]string{0: "f-CUDA-p2-sum", 1: "f-CUDA-p2-sum-root1"} {
		j.Root = root
		should.Equal(t, j.Name(), want)
	}
}

func TestSkippedLinesOfAJobAreCountedAndAFewShown(t *testing.T) {
	a, b := ran("", timedKey{"MPI_Bcast", 8}), ran("", timedKey{"MPI_Bcast", 8})
	a.skipped, b.skipped = skipped{3, []string{"1", "2", "3"}}, skipped{4, []string{"4", "5", "6", "7"}}
	j := jobs([]*measurement{a, b})[0]
	should.Hold(t, j.skipped.n == 7 && strings.Join(j.skipped.first, "") == "12345", "%+v", j.skipped)
}

func TestADatesOriginIsRemarked(t *testing.T) {
	for d, want := range map[dated]string{byData: "", byFile: "the time of their oldest file.",
		byName: "the date in the name of a file or folder."} {
		text := strings.Join((&Job{dated: d}).remarks(), "\n")
		should.Hold(t, strings.HasSuffix(text, want) && (text == "") == (want == ""), "%q", text)
	}
	for week, want := range map[[2]int]string{{2021, 1}: "2021-01-04", {2026, 1}: "2025-12-29", {2026,
		2}: "2026-01-05", {2020, 53}: "2020-12-28"} {
		should.Equal(t, monday(week[0], week[1]).Format(time.DateOnly), want, "%v", week)
	}
	for path, want := range map[string]string{"/2024-05-06": "2024-05-06", "2024-5-6": "",
		"a/2024_05_06/b/c": "2024-05-06", "x2024.05.06y": "2024-05-06",
		"12024-05-06": "", "2024-05-061": "", "12026-W14": "", "2026-W141": "", "/": "", ".": ""} {
		when, ok := dateIn(path)
		should.Hold(t, ok == (want != "") && (!ok || when.Format(time.DateOnly) == want), "%s: %s", path, when)
	}
}

func TestDataWithoutATestSayWhy(t *testing.T) {
	for name, c := range map[string]struct {
		all  *measurement
		want string
	}{
		"regular calls": {of("a", "", 0, "MPI_Bcast", "MPI_Alltoallv"), "the data allow no test: "},
		"others": {of("a", "", 0, "MPI_Scatterv", "MPI_Alltoallv"),
			"no guideline is about Alltoallv, Scatterv alone"},
	} {
		_, err := jobs([]*measurement{c.all})[0].Manifest(guidelines.Config{Guidelines: []string{"GL8"}}, nil)
		should.Fail(t, err, c.want, name)
	}
}

func TestFoldersHaveADeepestOneInCommon(t *testing.T) {
	for paths, want := range map[[2]string]string{{"/a/b", "/a/c"}: "/a", {"/a/b/c", "/a"}: "/a", {"/a", "/a/b"}: "/a",
		{"/a", "/b"}: "/", {"a/b", "a/b"}: "a/b",
		{"a", "b"}: ".", {"/x/long/way", "/y"}: "/"} {
		should.Equal(t, common(paths[0], paths[1]), want, "%v", paths)
	}
}

func TestAReasonOfSeveralFilesIsGivenOnce(t *testing.T) {
	in := func(path, why string) error { return &damaged{path, 0, errors.New(why)} }
	should.Equal(t, reasons([]error{nil, in("a", "cut"), in("b", "empty"), errors.New("c is gone"), in("d", "cut")}),
		[]string{"c is gone", "a: cut; so in 1 other file", "b: empty"})
}

func TestAJobNotesTheDamagedFilesOfItsFolder(t *testing.T) {
	dir := t.TempDir()
	for name, its := range map[string]string{"a/good": twoTables, "b/good": twoTables,
		"a/bad": "# OSU MPI Bcast Latency Test v5\n# Processes: 0\n"} {
		must.Do(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o777))
		must.Do(t, os.WriteFile(filepath.Join(dir, name), []byte(its), 0o666))
	}
	all, leftOut, err := Each([]string{dir}, Given{Shape: guidelines.Shape{NP: 4}}, func(j *Job, _ bool) (*Job,
		error) {
		return j, nil
	})
	must.Hold(t, err == nil && len(all) == 2 && len(leftOut) == 1, "%v, %v, %q", err, all, leftOut)
	for _, j := range all {
		noted := strings.Contains(strings.Join(j.notes, "\n"), "Left out: 1 file; the first: ")
		should.Equal(t, noted, j.Folder == "a", "%s: %q", j.Folder, j.notes)
	}
}
