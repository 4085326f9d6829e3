package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgmpi/internal/phrase"
	"pgmpi/measure/protocol"
	"pgmpi/mockups"
	"pgmpi/testkit/mpirun"
	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

// plugin compiles testdata/plugin with a library's wrapper, and returns the path.
func (b *fixture) plugin(l mpirun.Library, name string, flags ...string) string {
	b.T.Helper()
	path := filepath.Join(b.Dir, name)
	args := append([]string{"-std=c11", "-Wall", "-Wextra", "-Werror", "-fPIC", "-shared", "-I../../mockups/c", "-o", path, "../../testdata/plugin/plugin.c"}, flags...)
	if said, err := exec.Command(l.MPICC(), args...).CombinedOutput(); err != nil {
		b.T.Fatalf("%v: %s", err, said)
	}
	return path
}

// ownScans writes guidelines of MPI_Scan against rows of a file.
func ownScans(file string, names ...string) string {
	ids, text := []string{}, onlyUsers
	for _, name := range names {
		ids = append(ids, "scan_as_"+name)
		text += fmt.Sprintf("[[guideline]]\nid = %q\npattern = { function = \"MPI_Scan\", mockup = \"scan_as_%s\" }\n", name, name)
	}
	return text + fmt.Sprintf("[[mockup]]\nfile = %q\nids = [%s]\n", file, phrase.Join(", ", "%q", ids))
}

// verifyOwn verifies a row of a file on several numbers of processes. It uses the first and the last root.
func (b *fixture) verifyOwn(file, id string, nps ...int) {
	b.T.Helper()
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
			out := must.Get(b.RunJob(np, j))(b.T)
			for _, c := range out.Cases {
				if c.Status != protocol.StatusOK {
					b.T.Errorf("p = %d, root %d, %d bytes: %s (%s)", np, root, j.Cases[c.Case].Msize, c.Status, c.Message)
				}
			}
		}
	}
}

// The example is built and used as its README says, except for its sizes.
func TestExampleOfAnOwnMockupIsBuiltVerifiedAndMeasured(t *testing.T) {
	eitherAtOnce(t, func(t *testing.T, b *fixture) {
		for _, name := range []string{"ring.c", "Makefile"} {
			text, err := os.ReadFile(filepath.Join("../../examples/plugin", name))
			if err == nil {
				err = os.WriteFile(filepath.Join(b.Dir, name), text, 0o666)
			}
			must.Do(t, err)
		}
		header, _ := filepath.Abs("../../mockups/c")
		b.Run("make", "-C", b.Dir, "MPICC="+b.Lib.MPICC(), "PGMPI="+header).Exits(t, 0)
		text := must.Get(os.ReadFile("../../examples/plugin/gl.toml"))(t)
		gl := b.TOML(strings.NewReplacer(`msizes = ["64Ki..4Mi*4"]`, `msizes = ["1", "24", "64Ki"]`).Replace(string(text)) + "[nrep]\nfixed = 10\n[analyze]\nmethod = \"paper\"\n")
		should.Contain(t, b.Pgmpi("list", "--guidelines", gl).Exits(t, 0).Stdout, "libring.so")
		b.verifyOwn(filepath.Join(b.Dir, "libring.so"), "reduce_as_ring", 1, 3)
		b.Check("--guidelines", gl, "--np", "2", "--mpiruns", "3").Exits(t, 0, 1)
		for _, v := range b.Report().Verdicts {
			should.Hold(t, v.Mockup == "reduce_as_ring" && v.MedianS != nil && v.OtherMedianS != nil, "it was not measured: %+v", v)
		}
		file := filepath.Join(b.Dir, "libring.so")
		b.Pgmpi("env", b.Out, "--full").Exits(t, 0).Shows(t, `libring\.so,\s+hash `) // a long path is wrapped
		b.removeRuns()
		if f, err := os.OpenFile(file, os.O_APPEND|os.O_WRONLY, 0); err != nil {
			t.Fatal(err)
		} else if _, err := f.WriteString("changed"); err != nil || f.Close() != nil {
			t.Fatal(err)
		}
		b.Check("--guidelines", gl, "--np", "2", "--mpiruns", "3", "--resume").Exits(t, 3).Says(t, "libring.so: it has changed", "--out")
	})
}

func TestOwnMockupWithAFaultIsNamedAndLeftOut(t *testing.T) {
	eitherAtOnce(t, func(t *testing.T, b *fixture) {
		b.plugin(b.Lib, "libmine.so")
		gl := b.TOML(ownScans("libmine.so", "right", "wrong", "crash", "abort", "error", "greedy", "refuse"))
		s := b.Check("--guidelines", gl).Exits(t, 3).Says(t, "scan_as_wrong at 1 KiB gave wrong data", "libmine.so", "exclude")
		for _, name := range []string{"crash", "abort"} {
			s.Says(t, "scan_as_"+name+" crashes: the mpirun is repeated without it")
		}
		want := map[string]string{"crash": "a call ended the mpirun: a rank crashed (SIGSEGV)", "abort": "a call ended the mpirun", "error": "MPI_ERR_OTHER", "greedy": "more temporaries than the temps of its row say", "refuse": "prepare: "}
		r := b.Report()
		for _, c := range append(r.NotMeasured, r.Wrong...) {
			name := strings.TrimPrefix(c.Function, "scan_as_")
			if name == "error" && b.Lib.Name == "mpich" {
				want[name] = "" // it has words of its own
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

// The mock-up crashes in the timed calls, where nothing is announced: the repeated mpirun says which one it is.
func TestOwnMockupThatCrashesLaterIsNamedAndLeftOut(t *testing.T) {
	eitherAtOnce(t, func(t *testing.T, b *fixture) {
		b.plugin(b.Lib, "libmine.so")
		gl := b.TOML(strings.Replace(ownScans("libmine.so", "right", "later"), "fixed = 10", "fixed = 200", 1))
		b.Check("--guidelines", gl).Exits(t, 0, 1).Says(t, "repeated once", "scan_as_later crashes: the mpirun is repeated without it", "libmine.so")
	})
}

func TestConstructorThatDoesNotReturnIsNamedByItsFile(t *testing.T) {
	eitherAtOnce(t, func(t *testing.T, b *fixture) {
		for _, how := range []string{"WAITS", "CRASHES"} {
			file := b.plugin(b.Lib, how+".so", "-DCONSTRUCTOR="+how)
			b.Out = filepath.Join(b.Dir, "out-"+how)
			b.Check("--guidelines", b.TOML(ownScans(file, "right")), "--stall", "3s").Exits(t, 2).
				Says(t, "[[mockup]] "+file+": the ranks did not come back from loading it", "try: the file's constructors")
		}
	})
}

func TestFileOfOwnMockupsThatCannotBeUsedIsNamedWithTheRemedy(t *testing.T) {
	eitherAtOnce(t, func(t *testing.T, b *fixture) {
		i := b.LibraryIndex()
		none := filepath.Join(b.Dir, "none.so")
		must.Do(t, os.WriteFile(none, []byte("no library"), 0o666))
		for _, c := range []struct{ file, row, says, remedy string }{
			{filepath.Join(b.Dir, "missing.so"), "right", "no such file", "all nodes see"},
			{none, "right", "it is no shared library", "-shared -fPIC"},
			{b.Dir, "right", "is a folder", "all nodes see"},
			{b.plugin(mpirun.Libraries[1-i], "other.so"), "right", "it was built for another MPI library", "compiler wrapper of the ranks' library"},
			{b.plugin(b.Lib, "version.so", "-DVERSION=9"), "right", "it has version 9 of mockups.h, this pgmpi has 2", "compiling it again"},
			{b.plugin(b.Lib, "symbol.so", "-DNAME=another"), "right", "it has no symbol pgmpi_plugin", "PGMPI_PLUGIN(ROWS)"},
			{b.plugin(b.Lib, "row.so"), "rihgt", `unknown row "scan_as_rihgt" (did you mean scan_as_right?)`, "ids"},
		} {
			b.Out = filepath.Join(b.Dir, "out-"+filepath.Base(c.file))
			b.Check("--guidelines", b.TOML(ownScans(c.file, c.row))).Exits(t, 2).Says(t, c.file, c.says, "try: ", c.remedy)
		}
	})
}
