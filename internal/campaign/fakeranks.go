package campaign

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"pgmpi/measure"
	"pgmpi/measure/host"
	"pgmpi/measure/protocol"
)

// fault is what goes wrong with a launch.
type fault int

const (
	noFault   fault = iota
	unstarted       // there is no such launcher
	silent          // rank 0 never says hello
	dies            // after the job was taken, with words on standard error
	hangs           // after the first case
	wrongData       // in the first case
	cutOff          // when all cases but the first have been sent, as a long prediction does
	cutRounds       // when the first half of the rounds has been sent
	refused         // by Slurm, whose job is at its end
)

// fakeRanks replace an MPI library: the launcher starts a goroutine that speaks
// rank 0's side of the line protocol and invents its samples. Inside a
// testing/synctest bubble hours of measuring take no time.
type fakeRanks struct {
	Call func(c protocol.JobCase, np int) time.Duration // how long one call takes; nil: 10 µs
	// Under replaces Call by what depends on the environment too; nil: none does.
	Under func(env []string, c protocol.JobCase) time.Duration
	Fault func(launch int) fault // of a launch, from 1; nil: none
	Takes time.Duration          // for a job, beside what its samples say
	Hosts int                    // that a layout names; 0: this one
	Comes time.Duration          // after the launcher was started
	Place string                 // where all ranks are; "": where they are wanted
	Ends  map[string]fault       // of a function, when it is called first

	mu   sync.Mutex
	jobs []protocol.Job
	n    int
	live int
}

var fakeInfo = protocol.RankInfo{Program: "pgmpi-rank", Library: "fake", LibVersion: "Fake MPI 1", BuiltFor: "a fake MPI library", Hash: "fake", Host: "nowhere"}

// rankProgram writes a rank program that can only say its version, and returns its path.
func rankProgram(t *testing.T) string {
	t.Helper()
	text, err := json.Marshal(fakeInfo)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "pgmpi-rank")
	if err := os.WriteFile(path, fmt.Appendf(nil, "#!/bin/sh\necho '%s'\n", text), 0o777); err != nil {
		t.Fatal(err)
	}
	return path
}

// Jobs are what the ranks were given, in order.
func (f *fakeRanks) Jobs() []protocol.Job {
	f.mu.Lock()
	defer f.mu.Unlock()
	return append([]protocol.Job(nil), f.jobs...)
}

// Live is how many launches have not ended.
func (f *fakeRanks) Live() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.live
}

// Start is a measure.Starter.
func (f *fakeRanks) Start(argv, env []string, stderr io.Writer) (*measure.Ranks, error) {
	f.mu.Lock()
	f.n++
	fault := noFault
	if f.Fault != nil {
		fault = f.Fault(f.n)
	}
	if fault != unstarted {
		f.live++
	}
	f.mu.Unlock()
	if fault == unstarted {
		return nil, errors.New("no such launcher")
	}
	in, stdin := io.Pipe()
	stdout, out := io.Pipe()
	x := &measure.Ranks{Stdin: stdin, Stdout: stdout, Exited: make(chan struct{}), Greeted: func() {}}
	killed := make(chan struct{})
	x.Kill = sync.OnceFunc(func() {
		close(killed)
		stdin.Close()
		stdout.Close()
		<-x.Exited
	})
	go func() {
		r := fakeLaunch{fake: f, fault: fault, in: in, out: out, stderr: stderr, killed: killed, delay: delayIn(env), env: env, np: npIn(argv)}
		x.Err = r.run()
		in.Close()
		out.Close()
		f.mu.Lock()
		f.live--
		f.mu.Unlock()
		close(x.Exited)
	}()
	return x, nil
}

// fakeLaunch is one launch of fakeRanks.
type fakeLaunch struct {
	fake   *fakeRanks
	fault  fault
	in     io.Reader
	out    io.Writer
	stderr io.Writer
	killed chan struct{}
	delay  delay
	env    []string
	np     int
}

// npIn is the number of processes that the rank program is told.
func npIn(argv []string) (np int) {
	if i := slices.Index(argv, "--np"); i >= 0 {
		np, _ = strconv.Atoi(argv[i+1])
	}
	return np
}

// delay is what PGMPI_DELAY plants, as the preloaded library of the self-test does.
type delay struct {
	function string
	msize    int64
	ns       int64
}

func delayIn(env []string) (d delay) {
	for _, v := range env {
		if text, ok := strings.CutPrefix(v, "PGMPI_DELAY="); ok {
			_, _ = fmt.Sscanf(strings.ReplaceAll(text, ":", " "), "%s %d %dns", &d.function, &d.msize, &d.ns)
		}
	}
	return d
}

var errDied = errors.New("signal: segmentation fault")

func (r *fakeLaunch) run() error {
	switch r.fault {
	case silent:
		return r.hang()
	case refused:
		fmt.Fprintln(r.stderr, "srun: error: Unable to create step for job 17: Job/step already completing or completed")
		return errDied
	default:
	}
	time.Sleep(r.fake.Comes)
	hello, err := json.Marshal(protocol.Hello{Protocol: protocol.ProtocolVersion, NP: r.np, Rank: fakeInfo})
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintf(r.out, "%s %s\n", protocol.LineHello, hello); err != nil {
		return err
	}
	job, err := protocol.ReadJob(bufio.NewReader(r.in), func(i int) { fmt.Fprintf(r.out, "%s %d\n", protocol.LineAck, i) })
	if err != nil {
		return err // the driver does not need this mpirun
	}
	r.fake.mu.Lock()
	r.fake.jobs = append(r.fake.jobs, *job)
	r.fake.mu.Unlock()
	if p := r.fake.Place; p != "" && job.Place != "" && p != job.Place {
		fmt.Fprintf(r.out, "%s the ranks are placed as %s (nodes × ranks on each), and %s is wanted\n", protocol.LineError, p, job.Place)
		return errDied
	}
	if r.fault == dies {
		time.Sleep(r.fake.Takes)
		fmt.Fprintln(r.stderr, "pgmpi-rank: rank 1: it is a fake")
		return errDied
	}
	if r.fault == cutOff {
		o := protocol.NewOutputWriter(r.out)
		for i, c := range job.Cases[1:] {
			samples := r.samples(job, c)
			o.Case(protocol.CaseResult{Case: i + 1, Status: protocol.StatusOK, NRep: len(samples), Converged: true}, samples)
		}
		if err := o.SoFar(0); err != nil {
			return err
		}
		return r.hang()
	}
	if r.fault == cutRounds {
		return r.firstRounds(job)
	}
	for _, c := range job.Cases {
		if how := r.fake.Ends[c.Function]; how != noFault && c.Skip == "" {
			return r.endIn(c.Function, how)
		}
	}
	fmt.Fprintf(r.out, "%s 1 %d the first case\n", protocol.LineProgress, len(job.Cases))
	if r.fault == hangs {
		return r.hang()
	}
	select {
	case <-time.After(r.fake.Takes):
	case <-r.killed:
		return errDied
	}
	return r.output(job)
}

// endIn is the end of an mpirun in the first call of a function, in the ranks' words.
func (r *fakeLaunch) endIn(function string, how fault) error {
	fmt.Fprintf(r.out, "%s %s at 8 B\n", protocol.LineFirst, function)
	if how == hangs {
		fmt.Fprintf(r.out, "%s no case finished for 2m0s (measure.stall); the one running is %s at 8 B\n", protocol.LineError, function)
	} else {
		fmt.Fprintln(r.stderr, "Segmentation fault (signal 11)")
	}
	return errDied
}

// firstRounds sends what half of the rounds have brought, and hangs.
func (r *fakeLaunch) firstRounds(job *protocol.Job) error {
	n := (len(job.Rounds) + 1) / 2
	visits, all := map[int]int{}, map[int]int{}
	for at, i := range job.Order {
		all[i]++
		if at < job.Rounds[n-1] {
			visits[i]++
		}
	}
	o := protocol.NewOutputWriter(r.out)
	for i, c := range measured(*job) {
		samples := r.samples(job, c)[:c.NRep*visits[i]/all[i]]
		o.Case(protocol.CaseResult{Case: i, Status: protocol.StatusOK, NRep: len(samples)}, samples)
	}
	if err := o.SoFar(n); err != nil {
		return err
	}
	return r.hang()
}

// measured are the cases of a job that are not only called.
func measured(j protocol.Job) []protocol.JobCase {
	return slices.DeleteFunc(slices.Clone(j.Cases), func(c protocol.JobCase) bool { return c.Company })
}

// hang returns when the driver has ended the launch.
func (r *fakeLaunch) hang() error {
	<-r.killed
	return errDied
}

func (r *fakeLaunch) output(job *protocol.Job) error {
	o := protocol.NewOutputWriter(r.out)
	if n := r.fake.Hosts; job.Layout && n > 0 {
		o.Layout(manyHosts(n, job.NP/n))
	} else if job.Layout {
		o.Layout(oneHost(job.NP))
	}
	for i, c := range job.Cases {
		result := protocol.CaseResult{Case: i, Status: protocol.StatusOK, Converged: job.Mode == protocol.ModeNREP}
		if c.Company {
			break // and what follows has no result either
		}
		if c.Skip != "" {
			result.Status = c.Skip
		} else if r.fault == wrongData && i == 0 {
			result.Status, result.Message = protocol.StatusWrong, "rank 0 has 1 in place of 2"
		}
		var samples []protocol.Sample
		if result.Status == protocol.StatusOK {
			samples = r.samples(job, c)
		}
		result.NRep = len(samples)
		if job.Overlap != nil && len(samples) > 0 {
			result.Overlap = hidden(job, c, float64(samples[0].NS))
		}
		o.Case(result, samples)
	}
	clock := protocol.ClockInfo{Name: "monotonic", TickNS: 1}
	return o.End(protocol.End{MemoryCap: 1 << 30, Clock: &clock, Variables: r.variables(job.Variables), Timing: protocol.Timing{Sync: job.Sync, Sample: "local", Cache: job.Cache}})
}

// variables are those of the environment; the library has none.
func (r *fakeLaunch) variables(names []string) (out []protocol.Variable) {
	for _, name := range names {
		v := protocol.Variable{Name: name}
		for _, line := range r.env {
			if value, ok := strings.CutPrefix(protocol.OfEnvironment+line, name+"="); ok {
				v.Known, v.Value = true, value
			}
		}
		out = append(out, v)
	}
	return out
}

// hidden is a call of which nothing is hidden without tests, and half with the most of them.
func hidden(job *protocol.Job, c protocol.JobCase, ns float64) *protocol.Overlap {
	side := func(t protocol.OverlapTry, left float64) protocol.Overlapped {
		return protocol.Overlapped{Interval: t.Interval, Tests: t.Tests, N: c.NRep, PostNS: left / 4, WaitNS: left * 3 / 4, OverheadNS: left, OverallNS: ns + left, ExcessNS: left}
	}
	tries := job.Overlap.Tests(c.Msize)
	return &protocol.Overlap{BlockingNS: ns, ComputeNS: int64(ns), Search: tries, None: side(tries[0], ns), Best: side(tries[len(tries)-1], ns/2), DoneNS: ns}
}

// samples scatter by a percent, in every launch and in every case alike.
func (r *fakeLaunch) samples(job *protocol.Job, c protocol.JobCase) []protocol.Sample {
	each := 10 * time.Microsecond
	if r.fake.Call != nil {
		each = r.fake.Call(c, job.NP)
	}
	if r.fake.Under != nil {
		each = r.fake.Under(r.env, c)
	}
	if c.Function == r.delay.function && c.Msize == r.delay.msize {
		each += time.Duration(r.delay.ns)
	}
	n := c.NRep
	if job.Mode == protocol.ModeNREP {
		n = 20
	}
	samples := make([]protocol.Sample, n)
	for i := range samples {
		samples[i].NS = int64(each)*int64(max(1, c.Calls))*int64(1000+i%11)/1000 + 1
	}
	return samples
}

// oneHost puts all ranks on this host, where two launches may meet.
func oneHost(np int) *host.Layout {
	self, _ := os.Hostname()
	l := &host.Layout{Kinds: []host.NodeKind{{}}, Pinnings: [][]host.Pin{{{CPUs: host.Ranges{0}, Ranks: np}}},
		Nodes: []host.Node{{Host: self}}}
	for i := range np {
		l.Nodes[0].Ranks = append(l.Nodes[0].Ranks, i)
	}
	return l
}

// manyHosts puts so many ranks on each of n hosts of one kind, each on a core of its own.
func manyHosts(n, each int) *host.Layout {
	var pins []host.Pin
	for cpu := range each {
		pins = append(pins, host.Pin{CPUs: host.Ranges{cpu}, Ranks: 1})
	}
	l := &host.Layout{Kinds: []host.NodeKind{{Kernel: "6.1", CPU: "a CPU", Env: map[string]string{"UCX_TLS": "rc"}}}, Pinnings: [][]host.Pin{pins}}
	for i := range n {
		node := host.Node{Host: fmt.Sprintf("node%05d", i), MemTotal: 256 << 30, MemAvailable: 200 << 30}
		for k := range each {
			node.Ranks = append(node.Ranks, i*each+k)
		}
		l.Nodes = append(l.Nodes, node)
	}
	return l
}
