package measure

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"pgmpi/measure/launch"
	"pgmpi/measure/protocol"
)

// Time limits of the protocol. A launcher needs seconds, a batch system up to a
// minute, to start the ranks; a measure.stall below 18s shortens the first two.
const (
	helloLimit = 90 * time.Second
	ackLimit   = 30 * time.Second
	stallGrace = 10 * time.Second // beyond measure.stall, which the ranks watch themselves
	// From the end record to the end of mpirun. MPI_Finalize may hang: MPICH 4.0.2
	// over UCX's TCP does, one time in four at p = 4.
	endLimit  = 10 * time.Second
	termGrace = 2 * time.Second // between SIGTERM and SIGKILL
)

// Error is a failed mpirun: its command line, what happened, the last lines of
// its standard error, and what to try.
type Error struct {
	Argv    []string
	What    string
	Stderr  string
	Remedy  string
	Started bool // the ranks had taken the job
}

func (e *Error) Error() string {
	s := fmt.Sprintf("%s\n  command: %s", e.What, strings.Join(e.Argv, " "))
	if e.Stderr != "" {
		s += "\n  its last lines:\n    " + strings.ReplaceAll(e.Stderr, "\n", "\n    ")
	}
	if e.Remedy != "" {
		s += "\n  try: " + e.Remedy
	}
	return s
}

// mpirun is one launch of the rank program.
type mpirun struct {
	argv    []string
	env     []string
	jobFile bool // argv names a file that holds the job
	stall   time.Duration
	starter Starter
	// progress hears how many cases are done, and the last of them; or nil.
	progress func(done, total int, name string)

	ranks  *Ranks
	stderr tail
	lines  chan []byte // of standard output; closed at its end
	hello  *protocol.Hello
	taken  bool   // the job, by the ranks
	last   string // the case that progress named last
	begun  time.Time
	launch time.Duration // until rank 0's hello was read
	wall   time.Duration // until its end record
}

// newMpirun prepares a launch; no Starter is Exec.
func newMpirun(start Starter, argv []string, env map[string]string, stall time.Duration) *mpirun {
	if start == nil {
		start = Exec
	}
	return &mpirun{argv: argv, env: environment(env), stall: stall, starter: start}
}

// run does an mpirun from its start to its end. No process is left when it returns.
func (m *mpirun) run(ctx context.Context, job *protocol.Job) (*protocol.Output, error) {
	if err := m.start(); err != nil {
		return nil, err
	}
	out, err := m.serve(ctx, job)
	if err == nil {
		m.end()
	}
	return out, err
}

// start starts the ranks, which wait for a job.
func (m *mpirun) start() (err error) {
	m.begun = time.Now()
	if m.ranks, err = m.starter(m.argv, m.env, &m.stderr); err != nil {
		return &Error{Argv: m.argv, What: fmt.Sprintf("the launcher could not be started: %v", err)}
	}
	m.lines = make(chan []byte, 64)
	go func() {
		defer m.ranks.Stdout.Close()
		defer close(m.lines)
		in := bufio.NewReaderSize(m.ranks.Stdout, 1<<16)
		for {
			line, err := in.ReadBytes('\n')
			if err != nil {
				return
			}
			m.lines <- bytes.TrimSuffix(line, []byte("\n"))
		}
	}()
	return nil
}

// serve hands the job to the ranks and collects what they measured. After an
// error no process is left.
func (m *mpirun) serve(ctx context.Context, job *protocol.Job) (*protocol.Output, error) {
	out, err := m.talk(ctx, job)
	m.wall = time.Since(m.begun)
	if err == nil {
		return out, nil
	}
	if !errors.Is(err, errEnded) {
		m.stderr.close()
	}
	m.kill()
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return nil, m.explain(err)
}

// end waits for the end of an mpirun that has sent its end record. Its samples
// are whole by then, so a bad exit status does not undo them. Standard input
// stays open: its end would tell the ranks that the driver is gone.
func (m *mpirun) end() {
	select {
	case <-m.ranks.Exited:
	case <-time.After(endLimit):
	}
	m.stderr.close()
	m.kill()
}

// kill ends what is left of the mpirun, and waits for it.
func (m *mpirun) kill() {
	go func() {
		for range m.lines {
		}
	}()
	m.ranks.Kill()
	if host, err := os.Hostname(); err == nil && m.hello != nil && m.hello.Rank.Host == host {
		launch.RemoveShared(m.hello.Shared)
	}
}

// rankError is what rank 0 said itself before it gave up.
type rankError string

func (e rankError) Error() string { return string(e) }

var errEnded = errors.New("mpirun ended before its end record")

// line returns the next line of rank 0.
func (m *mpirun) line(ctx context.Context, limit time.Duration, waiting string) ([]byte, error) {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case l, ok := <-m.lines:
		if !ok {
			return nil, errEnded
		}
		if word, text, _ := bytes.Cut(l, []byte(" ")); string(word) == protocol.LineError {
			return nil, rankError(text)
		}
		return l, nil
	case <-timer.C:
		return nil, errors.New(waiting)
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// talk is the driver's side of the line protocol.
func (m *mpirun) talk(ctx context.Context, job *protocol.Job) (*protocol.Output, error) {
	if err := m.greet(ctx); err != nil {
		return nil, err
	}
	m.launch = time.Since(m.begun)
	m.ranks.Greeted()
	if !m.jobFile {
		if err := m.hand(ctx, job); err != nil {
			return nil, err
		}
	}
	m.taken = true
	return m.collect(ctx)
}

// lineWith returns the next line that has the word. What a preloaded library
// of any rank prints before main comes first, and is skipped.
func (m *mpirun) lineWith(ctx context.Context, word string, limit time.Duration, waiting string) (before, text string, err error) {
	for end := time.Now().Add(limit); ; {
		line, err := m.line(ctx, time.Until(end), fmt.Sprintf(waiting, limit))
		if err != nil {
			return "", "", err
		}
		if before, text, ok := strings.Cut(string(line), word+" "); ok {
			return before, text, nil
		}
		m.aside(line)
	}
}

// aside adds a line that is not rank 0's to the launcher's words.
func (m *mpirun) aside(line []byte) { fmt.Fprintf(&m.stderr, "%s\n", line) }

// hand gives the job to rank 0.
func (m *mpirun) hand(ctx context.Context, job *protocol.Job) error {
	lines, err := protocol.EncodeJob(job)
	if err != nil {
		return err
	}
	for i, text := range lines {
		// A rank that died is reported by what it said last, not by EPIPE.
		_, _ = io.WriteString(m.ranks.Stdin, text+"\n")
		before, ack, err := m.lineWith(ctx, protocol.LineAck, min(ackLimit, 2*m.stall),
			"rank 0 has started, but has not acknowledged the job within %v: the launcher does not forward standard input to it")
		if err != nil {
			return err
		}
		if want := fmt.Sprint(i + 1); before != "" || ack != want {
			return fmt.Errorf("expected %q from rank 0, got %.80q", protocol.LineAck+" "+want, before+protocol.LineAck+" "+ack)
		}
	}
	return nil
}

func (m *mpirun) greet(ctx context.Context) error {
	before, text, err := m.lineWith(ctx, protocol.LineHello, min(helloLimit, 5*m.stall), "no word from rank 0 within %v")
	if err != nil {
		return err
	}
	if before != "" {
		return fmt.Errorf("%q comes before the first word of rank 0: the launcher labels every line", before)
	}
	var h protocol.Hello
	if err := json.Unmarshal([]byte(text), &h); err != nil {
		return fmt.Errorf("hello: %w", err)
	}
	if h.Protocol != protocol.ProtocolVersion {
		return fmt.Errorf("the rank program speaks protocol %d, pgmpi %d: build both again with `make build`", h.Protocol, protocol.ProtocolVersion)
	}
	m.hello = &h
	return nil
}

func (m *mpirun) collect(ctx context.Context) (*protocol.Output, error) {
	var in protocol.OutputReader
	for {
		line, err := m.line(ctx, m.stall+stallGrace, fmt.Sprintf("no word from the ranks for %v: they hang, or were stopped (measure.stall)", m.stall+stallGrace))
		if err != nil {
			return nil, err
		}
		if text, ok := strings.CutPrefix(string(line), protocol.LineProgress+" "); ok {
			var done, total int
			if _, err := fmt.Sscanf(text, "%d %d", &done, &total); err == nil {
				_, m.last, _ = strings.Cut(text[strings.Index(text, " ")+1:], " ")
				if m.progress != nil {
					m.progress(done, total, m.last)
				}
			}
			continue
		}
		done, err := in.Add(line)
		if err != nil {
			return nil, m.orEnded(line, err)
		}
		if done {
			return in.Output(), nil
		}
	}
}

// orEnded returns err, the fault of a line, unless mpirun is about to end:
// MPICH's writes the story of a rank that died to standard output.
func (m *mpirun) orEnded(line []byte, err error) error {
	m.aside(line)
	for limit := time.After(termGrace); ; {
		select {
		case l, ok := <-m.lines:
			if !ok {
				return errEnded
			}
			m.aside(l)
		case <-limit:
			return err
		}
	}
}
