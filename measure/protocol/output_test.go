package protocol

import (
	"bufio"
	"bytes"
	"fmt"
	"strings"
	"testing"

	"pgmpi/nrep"
	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

func bigJob() *Job {
	j := &Job{NP: 2, CallsJob: &CallsJob{Mode: ModeNREP, Datatype: "byte", Op: "bor", Predict: &PredictJob{NREP: nrep.Default()}}}
	for i := range 2000 {
		j.Cases = append(j.Cases, JobCase{Function: "allreduce_as_reduce_scatter_block+allgather", Msize: int64(i), NRep: i})
		j.Order = append(j.Order, 1999-i)
	}
	return j
}

func TestJobArrivesWholeInLinesThatLaunchersForward(t *testing.T) {
	want := bigJob()
	lines := must.Get(EncodeJob(want))(t)
	must.Hold(t, len(lines) >= 3, "%d lines: the test needs several", len(lines))
	for _, l := range lines {
		must.Hold(t, len(l) <= 32<<10 && !strings.Contains(l, "\n"), "a line of %d bytes", len(l))
	}
	var acks []int
	got := must.Get(ReadJob(bufio.NewReader(strings.NewReader(strings.Join(lines, "\n")+"\n")), func(i int) { acks = append(acks, i) }))(t)
	should.Equal(t, got, want, "the job has changed on its way")
	should.Hold(t, len(acks) == len(lines) && acks[0] == 1, "acknowledged %v of %d lines", acks, len(lines))
}

func TestDamagedJobLinesAreRefused(t *testing.T) {
	lines := must.Get(EncodeJob(bigJob()))(t)
	for name, text := range map[string]string{
		"checksum":   strings.Replace(lines[0], "allreduce", "allREDUCE", 1) + "\n",
		"lost":       strings.Join(append([]string{lines[0]}, lines[2:]...), "\n") + "\n",
		"expected":   "hello\n",
		"line 2":     lines[0] + "\n",
		"bad line n": "job x/y 00000000 {}\n",
	} {
		_, err := ReadJob(bufio.NewReader(strings.NewReader(text)), func(int) {})
		should.Hold(t, err != nil && strings.Contains(err.Error(), name), "%s: got %v", name, err)
	}
}

func TestJobsOfTwoKindsAreRefused(t *testing.T) {
	measure, predict := &MeasureJob{}, &PredictJob{}
	for name, c := range map[string]struct {
		job Job
		ok  bool
	}{
		"nothing":                 {Job{}, true},
		"measure":                 {Job{CallsJob: &CallsJob{Measure: measure}}, true},
		"clocks":                  {Job{Clocks: &ClocksJob{}}, true},
		"calls for nothing":       {Job{CallsJob: &CallsJob{}}, false},
		"measure and predict":     {Job{CallsJob: &CallsJob{Measure: measure, Predict: predict}}, false},
		"measure and list":        {Job{CallsJob: &CallsJob{Measure: measure}, Work: &Asked{}}, false},
		"a rider":                 {Job{CallsJob: &CallsJob{Measure: measure}, Riders: []*CallsJob{{Measure: measure}}}, true},
		"a rider of clocks":       {Job{Clocks: &ClocksJob{}, Riders: []*CallsJob{{Measure: measure}}}, false},
		"a rider that predicts":   {Job{CallsJob: &CallsJob{Measure: measure}, Riders: []*CallsJob{{Predict: predict}}}, false},
		"a rider for two things":  {Job{CallsJob: &CallsJob{Measure: measure}, Riders: []*CallsJob{{Measure: measure, Predict: predict}}}, false},
		"no rider":                {Job{CallsJob: &CallsJob{Measure: measure}, Riders: []*CallsJob{nil}}, false},
		"clocks, then other work": {Job{Clocks: &ClocksJob{}, Work: &Asked{}}, false},
	} {
		lines, err := EncodeJob(&c.job)
		must.Do(t, err)
		_, err = ReadJob(bufio.NewReader(strings.NewReader(lines[0]+"\n")), func(int) {})
		should.Hold(t, (err == nil) == c.ok, "%s: %v", name, err)
	}
}

func output(t *testing.T) []string {
	t.Helper()
	var b bytes.Buffer
	w := NewOutputWriter(&b)
	samples := make([]Sample, 1300)
	for i := range samples {
		samples[i] = Sample{NS: int64(i*i) + 1, Flags: i % 4}
	}
	w.Case(CaseResult{Case: 0, Status: StatusOK, NRep: len(samples)}, samples, 0)
	w.Case(CaseResult{Case: 1, Status: StatusWrong, Message: "rank 1"}, nil, 0)
	must.Do(t, w.End(End{CallsEnd: &CallsEnd{MemoryCap: 9}}))
	return strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
}

func readOutput(lines []string) (*Output, bool, error) {
	r := NewOutputReader(&Job{NP: 2, CallsJob: &CallsJob{Cases: []JobCase{{NRep: 1300}, {NRep: 9}}}})
	for _, l := range lines {
		if done, err := r.Add([]byte(l)); done || err != nil {
			return r.Output(), done, err
		}
	}
	return r.Output(), false, nil
}

func TestSamplesComeBackInOrder(t *testing.T) {
	out, done, err := readOutput(output(t))
	must.Hold(t, err == nil && done, "%v %v", done, err)
	should.Hold(t, len(out.Cases) == 2 && out.Cases[1].Message == "rank 1" && out.End.MemoryCap == 9, "got %+v", out.Cases)
	s := out.Samples[0]
	must.Hold(t, len(s) == 1300, "%d samples", len(s))
	for i, got := range s {
		should.Equal(t, got, Sample{NS: int64(i*i) + 1, Flags: i % 4}, "sample %d", i)
	}
}

func TestOutputWithALostOrChangedLineIsRefused(t *testing.T) {
	lines := output(t)
	for i := range len(lines) - 1 {
		without := append(append([]string(nil), lines[:i]...), lines[i+1:]...)
		_, _, err := readOutput(without)
		should.Hold(t, err != nil, "line %d lost: no error", i)
		changed := append([]string(nil), lines...)
		changed[i] = strings.Replace(changed[i], "1", "2", 1)
		must.Hold(t, changed[i] != lines[i], "line %d has no digit to change", i)
		_, _, err = readOutput(changed)
		should.Hold(t, err != nil, "line %d changed: no error", i)
	}
	_, done, _ := readOutput(lines[:len(lines)-1])
	should.Hold(t, !done, "done without an end record")
	_, _, err := readOutput([]string{"Warning: no network"})
	should.Hold(t, err != nil, "a foreign line passed")
}

func TestCountsThatNoRankCanHaveAreRefused(t *testing.T) {
	for _, c := range []struct {
		usage Usage
		ok    bool
	}{
		{Usage{}, true},
		{Usage{Faults: 481, FaultsRank: 1, Switches: 3, SwitchesRank: 1}, true},
		{Usage{Faults: -1}, false},
		{Usage{Switches: -1}, false},
		{Usage{FaultsRank: 2}, false},
		{Usage{SwitchesRank: -1}, false},
	} {
		var text bytes.Buffer
		w := NewOutputWriter(&text)
		w.Case(CaseResult{Status: StatusOK, Usage: &c.usage}, nil, 0)
		_, _, err := readOutput([]string{strings.TrimSpace(text.String())})
		should.Equal(t, err == nil, c.ok, "%+v: %v", c.usage, err)
	}
}

func TestFlagsOfSamplesAreRead(t *testing.T) {
	s, err := ParseSample(fmt.Sprintf("1200:%d", FlagLong))
	should.Hold(t, err == nil && s == (Sample{NS: 1200, Flags: FlagLong}), "got %v, %v", s, err)
}

func TestWhatHasArrivedWholeIsKnownBeforeTheEnd(t *testing.T) {
	var text bytes.Buffer
	o := NewOutputWriter(&text)
	o.Case(CaseResult{Case: 1, NRep: 1, Status: StatusOK}, []Sample{{NS: 7}}, 0)
	must.Do(t, o.SoFar(0))
	o.Case(CaseResult{Case: 0, NRep: 1, Status: StatusOK}, []Sample{{NS: 8}}, 0)
	job := &Job{NP: 1, CallsJob: &CallsJob{Cases: make([]JobCase, 2), Predict: &PredictJob{NREP: nrep.Config{Max: 1}}}}
	r := NewOutputReader(job)
	for line := range bytes.Lines(text.Bytes()) {
		must.Get(r.Add(bytes.TrimSuffix(line, []byte("\n"))))(t)
	}
	f := r.Finished()
	should.Hold(t, len(f.Cases) == 1 && f.Cases[0].Case == 1 && len(f.Samples) == 1 && len(f.Samples[1]) == 1, "finished: %+v", f)
	text.Reset()
	must.Do(t, o.End(End{CallsEnd: &CallsEnd{}}))
	done, err := r.Add(bytes.TrimSpace(text.Bytes()))
	must.Hold(t, done && err == nil, "%v %v", done, err)
	c := r.Output().Cases
	should.Hold(t, c[0].Case == 0 && c[1].Case == 1, "not in the order of the job: %+v", c)
	lost := NewOutputReader(job)
	_, err = lost.Add([]byte(`sofar {"lines":2,"crc":"00000000"}`))
	should.Hold(t, err != nil, "lines were lost before it")
}

// With rounds a case comes again, with what it has made since.
func TestFinishedRoundsAreKnownBeforeTheEnd(t *testing.T) {
	var text bytes.Buffer
	o := NewOutputWriter(&text)
	ok := func(i, n int) CaseResult { return CaseResult{Case: i, NRep: n, Status: StatusOK} }
	o.Case(ok(0, 1), []Sample{{NS: 1}}, 0)
	o.Case(ok(1, 2), []Sample{{NS: 10}, {NS: 11}}, 0)
	must.Do(t, o.SoFar(1))
	o.Case(ok(0, 2), []Sample{{NS: 1}, {NS: 2}}, 1)
	o.Case(CaseResult{Case: 1, Status: StatusWrong}, nil, 2)
	job := &Job{NP: 1, CallsJob: &CallsJob{Cases: []JobCase{{NRep: 3}, {NRep: 4}}, Rounds: []int{2, 4}}}
	r := NewOutputReader(job)
	for line := range bytes.Lines(text.Bytes()) {
		must.Get(r.Add(bytes.TrimSuffix(line, []byte("\n"))))(t)
	}
	f := r.Finished()
	should.Hold(t, f.Rounds == 1 && len(f.Cases) == 2 && f.Cases[1].Status == StatusOK && len(f.Samples[0]) == 1 && len(f.Samples[1]) == 2, "finished: %+v", f)
	out := r.Output()
	should.Hold(t, len(out.Cases) == 2 && out.Cases[0].NRep == 2 && len(out.Samples[0]) == 2 && out.Cases[1].Status == StatusWrong && len(out.Samples[1]) == 0,
		"all: %+v", out)
	for want, lines := range map[string][]string{
		"announces 1 samples, and had 2": {`case {"case":0,"status":"ok","nrep":2}`, "samples 0 0 5 5", `case {"case":0,"status":"ok","nrep":1}`},
		"a second time":                  {`case {"case":0,"status":"wrong"}`, `case {"case":0,"status":"ok","nrep":1}`},
		"3 rounds after 0":               {`sofar {"lines":0,"crc":"00000000","rounds":3}`},
	} {
		r, err := NewOutputReader(job), error(nil)
		for _, line := range lines {
			_, err = r.Add([]byte(line))
		}
		should.Fail(t, err, want)
	}
}
