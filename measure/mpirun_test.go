package measure

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pgmpi/measure/protocol"
	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

var errTerminated = errors.New("signal: terminated")

// rank0 is a launcher whose rank 0 does as it is told here.
type rank0 struct {
	hello protocol.Hello
	says  []string // after the job, before the end record
	raw   func(out io.Writer)
	end   bool          // there is an end record that fits
	cut   bool          // there is one, of other lines
	label string        // before each line
	exit  error         // of the launcher, unless it is killed
	stays time.Duration // before it ends
}

func (r rank0) start(_, _ []string, _ io.Writer) (*Ranks, error) {
	in, stdin := io.Pipe()
	stdout, out := io.Pipe()
	x := &Ranks{Stdin: stdin, Stdout: stdout, Exited: make(chan struct{}), Greeted: func([]string) {}, Orphans: func() {}}
	killed := make(chan struct{})
	x.Kill = sync.OnceFunc(func() {
		close(killed)
		in.Close()
		stdout.Close()
		<-x.Exited
	})
	go func() {
		defer close(x.Exited)
		if r.raw != nil {
			r.raw(out)
		}
		hello, _ := json.Marshal(r.hello)
		fmt.Fprintf(out, "%s%s %s\n", r.label, protocol.LineHello, hello)
		_, err := protocol.ReadJob(bufio.NewReader(in), func(i int) { fmt.Fprintf(out, "%s%s %d\n", r.label, protocol.LineAck, i) })
		if err == nil {
			for _, line := range r.says {
				fmt.Fprintln(out, line)
			}
			if r.cut {
				fmt.Fprintln(out, `end {"lines":2,"crc":"00000000"}`)
			}
			if r.end {
				_ = protocol.NewOutputWriter(out).End(protocol.End{CallsEnd: &protocol.CallsEnd{}})
			}
		}
		if r.stays == 0 {
			out.Close()
		}
		select {
		case <-killed:
			x.Err = errTerminated
		case <-time.After(r.stays):
			x.Err = r.exit
		}
		out.Close()
	}()
	return x, nil
}

// with runs a job of one case and two repetitions.
func (r rank0) run(ctx context.Context) error {
	job := &protocol.Job{NP: 2, CallsJob: &protocol.CallsJob{Measure: &protocol.MeasureJob{}, Cases: []protocol.JobCase{{Function: "MPI_Bcast", Msize: 8, NRep: 2}}, Order: []int{0}}}
	m := newMpirun(r.start, []string{"mpirun"}, nil, limitsFor(DefaultMPI(), 2, time.Minute))
	m.rank = &protocol.RankInfo{Hash: "a", LibVersion: "MPI 1"}
	_, err := m.run(ctx, job)
	return err
}

func greeting() protocol.Hello {
	return protocol.Hello{Protocol: protocol.ProtocolVersion, NP: 2, Rank: protocol.RankInfo{Hash: "a", LibVersion: "MPI 1"}}
}

const someCase = `case {"case":0,"status":"ok","nrep":2}`

func TestMessageShowsTheFirstBadLineOrTheEndOfMpirun(t *testing.T) {
	for name, c := range map[string]struct {
		rank0
		says  string
		never string
	}{
		"wrong checksum":         {rank0{says: []string{someCase, "samples 0 0 5 5", `end {"lines":2,"crc":"00000000"}`}}, "was damaged on its way", "ended before"},
		"a negative sample":      {rank0{says: []string{someCase, "samples 0 0 -5 5"}, end: true}, `sample "-5" is no run-time`, "ended before"},
		"a coarse clock":         {rank0{says: []string{someCase, "samples 0 0 0 5"}, end: true}, "measure.clock", "ended before"},
		"a line inside a record": {rank0{says: []string{someCase, "a banner", "samples 0 0 [n1] UCX WARN", "5 5"}, cut: true}, `damaged on its way; among its lines was "a banner"`, "ended before"},
		"a labelled output":      {rank0{label: "[1,0]<stdout>:", says: []string{someCase}, end: true}, "labels every line", "ended before"},
		"an error":               {rank0{says: []string{someCase, "error no memory"}}, "no memory", "ended before"},
		"the launcher's story":   {rank0{says: []string{"===", "= BAD TERMINATION", "EXIT CODE: 9"}, exit: errors.New("exit status 9")}, "ended before its end record (exit status 9)", "terminated"},
		"a story inside a line":  {rank0{says: []string{someCase, "samples 0 0 5===", "= BAD TERMINATION"}, exit: errors.New("exit status 9")}, `(exit status 9); before that, unexpected line "samples 0 0 5==="`, "terminated"},
		"a silent end":           {rank0{says: []string{someCase}}, "exit status 0, silently", "terminated"},
		"a launcher that stays":  {rank0{says: []string{someCase, "samples 0 0 -5 5"}, end: true, stays: time.Hour}, `sample "-5" is no run-time`, "terminated"},
		"a line without an end":  {rank0{raw: func(out io.Writer) { endless(out, 64<<20) }}, "a line of more than 1048576 bytes", "ended before"},
		"too many cases":         {rank0{says: []string{someCase, `case {"case":1,"status":"ok"}`}, end: true}, "more than the 1 cases", "ended before"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c.hello = greeting()
				err := c.run(context.Background())
				should.Hold(t, err != nil && strings.Contains(err.Error(), c.says) && !strings.Contains(err.Error(), c.never), "%v", err)
			})
		})
	}
}

// What is whole by its checksum counts, whoever prints among it: libraries, scripts around mpirun, other ranks.
func TestLinesOfOthersEndNoMpirunWhoseRecordsAreWhole(t *testing.T) {
	const foreign = "[1700000000.123456] [n01:4711 :0]  mm_posix.c:195  UCX  WARN  something"
	var records bytes.Buffer
	w := protocol.NewOutputWriter(&records)
	w.Case(protocol.CaseResult{Case: 0, Status: protocol.StatusOK, NRep: 2}, []protocol.Sample{{NS: 5}, {NS: 5}}, 0)
	must.Do(t, w.End(protocol.End{CallsEnd: &protocol.CallsEnd{}}))
	lines := strings.Split(strings.TrimSpace(records.String()), "\n")
	for _, others := range [][]string{
		{foreign}, {"echo: starting", ""}, {"case of beer"}, {"samples: 5"}, {"end"}, {"end of job"}, {"rank 0 is on n01"}, {"count 3 nodes"}, {"error in the banner"}, {"error"},
		{"first of all"}, {"progress is made"}, {"job 12 begins", "nodes n01 n02"}, {"sofar so good"}, {"exit 0", "sync done"}, {"[1,1]<stderr>: x"}, {strings.Repeat("x", 1000)},
	} {
		for at := range lines {
			synctest.Test(t, func(t *testing.T) {
				r := rank0{hello: greeting(), says: slices.Insert(slices.Clone(lines), at, others...)}
				r.raw = func(out io.Writer) { fmt.Fprintln(out, strings.Join(others, "\n")) }
				should.Do(t, r.run(t.Context()), "%q before record %d", others, at)
			})
		}
	}
}

// endless prints n bytes without a newline.
func endless(out io.Writer, n int) {
	part := make([]byte, 1<<16)
	for ; n > 0; n -= len(part) {
		if _, err := out.Write(part); err != nil {
			return
		}
	}
}

func TestRanksThatAreNotThoseOfTheJobAreRefusedAtOnce(t *testing.T) {
	for says, change := range map[string]func(*protocol.Hello){
		"has 1 processes, and 2 were asked for": func(h *protocol.Hello) { h.NP = 1 },
		"another rank program (b)":              func(h *protocol.Hello) { h.Rank.Hash = "b" },
		"different MPI libraries":               func(h *protocol.Hello) { h.Rank.LibVersion = "MPI 2" },
	} {
		synctest.Test(t, func(t *testing.T) {
			r := rank0{hello: greeting()}
			change(&r.hello)
			err := r.run(context.Background())
			should.Hold(t, err != nil && strings.Contains(err.Error(), says), "%s: %v", says, err)
		})
	}
}

// MPI_Finalize may hang; the samples are there.
func TestInterruptActsAtOnceWhileMpirunEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		r := rank0{hello: greeting(), says: nil, stays: time.Hour, end: true}
		r.hello.NP = 0
		m := newMpirun(r.start, []string{"mpirun"}, nil, limitsFor(DefaultMPI(), 2, time.Minute))
		time.AfterFunc(3*time.Second, cancel)
		begun := time.Now()
		_, err := m.run(ctx, &protocol.Job{CallsJob: &protocol.CallsJob{Measure: &protocol.MeasureJob{}}})
		should.Do(t, err, "the end record had come")
		took := time.Since(begun)
		should.Hold(t, took <= 4*time.Second, "it took %v", took)
	})
}
