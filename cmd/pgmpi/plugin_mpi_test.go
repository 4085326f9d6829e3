package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgmpi/internal/fixture/must"
	"pgmpi/internal/fixture/should"
	"pgmpi/internal/phrase"
	"pgmpi/measure/protocol"
	"pgmpi/mockups"
)

// mpicc is the compiler wrapper of the library, as mpirunOf names its mpirun.
func (l library) mpicc() string {
	mpirun, _, _ := strings.Cut(l.mpi, " ")
	return strings.Replace(mpirun, "mpirun", "mpicc", 1)
}

// plugin compiles testdata/plugin with a library's wrapper, and returns the path.
func (b *fixture) plugin(l library, name string, flags ...string) string {
	b.t.Helper()
	path := filepath.Join(b.dir, name)
	args := append([]string{"-std=c11", "-Wall", "-Wextra", "-Werror", "-fPIC", "-shared", "-I../../mockups/c", "-o", path, "../../testdata/plugin/plugin.c"}, flags...)
	if said, err := exec.Command(l.mpicc(), args...).CombinedOutput(); err != nil {
		b.t.Fatalf("%v: %s", err, said)
	}
	return path
}

// ownScans are guidelines of MPI_Scan against rows of a file.
func ownScans(file string, names ...string) string {
	ids, text := []string{}, onlyUsers
	for _, name := range names {
		ids = append(ids, "scan_as_"+name)
		text += fmt.Sprintf("[[guideline]]\nid = %q\npattern = { function = \"MPI_Scan\", mockup = \"scan_as_%s\" }\n", name, name)
	}
	return text + fmt.Sprintf("[[mockup]]\nfile = %q\nids = [%s]\n", file, phrase.Join(", ", "%q", ids))
}

// verifyOwn has a row of a file verified with numbers of processes, at the first and the last root.
func (b *fixture) verifyOwn(file, id string, nps ...int) {
	b.t.Helper()
	d, _ := mockups.GetDatatype("int")
	for _, np := range nps {
		for _, root := range slices.Compact([]int{0, np - 1}) {
			j := verifyJob(np, d, "sum", root, true)
			j.Mockups = []protocol.Mockups{{File: file, IDs: []string{id}}}
			j.Cases, j.Order = nil, nil
			for i, count := range []int64{0, 1, 2, 840, 841} {
				j.Order = append(j.Order, i)
				j.Cases = append(j.Cases, protocol.JobCase{Function: id, Msize: count * d.Bytes, NRep: 2})
			}
			out := must.Get(b.runJob(np, j))(b.t)
			for _, c := range out.Cases {
				if c.Status != protocol.StatusOK {
					b.t.Errorf("p = %d, root %d, %d bytes: %s (%s)", np, root, j.Cases[c.Case].Msize, c.Status, c.Message)
				}
			}
		}
	}
}

// The example is built and used as its README says, but for its sizes.
func TestExampleOfAnOwnMockupIsBuiltVerifiedAndMeasured(t *testing.T) {
	bothAtOnce(t, func(t *testing.T, b *fixture) {
		for _, name := range []string{"ring.c", "Makefile"} {
			text, err := os.ReadFile(filepath.Join("../../examples/plugin", name))
			if err == nil {
				err = os.WriteFile(filepath.Join(b.dir, name), text, 0o666)
			}
			must.Do(t, err)
		}
		header, _ := filepath.Abs("../../mockups/c")
		b.run("make", "-C", b.dir, "MPICC="+b.lib.mpicc(), "PGMPI="+header).exits(t, 0)
		text := must.Get(os.ReadFile("../../examples/plugin/gl.toml"))(t)
		gl := b.toml(strings.NewReplacer(`msizes = ["64Ki..4Mi*4"]`, `msizes = ["1", "24", "64Ki"]`).Replace(string(text)) + "[nrep]\nfixed = 10\n[analyze]\nmethod = \"paper\"\n")
		should.Contain(t, b.pgmpi("list", "--guidelines", gl).exits(t, 0).stdout, "libring.so")
		b.verifyOwn(filepath.Join(b.dir, "libring.so"), "reduce_as_ring", 1, 3)
		b.check("--guidelines", gl, "--np", "2", "--mpiruns", "3").exits(t, 0, 1)
		for _, v := range b.report().Verdicts {
			should.Hold(t, v.Mockup == "reduce_as_ring" && v.MedianS != nil && v.OtherMedianS != nil, "it was not measured: %+v", v)
		}
		file := filepath.Join(b.dir, "libring.so")
		should.Contain(t, b.pgmpi("env", b.out, "--full").exits(t, 0).stdout, "libring.so, hash ")
		b.removeRuns()
		if f, err := os.OpenFile(file, os.O_APPEND|os.O_WRONLY, 0); err != nil {
			t.Fatal(err)
		} else if _, err := f.WriteString("changed"); err != nil || f.Close() != nil {
			t.Fatal(err)
		}
		b.check("--guidelines", gl, "--np", "2", "--mpiruns", "3", "--resume").exits(t, 3).says(t, "libring.so: it has changed", "--out")
	})
}

func TestOwnMockupWithAFaultIsNamedAndLeftOut(t *testing.T) {
	bothAtOnce(t, func(t *testing.T, b *fixture) {
		b.plugin(b.lib, "libmine.so")
		gl := b.toml(ownScans("libmine.so", "right", "wrong", "crash", "abort", "error", "greedy", "refuse"))
		s := b.check("--guidelines", gl).exits(t, 3).says(t, "scan_as_wrong at 1 KiB gave wrong data", "libmine.so", "exclude")
		for _, name := range []string{"crash", "abort"} {
			s.says(t, "scan_as_"+name+" crashes: the mpirun is repeated without it")
		}
		want := map[string]string{"crash": "a call ended the mpirun: a rank crashed (SIGSEGV)", "abort": "a call ended the mpirun", "error": "MPI_ERR_OTHER", "greedy": "more temporaries than the temps of its row say", "refuse": "prepare: "}
		r := b.report()
		for _, c := range append(r.NotMeasured, r.Wrong...) {
			name := strings.TrimPrefix(c.Function, "scan_as_")
			if name == "error" && b.lib.name == "mpich" {
				want[name] = "" // words of its own
			}
			should.Hold(t, strings.Contains(c.Message, want[name]), "%s: %s", c.Function, c.Message)
			delete(want, name)
		}
		should.Hold(t, len(want) == 0, "not named: %v", want)
		for _, v := range r.Verdicts {
			should.Hold(t, v.Guideline != "right" || v.OtherMedianS != nil, "what is right was not measured: %+v", v)
		}
	})
}

// It crashes in the timed calls, where nothing is announced: the repeated mpirun says which one it is.
func TestOwnMockupThatCrashesLaterIsNamedAndLeftOut(t *testing.T) {
	eitherAtOnce(t, func(t *testing.T, b *fixture) {
		b.plugin(b.lib, "libmine.so")
		gl := b.toml(strings.Replace(ownScans("libmine.so", "right", "later"), "fixed = 10", "fixed = 200", 1))
		b.check("--guidelines", gl).exits(t, 0, 1).says(t, "repeated once", "scan_as_later crashes: the mpirun is repeated without it", "libmine.so")
	})
}

func TestConstructorThatDoesNotReturnIsNamedByItsFile(t *testing.T) {
	eitherAtOnce(t, func(t *testing.T, b *fixture) {
		for _, how := range []string{"WAITS", "CRASHES"} {
			file := b.plugin(b.lib, how+".so", "-DCONSTRUCTOR="+how)
			b.out = filepath.Join(b.dir, "out-"+how)
			b.check("--guidelines", b.toml(ownScans(file, "right")), "--stall", "2s").exits(t, 2).
				says(t, "[[mockup]] "+file+": the ranks did not come back from loading it", "try: the file's constructors")
		}
	})
}

func TestFileOfOwnMockupsThatCannotBeUsedIsNamedWithTheRemedy(t *testing.T) {
	bothAtOnce(t, func(t *testing.T, b *fixture) {
		i := b.libraryIndex()
		none := filepath.Join(b.dir, "none.so")
		must.Do(t, os.WriteFile(none, []byte("no library"), 0o666))
		for _, c := range []struct{ file, row, says, remedy string }{
			{filepath.Join(b.dir, "missing.so"), "right", "no such file", "all nodes see"},
			{none, "right", "it is no shared library", "-shared -fPIC"},
			{b.dir, "right", "is a folder", "all nodes see"},
			{b.plugin(libraries[1-i], "other.so"), "right", "it was built for another MPI library", "compiler wrapper of the ranks' library"},
			{b.plugin(b.lib, "version.so", "-DVERSION=9"), "right", "it has version 9 of mockups.h, this pgmpi has 2", "compile it again"},
			{b.plugin(b.lib, "symbol.so", "-DNAME=another"), "right", "it has no symbol pgmpi_plugin", "PGMPI_PLUGIN(rows)"},
			{b.plugin(b.lib, "row.so"), "rihgt", `unknown row "scan_as_rihgt" (did you mean scan_as_right?)`, "ids"},
		} {
			b.out = filepath.Join(b.dir, "out-"+filepath.Base(c.file))
			b.check("--guidelines", b.toml(ownScans(c.file, c.row))).exits(t, 2).says(t, c.file, c.says, "try: ", c.remedy)
		}
	})
}
