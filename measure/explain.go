package measure

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"

	"pgmpi/measure/batch"
	"pgmpi/measure/launch"
	"pgmpi/measure/protocol"
)

func (m *mpirun) explain(err error) *Error {
	e := &Error{Argv: m.argv, What: err.Error(), Started: m.taken, JobOver: batch.Over(m.stderr.String())}
	said := rankError("")
	byRank := errors.As(err, &said)
	if !byRank && strings.HasPrefix(m.first, protocol.MockupFault) {
		e.What = m.first + ": the ranks did not come back from loading it: " + e.What
	}
	clues := e.What
	if !byRank {
		// After a rank's own words comes only the launcher's noise about the abort.
		clues += m.stderr.String()
		e.Stderr = launch.LastLines(withoutNoise(m.stderr.String()), 12)
	}
	if errors.Is(err, errEnded) {
		status := "exit status 0, silently: a rank left without a word"
		switch {
		case m.ranks != nil && !m.ended:
			status = "standard output was closed, and the launcher went on"
		case m.ranks != nil && m.ranks.Err != nil:
			status = m.ranks.Err.Error()
		}
		clues += status
		e.What = fmt.Sprintf("%s (%s)", e.What, status)
		if said := ranksWords.FindStringSubmatch(e.Stderr); said != nil {
			e.What, e.Stderr = said[1], ""
		}
		if m.bad != nil {
			e.What += fmt.Sprintf("; before that, %v", m.bad)
		}
		switch {
		case m.hello == nil:
			e.What += "; rank 0 had not come through MPI_Init"
		case m.last != "":
			e.What += "; the last case that was reported finished is " + m.last
		}
	}
	if errors.Is(err, errEnded) && !killed.MatchString(clues) {
		e.Crashed, _, _ = strings.Cut(m.first, " ")
	}
	e.Started = e.Started && !unstarted.MatchString(clues)
	h := m.hintFor(clues, e.Started)
	if h.what != "" {
		e.What, e.Stderr = h.what, ""
	}
	e.Remedy, e.Again = h.try, h.again
	if said := hung.FindStringSubmatch(err.Error()); said != nil {
		e.Hung = said[1]
	}
	return e
}

// killed matches words about an mpirun that something else has ended.
var killed = regexp.MustCompile(`[Ss]ignal:? (9|15|killed|terminated)|EXIT CODE: (9|15)\b`)

// hung matches the message of the ranks' watchdog about a function.
var hung = regexp.MustCompile(`\(measure\.stall\); the one running is (\S+) at `)

// ranksWords matches a rank's message on standard error before it gives up.
var ranksWords = regexp.MustCompile(`(?m)^pgmpi-rank: (.*)$`)

// unstarted matches faults of a set-up in which no rank can begin its job.
var unstarted = regexp.MustCompile(regexp.QuoteMeta(misplaced) + `|` + regexp.QuoteMeta(unseenNodes) + `|` + regexp.QuoteMeta(unseenJob) + `|` + regexp.QuoteMeta(protocol.MockupFault))

const (
	misplaced   = "the ranks are placed as"
	unseenNodes = "the library has the ranks on"
	unseenJob   = ".tmp-job: no such file"
)

// hint tells what to try when a text occurs in an error or in the launcher's words.
type hint struct {
	text string
	try  string
	what string // instead of the launcher's words, where those bury it
	// early hints count only before rank 0's first word.
	early bool
	again bool // it may not come again
}

const (
	outOfMemory   = "dmesg and the batch system's log: something killed a rank, such as the kernel when memory is short (a smaller measure.temp_memory and fewer processes help)"
	unreached     = "the rank program under a path that all nodes see (--rank), or copied to the same place on each of them"
	otherWrapper  = "to compile it with the MPI compiler wrapper of the ranks' library, and a file for each library"
	crashedInInit = "any other MPI program in the same way: a rank has crashed in MPI_Init, before pgmpi asked for anything. Another build of the library, or its settings ([mpi] env, OMPI_MCA_*, UCX_*), may help"
	fewerRanks    = "fewer processes (--np, --shape), a larger allocation, or a launcher that may oversubscribe: --launch \"mpirun -np {np} --oversubscribe\""
)

// hints lists what the libraries print in trouble; the first that fits counts.
var hints = []hint{
	{text: "it has no symbol pgmpi_plugin", try: "PGMPI_PLUGIN(rows); as the last line of its source, with the name of the array of its rows"},
	{text: "of mockups.h, this pgmpi has", try: "to compile it again with the mockups.h of this pgmpi (PREFIX/include/pgmpi, or mockups/c of its sources)"},
	{text: "it was built for another MPI library", try: otherWrapper},
	{text: "it was compiled for", try: otherWrapper},
	{text: "since this results folder was begun", try: "a new folder with --out: what was measured with two versions of a function cannot be one result"},
	{text: "unknown row", try: "the ids of [[mockup]] in gl.toml as the file's rows have them"},
	{text: "come back from loading it", try: "the file's constructors (__attribute__((constructor)), C++ objects) alone: dlopen calls them"},
	{text: protocol.MockupFault, try: "a file that all nodes see under this path, made by the ranks' MPI compiler wrapper: mpicc -shared -fPIC (docs/how-to-mockup.md)"},
	{text: "not enough slots", what: "the launcher has fewer slots than processes", try: fewerRanks},
	{text: "than the ppr for", what: "the launcher has fewer nodes than the shape",
		try: "an allocation with as many nodes, or their names in a file: --hostfile FILE"},
	{text: "More processors requested than permitted", what: "srun may not start more processes than the allocation has tasks or CPUs for",
		try: "fewer processes (--np, --shape), an allocation with more tasks (sbatch --ntasks), or --launch \"srun --overcommit …\""},
	{text: "Requested node configuration is not available", what: "the allocation has no such nodes or CPUs for a step",
		try: "fewer processes on each node (--shape), or an allocation with more tasks or CPUs on each (sbatch --ntasks-per-node)"},
	{text: "Required node not available", what: "a node of the allocation is down or drained",
		try: "a new allocation; `sinfo -R` says what is wrong with the node"},
	{text: "not built with SLURM's PMI support", what: "srun has started the ranks of Open MPI without PMIx, so that they cannot find each other",
		try: "--launch srun, the one word, which adds --mpi=pmix; or srun --mpi=pmix; `srun --mpi=list` shows what it has"},
	{text: "more processes than", try: "fewer processes (--np), or --launch with --bind-to none"},
	{text: "run as root", try: "another user, or, in a container, OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1"},
	{text: "error while loading shared libraries", try: "the environment that the rank program was built in (LD_LIBRARY_PATH, module load), or `make build` again"},
	{text: "execvp error on file", try: unreached, early: true},
	{text: "execve():", try: unreached, early: true},
	{text: "could not access\nor execute an executable", try: unreached, early: true},
	{text: "unable to find the specified executable", try: unreached, early: true},
	{text: unseenNodes, try: "a launcher that tells the library the nodes as the hosts are; `pgmpi env` with the same flags shows where each rank is"},
	{text: misplaced, try: "an allocation with as many nodes, or their names (--hostfile FILE); with --launch, words that place them by {nodes} and {ppn}. `pgmpi env` with the same flags shows where each rank is. --resume goes on only where the folder was begun"},
	{text: "labels every line", try: "the launcher without its labels: srun without -l, Open MPI's mpirun without --tag-output, MPICH's without -l and -prepend-rank"},
	{text: "forward standard input", try: "with srun, --input=0 in --launch; with any launcher, --job-file (mpi.job_file = true), which hands the job over by a file in the results folder"},
	{text: unseenJob, try: "a results folder (--out) on a file system that rank 0's host sees, or no --job-file"},
	{text: protocol.ErrNoTime.Error(), try: "a clock with smaller steps (measure.clock; `pgmpi clocks` shows them), or check.exclude for the guidelines of that function"},
	{text: "different MPI libraries", try: "the environment of this host for the ranks too, such as mpirun's -x LD_LIBRARY_PATH, or mpi.env"},
	{text: "went back", try: "a clock that does not step: see /sys/devices/system/clocksource/clocksource0/current_clocksource and dmesg; in a virtual machine, the host's time synchronisation"},
	{text: "clock rdtscp refused", try: "--launch with ranks bound to cores, or measure.clock = \"monotonic\""},
	{text: "clock synchronisation \"", try: "the measure.clock_sync that the message names; `pgmpi clocks` shows what works here"},
	{text: "mpi.thread_level", try: "--thread-level with the level that the library provides, or a library that is built with more"},
	{text: "measure.stall", try: "--stall with a longer time, or check.exclude for the guidelines of that function; a collective that hangs is a fault of the library"},
	{text: "the barrier of measure.sync", try: "--sync dissemination, a barrier of pgmpi's own; a barrier that does not hold is a fault of the library"},
	{text: "was launched by srun", try: "--launch srun, the one word, which chooses how the ranks find each other: --mpi=pmix for Open MPI, --mpi=pmi2 for MPICH and its relatives"},
	{text: "built for", try: "--launch with the mpirun of that library, or --rank with the rank program of the other"},
	{text: "mpi.start_limit", try: "a longer mpi.start_limit where the start takes that long; the command above by hand with --version at its end, which starts the ranks without MPI_Init; --launch names another launcher"},
	{text: "SIGSEGV", early: true, again: true, try: crashedInInit},
	{text: "egmentation fault", early: true, again: true, try: crashedInInit},
	{text: "SIGSEGV", try: "another version of the library, or check.exclude for the guidelines of the function that crashes: one rank crashed in it"},
	{text: "signal: killed", try: "dmesg and the batch system's log: something killed mpirun itself, such as a time limit, or the kernel when memory is short"},
	{text: "ignal 9", try: outOfMemory},
	{text: "EXIT CODE: 9", try: outOfMemory},
}

func (m *mpirun) hintFor(clues string, started bool) hint {
	for _, h := range hints {
		if strings.Contains(clues, h.text) && (m.hello == nil || !h.early) {
			return h
		}
	}
	if started {
		return hint{}
	}
	return hint{try: "the command above by hand with --version at its end, which starts the ranks without MPI_Init: if that works, any MPI program will fail like this. --launch names another launcher"}
}

// telling matches a launcher's words that are always kept: which file could not be
// started, and on which node.
var telling = regexp.MustCompile(`execvp error|execve\(\)|unable to launch|No such file`)

// hopeless matches words of hydra, which waits for ever after it could not start a rank.
var hopeless = regexp.MustCompile(`execvp error on file .*\n`)

// noise matches what launchers print after any failure.
var noise = regexp.MustCompile(`^[-=\s]*$|` +
	`MPI_ABORT|errorcode 86|You may or may not see|exactly when Open MPI kills|` +
	`standard input was closed|Primary job +terminated normally|a non-zero exit code\. Per user-direction|` +
	`HYDU_|HYDT_|HYD_|ui_cmd_cb|main \(ui/mpich|CLEANING UP REMAINING|YOU CAN IGNORE`)

// crash matches the first words of Go's runtime when a signal ends a rank: C code has crashed,
// or somebody has sent it. A panic begins otherwise, and keeps its stacks.
var crash = regexp.MustCompile(`(?m)^SIG[A-Z]+: .*\r?\nPC=`)

// stacks matches the stacks and registers that the runtime prints then.
var stacks = regexp.MustCompile(`^goroutine \d|^created by |^\t.*:\d+|^\S+\(.*\)$|^(r[a-z0-9]+|[cfg]s) +0x|^PC=`)

func withoutNoise(text string) string {
	var kept []string
	crashed := crash.MatchString(text)
	for l := range strings.Lines(text) {
		l = strings.TrimRight(l, "\r\n")
		if telling.MatchString(l) || !noise.MatchString(l) && !(crashed && stacks.MatchString(l)) {
			kept = append(kept, l)
		}
	}
	return strings.Join(kept, "\n")
}

type tail struct {
	mu   sync.Mutex
	text []byte
	shut bool          // the driver is ending the mpirun: what follows is its own doing
	lost chan struct{} // mpirun.lost, until it is closed
}

const tailBytes = 256 << 10

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.shut {
		return len(p), nil
	}
	t.text = append(t.text, p...)
	if t.lost != nil && hopeless.Match(t.text) {
		close(t.lost)
		t.lost = nil
	}
	if n := len(t.text); n > tailBytes {
		t.text = append(t.text[:0], t.text[n-tailBytes:]...)
	}
	return len(p), nil
}

func (t *tail) close() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.shut = true
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.text)
}
