//go:build cgo

package rank

import (
	"bufio"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"pgmpi/internal/conf"
	"pgmpi/measure/launch"
	"pgmpi/measure/protocol"
	"pgmpi/measure/rank/call"
	"pgmpi/measure/rank/clock"
	"pgmpi/measure/rank/mpi"
	"pgmpi/measure/rank/mpit"
	"pgmpi/measure/rank/probe"
	"pgmpi/mockups/c"
)

// exitCode is the exit status of a rank that gives up. The driver reads the reason from rank 0's error
// line or from standard error.
const exitCode = 86

func init() {
	// MPI is called from the thread that started it. Go has other threads, but
	// MPI_THREAD_SINGLE is about threads that could call MPI, and these do not.
	// The exception is giveUp: when nothing goes on any more, another thread
	// calls MPI_Abort, and leaves if that hangs.
	runtime.LockOSThread()
}

// Main is the rank program. With --version it prints its RankInfo as JSON,
// without MPI; else it takes part in one mpirun. works are what features add.
func Main(args []string, works []Work) int {
	flags := flag.NewFlagSet("pgmpi-rank", flag.ContinueOnError)
	version := flags.Bool("version", false, "print what this rank program is built for, as JSON")
	np := flags.Int("np", 0, "processes that must take part")
	job := flags.String("job", "", "read the job from this file, not from standard input")
	threads := flags.String("thread-level", protocol.ThreadSingle, "level of threads that MPI is asked for: "+strings.Join(protocol.ThreadLevels, ", "))
	if err := flags.Parse(args); err != nil {
		return 2
	}
	about := info()
	hash := sync.OnceValue(ownHash)
	if *version {
		about.Hash = hash()
		text, _ := json.MarshalIndent(about, "", "  ")
		fmt.Println(string(text))
		return 0
	}
	out, err := takeStdout()
	if err == nil {
		err = checkLibrary(about)
	}
	if err == nil {
		err = c.Check()
	}
	var w *mpi.World
	level := slices.Index(protocol.ThreadLevels, *threads)
	if err == nil && level < 0 {
		err = errors.New(conf.Unknown("thread level", *threads, protocol.ThreadLevels))
	}
	if err == nil {
		leaveWithLauncher() // MPI_Init makes files in /dev/shm
		if mayBeRoot() {
			go hash() // MPI_Init sleeps a while, so it costs no time
		}
		w, err = mpi.Start(level)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "pgmpi-rank:", err)
		return exitCode
	}
	if w.Rank == 0 {
		about.Hash = hash()
	}
	s := &session{World: w, clock: clock.New(w), info: about, hash: hash, works: slices.Concat(own, works), out: bufio.NewWriterSize(out, 1<<16)}
	if err = s.checkSize(*np); err == nil {
		err = s.checkLevel(level)
	}
	if err == nil {
		err = s.serve(*job)
	}
	if err == nil {
		err = w.Stop()
	}
	if err != nil {
		s.fail(err)
		return exitCode
	}
	return 0
}

// mayBeRoot tells, before MPI is started, whether this may be rank 0.
func mayBeRoot() bool {
	for _, v := range []string{"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID"} {
		if rank := os.Getenv(v); rank != "" {
			return rank == "0"
		}
	}
	return true
}

// takeStdout keeps the real standard output for the protocol. Everything else that is printed goes to
// standard error: MPI launchers splice the prints of other ranks into the middle of rank 0's lines.
func takeStdout() (*os.File, error) {
	fd, err := syscall.Dup(1)
	if err != nil {
		return nil, err
	}
	syscall.CloseOnExec(fd)
	return os.NewFile(uintptr(fd), "protocol"), syscall.Dup3(2, 1, 0)
}

// lastWords is the time that rank 0 waits after its error line: MPICH's launcher drops what it has not
// read when a rank aborts. The other ranks, which may have found the same, wait longer, so that rank 0
// ends the mpirun.
const lastWords = 200 * time.Millisecond

type session struct {
	*mpi.World
	clock    *clock.Clock
	info     protocol.RankInfo
	hash     func() string // of the program; info has it at rank 0 only
	works    []Work
	beside   int  // ranks on this host
	leads    bool // the first rank of its host
	stall    time.Duration
	watchdog *time.Timer
	// All jobs of the mpirun have these.
	caller *call.Caller
	ways   *mpit.Ways
	called map[string]bool // functions
	probes *probe.Reader   // nil until they are read
	// The watchdog speaks too, from another thread.
	mu   sync.Mutex
	out  *bufio.Writer
	name string // of what is running
}

func (s *session) setName(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.name = name
}

// watch ends the mpirun when nothing is alive for the limit. what names what did not happen, with the
// limit in it.
func (s *session) watch(limit time.Duration, what string) {
	what = fmt.Sprintf(what, limit)
	if s.stall = limit; s.Rank != 0 {
		s.stall += 2 * time.Second // rank 0 has the word
	}
	s.watchdog = time.AfterFunc(s.stall, func() {
		if s.Rank == 0 {
			s.mu.Lock()
			name := s.name
			s.mu.Unlock()
			s.say("%s %s; the one running is %s", protocol.LineError, what, name)
			time.Sleep(lastWords)
		}
		giveUp()
	})
}

func (s *session) alive() { s.watchdog.Reset(s.stall) }

// giveUp ends the mpirun from any thread. MPI_Abort reaches the other ranks; it
// may hang, when the launcher is dead or another thread is inside MPI.
func giveUp() {
	time.AfterFunc(time.Second, func() { os.Exit(exitCode) })
	mpi.Abort(exitCode)
}

func (s *session) fail(err error) {
	if s.Rank == 0 {
		s.say("%s %s", protocol.LineError, strings.ReplaceAll(err.Error(), "\n", "; "))
		time.Sleep(lastWords)
	} else {
		fmt.Fprintf(os.Stderr, "pgmpi-rank: rank %d: %v\n", s.Rank, err)
		time.Sleep(2 * lastWords)
	}
	mpi.Abort(exitCode)
}

func (s *session) say(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	fmt.Fprintf(s.out, format+"\n", args...)
	if s.out.Flush() != nil {
		mpi.Abort(exitCode) // nobody listens any more
	}
}

// checkSize finds a launcher of another library: p processes of size 1 that
// know nothing of each other, with exit status 0.
func (s *session) checkSize(np int) error {
	if np == 0 {
		for _, v := range []string{"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"} {
			if n, err := strconv.Atoi(os.Getenv(v)); err == nil && n > 0 {
				np = n
				break
			}
		}
	}
	if np == 0 || np == s.Size {
		return nil
	}
	return fmt.Errorf("MPI_COMM_WORLD has %d processes, %d were started: this program is built for %s, and was launched by %s; give the launcher of its library with --launch, or the rank program of the launcher's with --rank",
		s.Size, np, s.info.BuiltFor, launchedBy())
}

// checkLevel refuses a library that provides less than was asked for: what is
// measured then is not what was meant.
func (s *session) checkLevel(asked int) error {
	switch {
	case s.Level < 0:
		return errors.New("the library provides a thread level that MPI does not define (mpi.thread_level)")
	case s.Level < asked:
		return fmt.Errorf("the library provides thread level %q, and %q was asked for (mpi.thread_level)",
			protocol.ThreadLevels[s.Level], protocol.ThreadLevels[asked])
	}
	return nil
}

func launchedBy() string {
	for _, l := range [][2]string{{"OMPI_COMM_WORLD_SIZE", "Open MPI's mpirun"}, {"SLURM_STEP_ID", "srun"}, {"PMI_SIZE", "MPICH's mpirun (hydra)"}} {
		if os.Getenv(l[0]) != "" {
			return l[1]
		}
	}
	return "a launcher it does not know"
}

func (s *session) serve(jobFile string) error {
	j, err := s.receive(jobFile)
	if err != nil {
		return err
	}
	if j.NP != s.Size {
		return fmt.Errorf("the job is for %d processes, MPI_COMM_WORLD has %d", j.NP, s.Size)
	}
	if err := s.place(j.Place, j.Nodes); err != nil {
		return err
	}
	s.caller, s.ways, s.called = call.New(s.World), mpit.NewWays(s.World), map[string]bool{}
	if j.CallsJob != nil {
		if err := s.caller.LoadMockups(j.Mockups, s.announce); err != nil {
			return err
		}
	}
	for i, job := range j.Each() {
		if i > 0 && s.Rank == 0 {
			time.Sleep(handOver)
		}
		if err := s.one(job); err != nil {
			return err
		}
	}
	return nil
}

// handOver lets the launcher and the driver take the output of a job before its rider is measured.
const handOver = 10 * time.Millisecond

// one does a job without its riders, and sends its output.
func (s *session) one(j *protocol.Job) error {
	before, err := s.load()
	if err != nil {
		return err
	}
	w := protocol.NewOutputWriter(s.out)
	if j.Layout {
		where, err := s.layout(j.Asked)
		if err != nil {
			return err
		}
		if s.Rank == 0 {
			w.Layout(where)
		}
	}
	o, err := s.do(j, w)
	if err != nil {
		return err
	}
	if j.Layout {
		if o.end.Settings, err = s.settings(j.Asked); err != nil {
			return err
		}
	}
	after, err := s.load()
	if err != nil || s.Rank != 0 {
		return err
	}
	o.end.Load = protocol.Load{Before: before, After: after}
	if err := o.write(w); err != nil {
		return err
	}
	return s.out.Flush()
}

func (s *session) do(j *protocol.Job, w *protocol.OutputWriter) (*outcome, error) {
	stall := time.Duration(j.StallNS)
	o := &outcome{}
	switch {
	case j.CallsJob != nil:
		return s.calls(j, w)
	case j.Clocks != nil:
		s.watch(stall, "no clock synchronisation finished for %v")
		defer s.watchdog.Stop()
		return s.clocks(j.Clocks, s.caller)
	case j.Work != nil:
		w, err := s.workOf(j.Work, false)
		if err == nil {
			o.end.Answer, err = w.alone(&Mpirun{s.World, s, stall}, j.Work)
		}
		return o, err
	}
	return o, nil
}

// announcePause lets the launcher take a line before something that may end the mpirun:
// MPICH's drops what it has not read by then.
const announcePause = 2 * time.Millisecond

// announce names, at rank 0, what may end the mpirun; done is to be called when it has not.
func (s *session) announce(name string) (done func()) {
	if s.Rank != 0 {
		return func() {}
	}
	s.say("%s %s", protocol.LineFirst, name)
	time.Sleep(announcePause)
	return func() { s.say("%s ", protocol.LineFirst) }
}

func (s *session) receive(jobFile string) (*protocol.Job, error) {
	var text []byte
	if s.Rank == 0 {
		hello, err := json.Marshal(protocol.Hello{Protocol: protocol.ProtocolVersion, NP: s.Size, Rank: s.info, Shared: launch.Shared(0), PML: mpi.PML()})
		if err != nil {
			return nil, err
		}
		s.say("%s %s", protocol.LineHello, hello)
		j, err := s.readJob(jobFile)
		if err != nil {
			return nil, err
		}
		if text, err = json.Marshal(j); err != nil {
			return nil, err
		}
	}
	text, err := s.Text(text, 0)
	if err != nil {
		return nil, err
	}
	j := new(protocol.Job)
	return j, json.Unmarshal(text, j)
}

func (s *session) readJob(jobFile string) (*protocol.Job, error) {
	if jobFile != "" {
		f, err := os.Open(jobFile)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		return protocol.ReadJob(bufio.NewReader(f), func(int) {})
	}
	in := bufio.NewReader(os.Stdin)
	j, err := protocol.ReadJob(in, func(i int) { s.say("%s %d", protocol.LineAck, i) })
	if errors.Is(err, io.EOF) {
		return nil, errors.New("standard input ended before the job had come: the launcher does not forward standard input to rank 0")
	}
	if err == nil {
		go leaveAtEOF(in)
	}
	return j, err
}

// leaveAtEOF ends the mpirun when the driver is gone.
func leaveAtEOF(in io.Reader) {
	_, _ = io.Copy(io.Discard, in)
	fmt.Fprintln(os.Stderr, "pgmpi-rank: standard input was closed: the driver is gone")
	launch.RemoveShared(launch.Shared(0))
	giveUp()
}

// leaveWithLauncher ends this rank when it is told to, or when the launcher on this host dies. It
// removes the shared-memory files of a launcher that was killed.
func leaveWithLauncher() {
	parent := os.Getppid()
	told := make(chan os.Signal, 1)
	signal.Notify(told, syscall.SIGTERM, syscall.SIGHUP)
	_, _, _ = syscall.RawSyscall(syscall.SYS_PRCTL, syscall.PR_SET_PDEATHSIG, uintptr(syscall.SIGHUP), 0)
	go func() {
		// The signal of the launcher's death also comes when only the thread ends that forked.
		for s := range told {
			if s == syscall.SIGTERM || os.Getppid() != parent {
				break
			}
		}
		launch.RemoveShared(launch.Shared(0))
		os.Exit(exitCode)
	}()
}
