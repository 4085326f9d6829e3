package results

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"pgmpi/guidelines"
	"pgmpi/measure/protocol"
	"pgmpi/nrep"
	"pgmpi/testkit/must"
)

// FuzzReadJob: rank 0 acknowledges the lines in their order and no other, and
// a job that it took is one that the driver can send.
func FuzzReadJob(f *testing.F) {
	lines := must.Get(protocol.EncodeJob(&protocol.Job{NP: 2, CallsJob: &protocol.CallsJob{Mode: protocol.ModeNREP, Cases: []protocol.JobCase{{Function: "MPI_Bcast", Msize: 8}}, Order: []int{0}, Predict: &protocol.PredictJob{NREP: nrep.Default()}}}))(f)
	f.Add([]byte(strings.Join(lines, "\n") + "\n"))
	lines = must.Get(protocol.EncodeJob(&protocol.Job{CallsJob: &protocol.CallsJob{Op: strings.Repeat("é\"", protocol.JobChunk), Measure: &protocol.MeasureJob{}}}))(f)
	f.Add([]byte(strings.Join(lines, "\n") + "\n"))
	f.Add([]byte("job 1/2 a3a6bf43 {}\njob 2/2 00000000 \n")) // wrong checksum
	f.Add([]byte("job 1/0 a3a6bf43 {}\n"))
	f.Add([]byte("job 1/1 a3a6bf43 {}\r\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		acks := 0
		job, err := protocol.ReadJob(bufio.NewReader(bytes.NewReader(text)), func(i int) {
			if acks++; i != acks {
				t.Fatalf("acknowledged line %d as %d", acks, i)
			}
		})
		if err != nil {
			must.Hold(t, strings.HasPrefix(err.Error(), "job"), "%q does not say what it is about", err)
			return
		}
		announced := announced(text)
		must.Hold(t, acks == announced, "took %d lines of %d", acks, announced)
		lines := must.Get(protocol.EncodeJob(job))(t)
		again := must.Get(protocol.ReadJob(bufio.NewReader(strings.NewReader(strings.Join(lines, "\n")+"\n")), func(int) {}))(t)
		sameJSON(t, job, again)
	})
}

// announced is the N of the first "job I/N".
func announced(text []byte) int {
	var i, n int
	if _, err := fmt.Sscanf(string(text), "job %d/%d", &i, &n); err != nil {
		return -1
	}
	return n
}

// sameJSON compares what has raw JSON inside, which only means the same.
func sameJSON(t *testing.T, a, b any) {
	t.Helper()
	first, err1 := json.Marshal(a)
	second, err2 := json.Marshal(b)
	must.Hold(t, err1 == nil && err2 == nil && bytes.Equal(first, second), "%s (%v)\nbecame\n%s (%v)", first, err1, second, err2)
}

// FuzzOutputReader: output that is taken was counted whole, one flipped bit
// makes it refused, and what was taken can be stored and read again.
func FuzzOutputReader(f *testing.F) {
	var b bytes.Buffer
	w := protocol.NewOutputWriter(&b)
	w.Case(protocol.CaseResult{Case: 0, Status: protocol.StatusOK, NRep: 2}, []protocol.Sample{{NS: 5}, {NS: 7, Flags: protocol.FlagLate}}, 0)
	w.Case(protocol.CaseResult{Case: 1, Status: protocol.StatusWrong, Message: "element 0"}, nil, 0)
	must.Do(f, w.End(protocol.End{CallsEnd: &protocol.CallsEnd{MemoryCap: 1 << 20}}))
	f.Add(b.Bytes(), uint16(9))
	nodes := `nodes {"kinds":[{"online":"0-3"}],"pinnings":[[{"cpus":"0","ranks":1}]],"nodes":[{"host":"a","ranks":"0"}]}` + "\n"
	f.Add([]byte(nodes+ending(nodes)), uint16(20))
	for _, samples := range []string{"samples 0 0 5:1 6:3\n", "samples 0 0 -5\n", "samples -1 0 1\n", "samples 0 0 9223372036854775807 1:-1\n"} {
		f.Add([]byte(samples+ending(samples)), uint16(3))
	}
	f.Fuzz(func(t *testing.T, text []byte, at uint16) {
		lines := bytes.Split(text, []byte("\n"))
		out, used := fedLines(lines)
		if out == nil {
			return
		}
		must.Hold(t, out.End.Lines == used-1, "%d lines were taken as %d", used-1, out.End.Lines)
		storable(t, out)
		whole := bytes.Join(lines[:used-1], nil)
		if len(whole) == 0 {
			return
		}
		flip(lines[:used-1], int(at)%len(whole))
		out, _ = fedLines(lines)
		must.Hold(t, out == nil, "a flipped bit at byte %d was not noticed", int(at)%len(whole))
	})
}

// ending is the end record of closing lines.
func ending(lines string) string {
	end := protocol.End{Lines: strings.Count(lines, "\n"), CRC: fmt.Sprintf("%08x", crc32.ChecksumIEEE([]byte(lines))), CallsEnd: &protocol.CallsEnd{}}
	text, err := json.Marshal(end)
	if err != nil {
		panic(err)
	}
	return protocol.LineEnd + " " + string(text) + "\n"
}

// fedLines returns nil unless the lines hold an end record that fits; used
// counts the lines up to it.
func fedLines(lines [][]byte) (out *protocol.Output, used int) {
	job := &protocol.Job{NP: 4, CallsJob: &protocol.CallsJob{}, Clocks: &protocol.ClocksJob{Methods: []string{"shared"}}}
	for range 8 {
		job.Cases = append(job.Cases, protocol.JobCase{NRep: 100})
	}
	r := protocol.NewOutputReader(job)
	for i, line := range lines {
		done, err := r.Add(line)
		if err != nil {
			return nil, i + 1
		}
		if done {
			return r.Output(), i + 1
		}
	}
	return nil, len(lines)
}

func flip(lines [][]byte, at int) {
	for _, line := range lines {
		if at < len(line) {
			line[at] ^= 1
			return
		}
		at -= len(line)
	}
}

func storable(t *testing.T, out *protocol.Output) {
	run := Run{Header: Header{Schema: RawSchema}, Samples: [][]protocol.Sample{}}
	for _, samples := range out.Samples {
		run.Cases = append(run.Cases, CaseInfo{CaseResult: protocol.CaseResult{NRep: len(samples)}})
		run.Samples = append(run.Samples, samples)
	}
	again, err := decodeText(encodedRaw(t, &run))
	must.Hold(t, err == nil, "stored, it cannot be read: %v", err)
	must.Hold(t, reflect.DeepEqual(again.Samples, run.Samples), "%v became %v", run.Samples, again.Samples)
}

func encodedRaw(t testing.TB, run *Run) []byte {
	t.Helper()
	var b bytes.Buffer
	must.Do(t, run.encode(&b))
	return b.Bytes()
}

func decodeText(text []byte) (*Run, error) {
	run := &Run{}
	return run, run.decode(&rowReader{in: bufio.NewReader(bytes.NewReader(text))}, 1000)
}

// FuzzReadRaw: a raw file is taken as it is on disk or refused by its name;
// what was read and is written again reads the same.
func FuzzReadRaw(f *testing.F) {
	header := `#{"schema":"` + RawSchema + `","cases":[`
	f.Add(encodedRaw(f, sampleRun()))
	f.Add([]byte(header + "]}\n#end rows=0\n"))
	f.Add([]byte(header + `{"nrep":1}]}` + "\n0\t0\t007\t999999999999999999\n#end rows=1\n"))
	f.Add([]byte(header + strings.Repeat(`{"nrep":1073741824},`, 500) + "{}]}\n#end rows=0\n"))
	f.Add([]byte(header + `{"nrep":1}]}` + "\n0\t0\t-1\t0\n#end rows=1\n"))
	f.Add([]byte(header + `{"nrep":1}]}` + "\n1\t0\t1\t0\n"))
	path := filepath.Join(f.TempDir(), "raw.tsv.gz")
	z := gzip.NewWriter(nil)
	f.Fuzz(func(t *testing.T, text []byte) {
		rawFile(t, path, text)
		rawFile(t, path, zipped(t, z, text))
	})
}

func zippedText(t *testing.T, text string) []byte {
	return zipped(t, gzip.NewWriter(nil), []byte(text))
}

// zipped packs with a writer that is kept: the fuzzer is to spend its time on
// reading.
func zipped(t *testing.T, z *gzip.Writer, text []byte) []byte {
	var b bytes.Buffer
	z.Reset(&b)
	must.Get(z.Write(text))(t)
	must.Do(t, z.Close())
	return b.Bytes()
}

func rawFile(t *testing.T, path string, data []byte) {
	must.Do(t, os.WriteFile(path, data, 0o666))
	run, err := ReadRaw(path, 1<<20)
	if err != nil {
		must.Hold(t, strings.HasPrefix(err.Error(), path+":"), "%q does not name the file", err)
		return
	}
	for i, c := range run.Cases {
		must.Hold(t, len(run.Samples[i]) == c.NRep, "case %d: %d samples of %d", i, len(run.Samples[i]), c.NRep)
	}
	again := must.Get(decodeText(encodedRaw(t, run)))(t)
	must.Hold(t, reflect.DeepEqual(run, again), "%+v\nbecame\n%+v", run, again)
}

// FuzzManifest: a manifest is refused by its name, or its Plan leads nowhere
// else than into itself and it comes back as it was written.
func FuzzManifest(f *testing.F) {
	m := &Manifest{Schema: ManifestSchema, R: 2, Config: json.RawMessage(`{"job":{}}`), MemoryCap: map[string]int64{"p2": 1},
		Skip: map[int]protocol.CaseResult{1: {Case: 1, Status: protocol.StatusWrong}}, NRep: map[int]NRep{0: {N: 10}},
		Plan: guidelines.Plan{Shapes: []guidelines.Shape{{NP: 2}},
			Cases: []guidelines.Case{{Function: "MPI_Bcast", Msize: 8}, {Function: "MPI_Bcast", Msize: 16}},
			Tests: []guidelines.Test{{Guideline: "GL1", Type: guidelines.Monotony, Others: []int{1}}}}}
	text := must.Get(json.Marshal(m))(f)
	f.Add(text)
	f.Add(text[:len(text)/2])
	schema := `{"schema":"` + ManifestSchema + `"`
	f.Add([]byte(schema + `,"config":null}`))
	f.Add([]byte(schema + `,"mpiruns":1000000000000000}`))
	f.Add([]byte(schema + `,"plan":{"cases":[{}],"tests":[{"case":0,"others":[1]}]}}`))
	f.Add([]byte(schema + `,"factors":{"layouts":[{"kinds":[{"online":"0-3","siblings":["0,1","2,3"]}],"pinnings":[[{"cpus":"0-1","ranks":2}]],` +
		`"nodes":[{"kind":0,"pinning":0,"ranks":"0-1"}]}]}}`))
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, text []byte) {
		path := filepath.Join(dir, manifestName)
		must.Do(t, os.WriteFile(path, text, 0o666))
		folder, m, err := Open(dir)
		if err != nil {
			must.Hold(t, strings.HasPrefix(err.Error(), path+":"), "%q does not name the file", err)
			return
		}
		for i, test := range m.Plan.Tests {
			for _, c := range append([]int{test.Case}, test.Others...) {
				must.Hold(t, c >= 0 && c < len(m.Plan.Cases), "test %d names case %d of %d", i, c, len(m.Plan.Cases))
			}
		}
		m.Factors.Remarks()
		written := must.Get(json.Marshal(m))(t)
		must.Do(t, os.WriteFile(path, written, 0o666))
		again := must.Get(folder.Manifest())(t)
		sameJSON(t, m, again)
	})
}
