package measure

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"

	"pgmpi/measure/launch"
)

// explain makes the error that a person can act on.
func (m *mpirun) explain(err error) *Error {
	e := &Error{Argv: m.argv, What: err.Error(), Started: m.taken}
	clues := e.What
	if said := rankError(""); !errors.As(err, &said) {
		// Behind a rank's own words there is only the launcher's noise about the abort.
		clues += m.stderr.String()
		e.Stderr = launch.LastLines(withoutNoise(m.stderr.String()), 12)
	}
	if errors.Is(err, errEnded) {
		status := "exit status 0, silently: a rank left without a word"
		if m.ranks != nil && m.ranks.Err != nil {
			status = m.ranks.Err.Error()
		}
		clues += status
		e.What = fmt.Sprintf("%v (%s)", err, status)
		if said := ranksWords.FindStringSubmatch(e.Stderr); said != nil {
			e.What, e.Stderr = said[1], ""
		}
		switch {
		case m.hello == nil:
			e.What += "; rank 0 had not come through MPI_Init"
		case m.last != "":
			e.What += "; the last case that was reported finished is " + m.last
		}
	}
	h := hintFor(clues, e.Started)
	if h.what != "" {
		e.What, e.Stderr = h.what, ""
	}
	e.Remedy = h.try
	return e
}

// ranksWords is what a rank says on standard error before it gives up.
var ranksWords = regexp.MustCompile(`(?m)^pgmpi-rank: (.*)$`)

// hint is what to try when a text occurs in an error or in the launcher's words.
type hint struct {
	text string
	try  string
	what string // instead of the launcher's words, where those bury it
}

const outOfMemory = "dmesg and the batch system's log: something killed a rank, such as the kernel when memory is short (a smaller measure.temp_memory and fewer processes help)"

// hints knows what the libraries say in trouble; the first that fits counts.
var hints = []hint{
	{text: "not enough slots", what: "the launcher has fewer slots than processes",
		try: "fewer processes (--np), a larger allocation, or a launcher that may oversubscribe: --launch \"mpirun -np {np} --oversubscribe\""},
	{text: "more processes than", try: "fewer processes (--np), or --launch with --bind-to none"},
	{text: "run as root", try: "another user, or, in a container, OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1"},
	{text: "error while loading shared libraries", try: "the environment that the rank program was built in (LD_LIBRARY_PATH, module load), or `make build` again"},
	{text: "labels every line", try: "the launcher without its labels: srun without -l, Open MPI's mpirun without --tag-output, MPICH's without -l and -prepend-rank"},
	{text: "forward standard input", try: "with srun, --input=0 in --launch; with any launcher, --job-file (mpi.job_file = true), which hands the job over by a file in the results folder"},
	{text: ".tmp-job: no such file", try: "a results folder (--out) on a file system that rank 0's host sees, or no --job-file"},
	{text: "went back", try: "a clock that does not step: see /sys/devices/system/clocksource/clocksource0/current_clocksource and dmesg; in a virtual machine, the host's time synchronisation"},
	{text: "clock rdtscp refused", try: "--launch with ranks bound to cores, or measure.clock = \"monotonic\""},
	{text: "clock synchronisation \"", try: "the measure.clock_sync that the message names; `pgmpi clocks` shows what works here"},
	{text: "mpi.thread_level", try: "--thread-level with the level that the library provides, or a library that is built with more"},
	{text: "measure.stall", try: "--stall with a longer time, or check.exclude for the guidelines of that function; a collective that hangs is a fault of the library"},
	{text: "built for", try: "--launch with the mpirun of that library, or --rank with the rank program of the other"},
	{text: "SIGSEGV", try: "another version of the library, or check.exclude for the guidelines of the function that crashes: one rank crashed in it"},
	{text: "signal: killed", try: "dmesg and the batch system's log: something killed mpirun itself, such as a time limit, or the kernel when memory is short"},
	{text: "ignal 9", try: outOfMemory},
	{text: "EXIT CODE: 9", try: outOfMemory},
}

// hintFor picks what to try. Once the ranks have taken the job, the driver
// names the command line that goes on.
func hintFor(clues string, started bool) hint {
	for _, h := range hints {
		if strings.Contains(clues, h.text) {
			return h
		}
	}
	if started {
		return hint{}
	}
	return hint{try: "the command above by hand with --version at its end, which starts the ranks without MPI_Init: if that works, any MPI program will fail like this. --launch names another launcher"}
}

// noise is what launchers say after any failure.
var noise = regexp.MustCompile(`^[-=\s]*$|` +
	`MPI_ABORT|errorcode 86|You may or may not see|exactly when Open MPI kills|` +
	`standard input was closed|Primary job +terminated normally|a non-zero exit code\. Per user-direction|` +
	`HYDU_|HYDT_|HYD_|ui_cmd_cb|main \(ui/mpich|CLEANING UP REMAINING|YOU CAN IGNORE`)

// stacks is what Go's runtime prints when C code has crashed: its own stacks and
// the registers.
var stacks = regexp.MustCompile(`^goroutine \d|^created by |^\t.*:\d+|^\S+\(.*\)$|^(r[a-z0-9]+|[cfg]s) +0x|^PC=`)

func withoutNoise(text string) string {
	var kept []string
	crashed := strings.Contains(text, "signal arrived during cgo execution")
	for l := range strings.Lines(text) {
		l = strings.TrimRight(l, "\r\n")
		if !noise.MatchString(l) && !(crashed && stacks.MatchString(l)) {
			kept = append(kept, l)
		}
	}
	return strings.Join(kept, "\n")
}

// tail keeps the end of what is written to it.
type tail struct {
	mu   sync.Mutex
	text []byte
	shut bool // the driver is ending the mpirun: what follows is its own doing
}

const tailBytes = 256 << 10

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.shut {
		return len(p), nil
	}
	t.text = append(t.text, p...)
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
