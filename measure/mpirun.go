package measure

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"pgmpi/measure/protocol"
	"pgmpi/measure/results"
)

const (
	ackLimit   = 30 * time.Second
	stallGrace = 10 * time.Second // beyond measure.stall, which the ranks watch themselves
	// Between the end record and the end of mpirun, at least. MPI_Finalize may hang: MPICH 4.0.2
	// over UCX's TCP does, one time in four at p = 4.
	endLimit     = 10 * time.Second
	termGrace    = 2 * time.Second // between SIGTERM and SIGKILL
	orphansEvery = 100 * time.Millisecond
	lostGrace    = time.Second // between a launcher's word that it cannot start a rank and its end
)

type limits struct {
	hello, ack, stall, end time.Duration
}

// limitsFor returns the limits of np ranks. A short measure.stall shortens the defaults.
func limitsFor(c MPIConfig, np int, stall time.Duration) limits {
	start := c.StartsWithin(np)
	l := limits{hello: start, ack: min(ackLimit, 2*stall), stall: stall, end: max(endLimit, start-EndsEarlier)}
	if c.StartLimit == 0 {
		l.hello = min(start, 5*stall+startPerRank(np))
	}
	return l
}

type Error struct {
	Argv    []string
	What    string
	Stderr  string // its first and last words, or those that say What
	Remedy  string // what to try
	Started bool   // the ranks had taken the job
	Again   bool   // may go well when it is tried again, though nothing has worked yet
	JobOver bool   // the batch system says that its job is at its end
	Hung    string // the function that did not return, if the ranks name it
	Crashed string // the function, if any, that ended the mpirun when it was called first
	Late    bool   // something did not come within a limit of time
	Lacks   string // the name, if any, for which the loader found no function
}

func (e *Error) Error() string { return strings.Join(e.Lines(), "\n") }

// Lines returns the error as lines, with words of the launcher and the ranks.
func (e *Error) Lines() []string {
	out := []string{e.What, "  command: " + strings.Join(e.Argv, " ")}
	if e.Stderr != "" {
		out = append(out, "  it said:")
		for line := range strings.SplitSeq(e.Stderr, "\n") {
			out = append(out, "    "+line)
		}
	}
	if e.Remedy != "" {
		out = append(out, "  try: "+e.Remedy)
	}
	return out
}

type mpirun struct {
	argv     []string
	env      []string
	shaped   bool // ranks are asked for by nodes
	jobFile  bool // argv names a file that holds the job
	limits   limits
	starter  Starter
	rank     *protocol.RankInfo                 // that the ranks must have, if not nil
	progress func(done, total int, name string) // if set, hears how many cases are done, and the last of them
	ready    func(launch time.Duration)         // called, if set, when the ranks have started; may change the job
	folder   *results.Folder                    // if set, remembers the launcher until it has ended
	forget   func()
	watched  bool     // code is wanted
	code     []string // files with code that its ranks run on this host

	ranks  *Ranks
	stderr tail
	lost   chan struct{} // closed when the launcher has said that it cannot start a rank
	lines  chan []byte   // of standard output; closed at its end
	bad    error         // what is wrong with the first line that looks like a record and is none
	others []string      // lines of standard output that are not rank 0's, the first of them
	label  string        // before rank 0's first word
	ended  bool          // the launcher, by itself
	hello  *protocol.Hello
	taken  bool   // the job, by the ranks
	last   string // the case that progress named last
	first  string // the case, if any, that is called for the first time and may end the mpirun
	in     *protocol.OutputReader
	begun  time.Time
	launch time.Duration // until rank 0's hello was read
	wall   time.Duration // until its end record
	rode   []rode        // what the riders have sent
	fault  error         // of the rider after these, if any
}

type rode struct {
	out  *protocol.Output
	wall time.Duration // after the end record before
}

func newMpirun(start Starter, argv []string, env map[string]string, l limits) *mpirun {
	if start == nil {
		start = Exec
	}
	lost := make(chan struct{})
	return &mpirun{argv: argv, env: environment(env), limits: l, starter: start, lost: lost, stderr: tail{lost: lost}}
}

// run leaves no process when it returns.
func (m *mpirun) run(ctx context.Context, job *protocol.Job) (*protocol.Output, error) {
	if ctx.Err() != nil { // asked before ranks are there: once told to end, the driver ends them
		return nil, context.Cause(ctx)
	}
	m.shaped = strings.Contains(job.Place, "x") // nodes × ranks on each
	if err := m.start(); err != nil {
		return nil, err
	}
	out, err := m.serve(ctx, job)
	if err == nil {
		m.end(ctx)
	}
	return out, err
}

func (m *mpirun) start() (err error) {
	m.begun = time.Now()
	if m.ranks, err = m.starter(m.argv, m.env, &m.stderr); err != nil {
		return &Error{Argv: m.argv, What: fmt.Sprintf("the launcher could not be started: %v", err)}
	}
	if m.folder != nil && m.ranks.PID != 0 {
		m.forget = m.folder.Remember(launcherOf(m.ranks.PID, m.env, m.begun))
	}
	m.lines = make(chan []byte, 64)
	go func() {
		defer m.ranks.Stdout.Close()
		defer close(m.lines)
		in := bufio.NewReaderSize(m.ranks.Stdout, 1<<16)
		for {
			line, err := readLine(in)
			if err != nil {
				return
			}
			m.lines <- line
		}
	}()
	return nil
}

// readLine returns the next line without its newline. Of a line that is too long it returns a little
// more than protocol.MaxLine, and skips the rest.
func readLine(in *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		part, err := in.ReadSlice('\n')
		if room := protocol.MaxLine + 1 - len(line); len(part) > room {
			part = part[:max(0, room)]
		}
		line = append(line, part...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return bytes.TrimSuffix(line, []byte("\n")), err
		}
	}
}

// serve hands the job to the ranks and collects their output. After an error no process is left. A rider
// that fails spoils nothing of what came before it.
func (m *mpirun) serve(ctx context.Context, job *protocol.Job) (*protocol.Output, error) {
	out, err := m.talk(ctx, job)
	m.wall = time.Since(m.begun)
	if err == nil {
		err = m.ride(ctx, job.Each()[1:])
	}
	if err == nil {
		return out, nil
	}
	if err = m.failed(ctx, err); out != nil {
		m.fault = err
		return out, nil
	}
	return nil, err
}

// ride collects what riders send.
func (m *mpirun) ride(ctx context.Context, riders []*protocol.Job) error {
	for _, job := range riders {
		begun := time.Now()
		m.last, m.first = "", ""
		out, err := m.collect(ctx, job)
		if err != nil {
			return err
		}
		m.rode = append(m.rode, rode{out, time.Since(begun)})
	}
	return nil
}

// failed ends an mpirun, and explains its fault.
func (m *mpirun) failed(ctx context.Context, err error) error {
	if errors.Is(err, errEnded) {
		select { // its own end, before kill gives it another
		case <-m.ranks.Exited:
			m.ended = true
		case <-ctx.Done():
		case <-time.After(termGrace):
		}
	} else {
		m.stderr.close()
	}
	m.kill()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return m.explain(err)
}

// end waits, while there is time, until an mpirun ends that has sent its end record. Its samples are
// whole by then, so a bad exit status does not undo them. Standard input stays open: its end would tell
// the ranks that the driver is gone.
func (m *mpirun) end(ctx context.Context) {
	for limit, waits := time.After(m.limits.end), true; waits; {
		select {
		case <-m.ranks.Exited:
			waits = false
		case <-ctx.Done():
			waits = false
		case <-limit:
			waits = false
		case <-time.After(orphansEvery):
			m.ranks.Orphans()
		}
	}
	m.stderr.close()
	m.kill()
}

func (m *mpirun) kill() {
	go func() {
		for range m.lines {
		}
	}()
	m.ranks.Kill()
	if m.forget != nil {
		m.forget()
	}
}

type rankError string

// lateError says what did not come within a limit of time.
type lateError string

func (e lateError) Error() string { return string(e) }

func (e rankError) Error() string { return string(e) }

var (
	errLost  = errors.New("the launcher could not start a rank")
	errEnded = errors.New("mpirun ended before its end record")
)

// line returns the next line. An error line is rank 0's last word; where it goes on, somebody else has printed the
// line.
func (m *mpirun) line(ctx context.Context, limit time.Duration, waiting string) ([]byte, error) {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	said, since := rankError(""), (<-chan time.Time)(nil)
	for {
		select {
		case l, ok := <-m.lines:
			word, text, _ := bytes.Cut(l, []byte(" "))
			switch {
			case !ok && said != "":
				return nil, said
			case !ok:
				return nil, errEnded
			case len(l) > protocol.MaxLine:
				return nil, fmt.Errorf("a line of more than %d bytes, which begins with %.60q: standard output is damaged, or another program prints there", protocol.MaxLine, l)
			case string(word) == protocol.LineError && said == "":
				said, since = rankError(text), time.After(termGrace)
			case said != "" && !protocol.FromRank0(l):
				m.aside(l)
			default:
				if said != "" {
					m.aside([]byte(protocol.LineError + " " + string(said)))
				}
				return l, nil
			}
		case <-since:
			return nil, said
		case <-timer.C:
			return nil, lateError(waiting)
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

func (m *mpirun) talk(ctx context.Context, job *protocol.Job) (*protocol.Output, error) {
	if err := m.greet(ctx, job.NP); err != nil {
		return nil, err
	}
	m.launch = time.Since(m.begun)
	m.ranks.Greeted(m.hello.Shared)
	if m.watched {
		m.code = m.ranks.Code()
	}
	if m.ready != nil {
		m.ready(m.launch)
	}
	if !m.jobFile {
		if err := m.hand(ctx, job); err != nil {
			return nil, err
		}
	}
	m.taken = true
	return m.collect(ctx, job.Each()[0])
}

// lineWith returns the next line that has the word. It skips what a preloaded library
// of any rank prints before main.
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

// mostOthers limits the lines of others that are kept to be shown.
const mostOthers = 3

// aside keeps a line that is not rank 0's. Where mpirun fails it is among the launcher's words.
func (m *mpirun) aside(line []byte) {
	if len(m.others) < mostOthers && len(bytes.TrimSpace(line)) > 0 {
		m.others = append(m.others, string(line))
	}
	fmt.Fprintf(&m.stderr, "%s\n", line)
}

func (m *mpirun) hand(ctx context.Context, job *protocol.Job) error {
	lines, err := protocol.EncodeJob(job)
	if err != nil {
		return err
	}
	for i, text := range lines {
		// Report a rank that died by its last words, not by EPIPE.
		_, _ = io.WriteString(m.ranks.Stdin, text+"\n")
		before, ack, err := m.lineWith(ctx, protocol.LineAck, m.limits.ack,
			"rank 0 has started, but has not acknowledged the job within %v: the launcher does not forward standard input to it")
		if err != nil {
			return err
		}
		if before != "" && before == m.label {
			return fmt.Errorf("%q comes before the words of rank 0: the launcher labels every line", before)
		}
		if want := fmt.Sprint(i + 1); ack != want {
			return fmt.Errorf("expected %q from rank 0, got %.80q", protocol.LineAck+" "+want, before+protocol.LineAck+" "+ack)
		}
	}
	return nil
}

func (m *mpirun) giveUpWhenLost(ctx context.Context, stop context.CancelCauseFunc) {
	go func() {
		select {
		case <-m.lost:
			select {
			case <-time.After(lostGrace): // for the rest of its words, or its end
			case <-ctx.Done():
			}
			stop(errLost)
		case <-ctx.Done():
		}
	}()
}

func (m *mpirun) greet(ctx context.Context, np int) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	m.giveUpWhenLost(ctx, stop)
	before, text, err := m.lineWith(ctx, protocol.LineHello, m.limits.hello, "no word from rank 0 within %v (mpi.start_limit)")
	if err != nil {
		return err
	}
	if m.label = before; before != "" {
		m.aside([]byte(before))
	}
	var h protocol.Hello
	if err := json.Unmarshal([]byte(text), &h); err != nil {
		return fmt.Errorf("hello: %w", err)
	}
	if h.Protocol != protocol.ProtocolVersion {
		return fmt.Errorf("the rank program speaks protocol %d, pgmpi %d: build both again with `make build`", h.Protocol, protocol.ProtocolVersion)
	}
	m.hello = &h
	switch is := m.rank; {
	case h.NP != np:
		return fmt.Errorf("MPI_COMM_WORLD has %d processes, and %d were asked for: the launcher does not start what its command says", h.NP, np)
	case is != nil && h.Rank.Hash != is.Hash:
		return fmt.Errorf("rank 0 runs another rank program (%s) than this results folder was made with (%s)", h.Rank.Hash, is.Hash)
	case is != nil && h.Rank.LibVersion != is.LibVersion:
		return fmt.Errorf("rank 0 loads %q, and on this host the rank program loads %q: the two find different MPI libraries (LD_LIBRARY_PATH, module load)", h.Rank.LibVersion, is.LibVersion)
	}
	return nil
}

func (m *mpirun) collect(ctx context.Context, job *protocol.Job) (*protocol.Output, error) {
	m.in = protocol.NewOutputReader(job)
	for {
		line, err := m.line(ctx, m.limits.stall+stallGrace, fmt.Sprintf("no word from the ranks for %v: they hang, or were stopped (measure.stall)", m.limits.stall+stallGrace))
		if err != nil {
			return nil, err
		}
		if err := protocol.Malformed(line); err != nil {
			if rest, labelled := strings.CutPrefix(string(line), m.label); labelled && m.label != "" && protocol.FromRank0([]byte(rest)) {
				return nil, fmt.Errorf("%q comes before the words of rank 0: the launcher labels every line", m.label)
			}
			if m.aside(line); protocol.IsOutput(line) && m.bad == nil {
				m.bad = err
			}
			continue
		}
		if text, ok := strings.CutPrefix(string(line), protocol.LineFirst+" "); ok {
			m.first = text
			continue
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
		done, err := m.in.Add(line)
		if err != nil {
			return nil, m.orEnded(ctx, line, m.between(err))
		}
		if done {
			return m.in.Output(), nil
		}
	}
}

// between adds to a fault of the records what others have printed among them.
func (m *mpirun) between(err error) error {
	if !errors.Is(err, protocol.ErrDamaged) || len(m.others) == 0 {
		return err
	}
	return fmt.Errorf("%w; among its lines was %.100q, which is not pgmpi's", err, m.others[0])
}

// orEnded returns err, the fault of a line, if rank 0 goes on or mpirun ends well: then only
// the line is wrong. Otherwise it returns errEnded: MPICH's mpirun reports a rank that died
// on standard output, within a line that the rank had begun.
func (m *mpirun) orEnded(ctx context.Context, line []byte, err error) error {
	m.aside(line)
	m.bad = err
	for limit := time.After(termGrace); ; {
		select {
		case l, ok := <-m.lines:
			switch {
			case !ok:
				return m.howEnded(ctx, err, limit)
			case protocol.IsOutput(l):
				return err
			}
			m.aside(l)
		case <-ctx.Done():
			return ctx.Err()
		case <-limit:
			return err
		}
	}
}

// howEnded returns err if mpirun ended without a complaint, else errEnded.
func (m *mpirun) howEnded(ctx context.Context, err error, limit <-chan time.Time) error {
	select {
	case <-m.ranks.Exited:
		if m.bad != nil && m.ranks.Err == nil {
			return err
		}
	case <-ctx.Done():
	case <-limit:
	}
	return errEnded
}
