package results

import (
	"bytes"
	"compress/gzip"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgmpi/guidelines"
	"pgmpi/measure/protocol"
	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

func sampleRun() *Run {
	shape := guidelines.Shape{NP: 2}
	return &Run{
		Header: Header{Schema: RawSchema, Mode: protocol.ModeMeasure, Shape: shape, Run: 3, Seed: 7, Order: []int{1, 0, 2},
			Probes: []protocol.Probes{{MemcpyNS: 9500, ReduceLocalNS: 430.5}, {AtS: 0.25, LineNS: 120.4, PingPong8NS: 810, PingPong64KNS: 4e4}},
			Cases: []CaseInfo{
				{Plan: 4, Function: "MPI_Bcast", Msize: 8, CaseResult: protocol.CaseResult{Case: 0, Status: protocol.StatusOK, NRep: 3, Usage: &protocol.Usage{Faults: 1443, FaultsRank: 1, Switches: 2}}},
				{Plan: 5, Function: "MPI_Scan", Msize: 8, CaseResult: protocol.CaseResult{Case: 1, Status: protocol.StatusWrong, Message: "element 0"}},
				{Plan: 6, Function: "MPI_Scan", Msize: 16, CaseResult: protocol.CaseResult{Case: 2, Status: protocol.StatusOK, NRep: 1}},
			}},
		Samples: [][]protocol.Sample{{{NS: 250}, {NS: 0, Flags: protocol.FlagLate}, {NS: 123456789012}}, {}, {{NS: 1}}},
	}
}

// written is the path of a stored run.
func written(t testing.TB, r *Run) string {
	t.Helper()
	f := must.Get(Create(t.TempDir()))(t)
	defer f.Close()
	must.Do(t, f.WriteRun(r))
	return f.rawPath(r.Mode, r.Shape, r.Run)
}

func TestRawFileComesBackAsItWasWritten(t *testing.T) {
	want := sampleRun()
	path := written(t, want)
	got := must.Get(ReadRaw(path, 1<<20))(t)
	should.Equal(t, got, want)
	left, _ := filepath.Glob(filepath.Join(filepath.Dir(path), ".tmp-*"))
	should.Hold(t, len(left) == 0, "left behind: %v", left)
}

// As older versions wrote them: an answer under the name of its mode, behind all else of its case.
func TestAnswersOfAWorkStayUnderItsName(t *testing.T) {
	r := sampleRun()
	r.Mode = "overlap"
	r.Cases[2].Answer = &protocol.Answer{Work: "overlap", Found: []byte(`{"blocking_ns":10,"search":[{"tests":0}]}`)}
	path := written(t, r)
	var text bytes.Buffer
	must.Do(t, r.encode(&text))
	should.Contain(t, text.String(), `"msize":16,"case":2,"status":"ok","nrep":1,"overlap":{"blocking_ns":10,"search":[{"tests":0}]}}]`)
	should.Hold(t, !strings.Contains(text.String(), "answer"), "%s", text.String())
	should.Equal(t, must.Get(ReadRaw(path, 1<<20))(t), r)
	r.Mode = protocol.ModeMessages // whose field of that name is no answer
	r.Cases[2].Answer, r.Cases[2].Messages = nil, &protocol.Messages{Calls: 1, Count: 2}
	should.Equal(t, must.Get(ReadRaw(written(t, r), 1<<20))(t), r)
}

func TestEveryDamagedByteOfARawFileIsNoticed(t *testing.T) {
	path := written(t, sampleRun())
	whole := must.Get(os.ReadFile(path))(t)
	want := must.Get(ReadRaw(path, 1<<20))(t)
	for i := range whole {
		flipped := append([]byte(nil), whole...)
		flipped[i] ^= 0x10
		must.Do(t, os.WriteFile(path, flipped, 0o666))
		// Bytes 4 to 9 of gzip (RFC 1952) are the time and the system: no content.
		// Nor are the bits that fill up the bytes before the length of an empty last
		// block, and before the 8 of checksum and length.
		if got, err := ReadRaw(path, 1<<20); err == nil && !reflect.DeepEqual(got, want) {
			t.Fatalf("byte %d flipped: no error and other content", i)
		} else if err != nil && !strings.Contains(err.Error(), path) {
			t.Fatalf("byte %d flipped: the error lacks the name: %v", i, err)
		} else if err == nil && (i < 4 || i > 9) && i != len(whole)-13 && i != len(whole)-9 {
			t.Fatalf("byte %d of %d flipped: no error", i, len(whole))
		}
	}
	for n := range whole {
		must.Do(t, os.WriteFile(path, whole[:n], 0o666))
		_, err := ReadRaw(path, 1<<20)
		must.Hold(t, err != nil, "cut to %d of %d bytes: no error", n, len(whole))
	}
}

func TestFolderIsLockedWhileItIsOpen(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	f := must.Get(Create(dir))(t)
	if _, err := Create(dir); err == nil || !strings.Contains(err.Error(), "in use") {
		t.Errorf("second Create: %v", err)
	}
	must.Do(t, f.Close())
	again, err := Create(dir)
	must.Hold(t, err == nil, "after Close: %v", err)
	again.Close()
}

func TestFolderWithResultsIsNotFresh(t *testing.T) {
	dir := t.TempDir()
	should.Hold(t, IsFresh(dir) && IsFresh(filepath.Join(dir, "missing")), "an empty and a missing folder are fresh")
	f := must.Get(Create(dir))(t)
	defer f.Close()
	should.Hold(t, IsFresh(dir), "a folder with only a lock and an empty raw is fresh")
	must.Do(t, f.WriteRun(sampleRun()))
	should.Hold(t, !IsFresh(dir), "a folder with a raw file is not fresh")
}

func TestRunOfAnotherPlanIsRefused(t *testing.T) {
	f, err := Create(t.TempDir())
	must.Do(t, err)
	defer f.Close()
	must.Do(t, f.WriteRun(sampleRun()))
	plan := guidelines.Plan{Cases: make([]guidelines.Case, 7)}
	_, err = f.ReadRun(protocol.ModeMeasure, guidelines.Shape{NP: 2}, 3, &plan)
	should.Fail(t, err, "another plan")
}

func TestManifestThatAsksForTooManyMpirunsIsRefused(t *testing.T) {
	f := must.Get(Create(t.TempDir()))(t)
	defer f.Close()
	for r, ok := range map[int]bool{10: true, MaxMPIRuns: true, MaxMPIRuns + 1: false, -1: false} {
		must.Do(t, f.WriteJSON(manifestName, &Manifest{Schema: ManifestSchema, R: r}))
		_, err := f.Manifest()
		should.Hold(t, (err == nil) == ok, "R = %d: %v", r, err)
		err = f.WriteManifest(&Manifest{R: r})
		should.Hold(t, (err == nil) == ok, "R = %d written: %v", r, err)
	}
}

func TestMpirunsAreHandedOverInTheirOrderUntilOneIsDamaged(t *testing.T) {
	f := must.Get(Create(t.TempDir()))(t)
	defer f.Close()
	run := sampleRun()
	var plan guidelines.Plan
	for i := range 7 {
		c := guidelines.Case{Shape: run.Shape}
		if i > 3 {
			c.Function, c.Msize = run.Cases[i-4].Function, run.Cases[i-4].Msize
		}
		plan.Cases = append(plan.Cases, c)
	}
	const all = 12
	for run.Run = 1; run.Run <= all; run.Run++ {
		must.Do(t, f.WriteRun(run))
	}
	got := func() (runs []int, err error) {
		for r, err := range f.Runs(run.Mode, run.Shape, &plan) {
			if err != nil {
				return runs, err
			}
			runs = append(runs, r.Run)
		}
		return runs, nil
	}
	runs, err := got()
	should.Hold(t, err == nil && len(runs) == all && slices.IsSorted(runs), "got %v, %v, want 1 to %d", runs, err, all)
	bad := filepath.Join(f.Path, "raw", RawName(run.Mode, run.Shape, 9))
	must.Do(t, os.WriteFile(bad, []byte("no gzip"), 0o666))
	runs, err = got()
	should.Hold(t, err != nil && strings.Contains(err.Error(), bad) && len(runs) == 8, "with the 9th damaged: got %v, %v", runs, err)
}

// A few KiB of gzip unpack to a line without an end: they are refused, before
// they have taken the machine's memory.
func TestLineWithoutEndIsRefused(t *testing.T) {
	header := encodedRaw(t, sampleRun())
	header = header[:bytes.IndexByte(header, '\n')+1]
	for name, c := range map[string]struct {
		start []byte
		says  string
	}{
		"header": {[]byte("#"), "more than 67108864 bytes"},
		"row":    {header, "more than 65536 bytes"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "raw.tsv.gz")
			file, err := os.Create(path)
			must.Do(t, err)
			z := gzip.NewWriter(file)
			_, err = z.Write(c.start)
			zeros := make([]byte, 1<<20)
			for range 80 {
				_, e := z.Write(zeros)
				err = errors.Join(err, e)
			}
			must.Do(t, errors.Join(err, z.Close(), file.Close()))
			_, err = ReadRaw(path, 1<<20)
			should.Hold(t, err != nil && strings.Contains(err.Error(), c.says) && strings.Contains(err.Error(), path), "got %v", err)
		})
	}
}

func TestMoreRowsThanTheHeaderSaysAreRefusedAtOnce(t *testing.T) {
	text := `#{"schema":"` + RawSchema + `","cases":[{"nrep":1}]}` + "\n0\t0\t5\t0\n0\t1\t5\t0\n"
	_, err := decodeText([]byte(text))
	should.Fail(t, err, "expected 1 of 1")
	text = `#{"schema":"` + RawSchema + `","cases":[{"nrep":200000000},{"nrep":200000000}]}` + "\n"
	_, err = decodeText([]byte(text))
	should.Fail(t, err, "at most 268435456 samples")
}

func TestAFinishedMpirunReplacesItsPart(t *testing.T) {
	f := must.Get(Create(t.TempDir()))(t)
	defer f.Close()
	r := sampleRun()
	plan := &guidelines.Plan{Cases: make([]guidelines.Case, 7)}
	for _, c := range r.Cases {
		plan.Cases[c.Plan] = guidelines.Case{Function: c.Function, Msize: c.Msize, Shape: r.Shape}
	}
	must.Do(t, f.WritePart(r))
	part := f.Part(r.Mode, r.Shape, r.Run, plan)
	should.Hold(t, reflect.DeepEqual(part, r) && !f.Has(r.Mode, r.Shape, r.Run), "a part: %+v", part)
	must.Do(t, f.WriteRun(r))
	part = f.Part(r.Mode, r.Shape, r.Run, plan)
	should.Hold(t, part == nil && f.Has(r.Mode, r.Shape, r.Run), "beside the finished mpirun: %+v", part)
}
