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
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"time"

	"pgmpi/measure/results"
)

// Time limits of the protocol. A launcher needs seconds, a batch system up to a
// minute, to start the ranks.
const (
	helloLimit = 90 * time.Second
	ackLimit   = 30 * time.Second
	stallGrace = 10 * time.Second // beyond measure.stall, which the ranks watch themselves
	termGrace  = 2 * time.Second  // between SIGTERM and SIGKILL
)

// Error is a failed mpirun: its command line, what happened, the last lines of
// its standard error, and what to try.
type Error struct {
	Argv    []string
	What    string
	Stderr  string
	Remedy  string
	Started bool // the ranks had answered
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
	argv     []string
	env      []string
	job      *results.Job
	stall    time.Duration
	progress func(done, total int, name string)

	cmd    *exec.Cmd
	stdin  io.WriteCloser
	stderr tail
	lines  chan []byte // of standard output; closed at its end
	exited chan struct{}
	err    error // of Wait, once exited is closed
	hello  *results.Hello
	last   string // the case that progress named last
}

// run starts the ranks, hands them the job and collects what they measured. No
// process is left when it returns.
func (m *mpirun) run(ctx context.Context) (*results.Hello, *results.Output, error) {
	if err := m.start(); err != nil {
		return nil, nil, &Error{Argv: m.argv, What: fmt.Sprintf("the launcher could not be started: %v", err)}
	}
	out, err := m.talk(ctx)
	if err == nil {
		m.finish()
	}
	m.kill()
	if err != nil {
		if ctx.Err() != nil {
			return nil, nil, context.Cause(ctx)
		}
		return nil, nil, m.explain(err)
	}
	return m.hello, out, nil
}

func (m *mpirun) start() error {
	m.cmd = exec.Command(m.argv[0], m.argv[1:]...)
	m.cmd.Env = m.env
	m.cmd.Stderr = &m.stderr
	// A group of its own, so that a signal reaches every local rank; SIGTERM
	// when the driver dies, so that mpirun clears up its shared memory.
	m.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGTERM}
	m.cmd.WaitDelay = termGrace
	stdin, err := m.cmd.StdinPipe()
	if err != nil {
		return err
	}
	m.stdin = stdin
	r, w, err := os.Pipe()
	if err != nil {
		return err
	}
	m.cmd.Stdout = w
	m.lines = make(chan []byte, 64)
	m.exited = make(chan struct{})
	started := make(chan error)
	go func() {
		// Pdeathsig fires when the thread that forked ends.
		runtime.LockOSThread()
		err := m.cmd.Start()
		w.Close()
		started <- err
		if err == nil {
			m.err = m.cmd.Wait()
			close(m.exited)
		}
	}()
	if err := <-started; err != nil {
		r.Close()
		return err
	}
	go func() {
		defer r.Close()
		defer close(m.lines)
		in := bufio.NewReaderSize(r, 1<<16)
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
		if word, text, _ := bytes.Cut(l, []byte(" ")); string(word) == results.LineError {
			return nil, rankError(text)
		}
		return l, nil
	case <-timer.C:
		return nil, fmt.Errorf("no %s for %v", waiting, limit)
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// talk is the driver's side of the line protocol.
func (m *mpirun) talk(ctx context.Context) (*results.Output, error) {
	if err := m.greet(ctx); err != nil {
		return nil, err
	}
	lines, err := results.EncodeJob(m.job)
	if err != nil {
		return nil, err
	}
	for i, text := range lines {
		// A rank that died is reported by what it said last, not by EPIPE.
		_, _ = io.WriteString(m.stdin, text+"\n")
		ack, err := m.line(ctx, ackLimit, "acknowledgement of the job: the launcher may not forward standard input")
		if err != nil {
			return nil, err
		}
		if want := fmt.Sprintf("%s %d", results.LineAck, i+1); string(ack) != want {
			return nil, fmt.Errorf("expected %q from rank 0, got %.80q", want, ack)
		}
	}
	return m.collect(ctx)
}

func (m *mpirun) greet(ctx context.Context) error {
	line, err := m.line(ctx, helloLimit, "word from rank 0 after the start")
	if err != nil {
		return err
	}
	before, text, ok := strings.Cut(string(line), results.LineHello+" ")
	switch {
	case !ok:
		return fmt.Errorf("expected the rank program's hello, got %.100q: something else prints to standard output first", line)
	case before != "":
		return fmt.Errorf("the launcher puts %q before every line: switch its labels off (srun -l, mpirun --tag-output, -prepend-rank)", before)
	}
	var h results.Hello
	if err := json.Unmarshal([]byte(text), &h); err != nil {
		return fmt.Errorf("hello: %w", err)
	}
	if h.Protocol != results.ProtocolVersion {
		return fmt.Errorf("the rank program speaks protocol %d, pgmpi %d: build both again with `make build`", h.Protocol, results.ProtocolVersion)
	}
	m.hello = &h
	return nil
}

func (m *mpirun) collect(ctx context.Context) (*results.Output, error) {
	var in results.OutputReader
	for {
		line, err := m.line(ctx, m.stall+stallGrace, "progress")
		if err != nil {
			return nil, err
		}
		if text, ok := strings.CutPrefix(string(line), results.LineProgress+" "); ok {
			var done, total int
			if _, err := fmt.Sscanf(text, "%d %d", &done, &total); err == nil {
				_, m.last, _ = strings.Cut(text[strings.Index(text, " ")+1:], " ")
				m.progress(done, total, m.last)
			}
			continue
		}
		done, err := in.Add(line)
		if err != nil {
			return nil, err
		}
		if done {
			return in.Output(), nil
		}
	}
}

// finish waits for mpirun after the end record. Its samples are whole by then,
// so a bad exit status does not undo them. Standard input stays open: its end
// would tell the ranks that the driver is gone.
func (m *mpirun) finish() {
	select {
	case <-m.exited:
	case <-time.After(ackLimit):
	}
}

// kill ends what is left of the mpirun's process group, and waits for it.
func (m *mpirun) kill() {
	group := -m.cmd.Process.Pid
	_ = syscall.Kill(group, syscall.SIGTERM)
	go func() {
		for range m.lines {
		}
	}()
	select {
	case <-m.exited:
	case <-time.After(termGrace):
	}
	m.stdin.Close()
	_ = syscall.Kill(group, syscall.SIGKILL)
	<-m.exited
}

// explain makes the error that a person can act on.
func (m *mpirun) explain(err error) *Error {
	e := &Error{Argv: m.argv, What: err.Error(), Started: m.hello != nil}
	clues := e.What
	if said := rankError(""); !errors.As(err, &said) {
		// Behind a rank's own words there is only the launcher's noise about the abort.
		e.Stderr = lastLines(m.stderr.String(), 12)
		clues += m.stderr.String()
	}
	if errors.Is(err, errEnded) {
		status := "exit status 0, silently: a rank left without a word"
		if m.err != nil {
			status = m.err.Error()
		}
		e.What = fmt.Sprintf("%v (%s)", err, status)
		if m.last != "" {
			e.What += fmt.Sprintf("; the last case that was reported finished is %s", m.last)
		}
	}
	e.Remedy = remedy(clues, e.Started)
	return e
}

// remedy knows what the libraries say in trouble.
func remedy(clues string, started bool) string {
	for _, r := range []struct{ text, try string }{
		{"not enough slots", "fewer processes (--np), or a launcher that may oversubscribe: --launch \"mpirun -np {np} --oversubscribe\""},
		{"more processes than", "fewer processes (--np), or --launch with --bind-to none"},
		{"run as root", "another user, or, in a container, OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1"},
		{"error while loading shared libraries", "the environment that the rank program was built in (LD_LIBRARY_PATH, module load), or `make build` again"},
		{"forward standard input", "with srun: --input=0"},
		{"measure.stall", "--stall with a longer time, or check.exclude for the guidelines of that function; a collective that hangs is a fault of the library"},
		{"built for", "--launch with the mpirun of that library, or --rank with the rank program of the other"},
	} {
		if strings.Contains(clues, r.text) {
			return r.try
		}
	}
	if !started {
		return "the command above by hand with --version at its end; --launch names another launcher"
	}
	return "the same command line with --resume: finished mpiruns are kept"
}

// tail keeps the end of what is written to it.
type tail struct {
	mu   sync.Mutex
	text []byte
}

const tailBytes = 16 << 10

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, p...)
	if n := len(t.text); n > tailBytes {
		t.text = append(t.text[:0], t.text[n-tailBytes:]...)
	}
	return len(p), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.text)
}
