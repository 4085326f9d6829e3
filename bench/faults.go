package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"pgmpi/measure/launch"
)

const (
	faultRuns  = 5
	faultTOML  = "[check]\nguidelines = [\"GL3..GL7\"]\n[job]\nnp = [2]\nmsizes = [\"8\", \"64Ki\"]\nmpiruns = %d\nseed = 1\n[nrep]\nfixed = 300\n[measure]\nsplit_experiment = false\nalternate = false\n"
	faultStall = "3s"
	faultEnd   = 10 * time.Second // after a fault, at most
	faultGrace = 4 * time.Second  // until nothing is left of a check that has ended
)

type fault struct {
	name   string
	limits string // of prlimit, from the start on, or "" for a strike
	strike func(f *faulted)
	ends   bool // the check ends by it, at once
	nobody bool // nobody is left to clear up
}

var faults = []fault{
	{name: "the driver gets SIGKILL", ends: true, nobody: true, strike: driverGets(syscall.SIGKILL)},
	{name: "SIGINT", ends: true, strike: driverGets(syscall.SIGINT)},
	{name: "SIGTERM", ends: true, strike: driverGets(syscall.SIGTERM)},
	{name: "SIGTERM twice", ends: true, strike: driverGets(syscall.SIGTERM, syscall.SIGTERM)},
	{name: "SIGHUP", ends: true, strike: driverGets(syscall.SIGHUP)},
	{name: "SIGUSR1", ends: true, strike: driverGets(syscall.SIGUSR1)},
	{name: "SIGXCPU", ends: true, strike: driverGets(syscall.SIGXCPU)},
	{name: "a rank gets SIGKILL", strike: func(f *faulted) { kill(syscall.SIGKILL, last(f.ranks())) }},
	{name: "a rank gets SIGSEGV", strike: func(f *faulted) { kill(syscall.SIGSEGV, last(f.ranks())) }},
	{name: "a rank stops", strike: func(f *faulted) { kill(syscall.SIGSTOP, last(f.ranks())) }},
	{name: "the launcher gets SIGKILL", strike: func(f *faulted) { kill(syscall.SIGKILL, f.launcher()) }},
	{name: "the launcher gets SIGTERM", strike: func(f *faulted) { kill(syscall.SIGTERM, f.launcher()) }},
	{name: "driver, launcher and ranks get SIGKILL", ends: true, nobody: true, strike: func(f *faulted) {
		kill(syscall.SIGKILL, append([]int{f.driver}, f.processes("")...)...)
	}},
	{name: "files of at most 2 KiB", limits: "--fsize=2048"},
	{name: "at most 12 open files", limits: "--nofile=12"},
}

type faulted struct {
	driver int
	out    string
}

func driverGets(signals ...syscall.Signal) func(*faulted) {
	return func(f *faulted) {
		for _, s := range signals {
			kill(s, f.driver)
		}
	}
}

func kill(s syscall.Signal, pids ...int) {
	for _, pid := range pids {
		if pid > 0 {
			_ = syscall.Kill(pid, s) // it may have ended
		}
	}
}

// last returns the last of some processes, or 0.
func last(pids []int) int {
	if len(pids) == 0 {
		return 0
	}
	return pids[len(pids)-1]
}

// processes returns the processes in the mpiruns of the check whose names begin so.
func (f *faulted) processes(name string) (pids []int) {
	environs, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, file := range environs {
		text, _ := os.ReadFile(file)
		comm, _ := os.ReadFile(filepath.Join(filepath.Dir(file), "comm"))
		if bytes.Contains(text, fmt.Appendf(nil, "PGMPI_MPIRUN=%d.", f.driver)) && strings.HasPrefix(string(comm), name) {
			pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(file)))
			pids = append(pids, pid)
		}
	}
	slices.Sort(pids)
	return pids
}

func (f *faulted) ranks() []int { return f.processes("pgmpi-rank") }

func (f *faulted) launcher() int {
	for _, name := range []string{"mpi", "orterun"} {
		if pids := f.processes(name); len(pids) > 0 {
			return pids[0]
		}
	}
	return 0
}

func (f *faulted) finished() map[string][sha256.Size]byte {
	sums := map[string][sha256.Size]byte{}
	files, _ := filepath.Glob(filepath.Join(f.out, "raw", "*.gz"))
	for _, file := range files {
		sums[filepath.Base(file)] = sha256.Sum256(get(os.ReadFile(file)))
	}
	return sums
}

// faultsBench lets faults happen to checks, and goes on in their folders. It counts what must not
// happen.
func faultsBench(ctx context.Context, e *env) {
	tmp := filepath.Join(e.dir, "tmp") // of the launchers
	must(os.Mkdir(tmp, 0o777))
	must(os.Setenv("TMPDIR", tmp))
	defer os.Unsetenv("TMPDIR")
	must(os.WriteFile(filepath.Join(e.dir, "gl.toml"), fmt.Appendf(nil, faultTOML, faultRuns), 0o666))
	begin, none := time.Now(), filepath.Join(e.dir, "none")
	e.pgmpi(ctx, e.faultCheck(none)[1:]...)
	usual := time.Since(begin)
	rows := e.goesOn(ctx, none)
	random := rand.New(rand.NewPCG(e.seed, 0))
	n := map[string]int{}
	for i := range e.times {
		f := faults[i%len(faults)]
		for _, what := range e.trial(ctx, &f, i, time.Duration(random.Int64N(int64(usual))), usual, rows) {
			n[what]++
			fmt.Printf("      trial %d, %s: %s\n", i+1, f.name, what)
		}
		if ctx.Err() != nil {
			return
		}
	}
	for _, what := range []string{lost, wrong, hung, leftover} {
		e.outcome(what, fmt.Sprintf("%d of %d", n[what], e.times), "0", n[what] == 0)
	}
	fmt.Printf("   hit while it ran: %d; left where nobody could clear up, as docs say: %d\n", e.times-n[missed], n[documented])
}

const (
	lost       = "a finished mpirun changed or is lost"
	wrong      = "the check did not go on to its end, or samples are missing"
	hung       = "it did not end in 10 s, or in five times what it takes where it may go on"
	leftover   = "processes or files were left"
	documented = "files were left, as docs say"
	missed     = "the check had ended"
)

// trial makes one check with its fault, and goes on in its folder. It returns what it counts.
func (e *env) trial(ctx context.Context, kind *fault, i int, after, usual time.Duration, rows int) (found []string) {
	out := filepath.Join(e.dir, fmt.Sprint("faulted", i))
	defer os.RemoveAll(out)
	argv := e.faultCheck(out)
	if kind.limits != "" {
		argv = append([]string{"prlimit", kind.limits}, argv...)
	}
	before := sharedFiles()
	cmd := command(ctx, argv...)
	must(cmd.Start())
	f := &faulted{driver: cmd.Process.Pid, out: out}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	limit := 5*usual + faultEnd // repeated work takes time
	if kind.strike != nil {
		select {
		case err := <-ended:
			found = append(found, missed)
			ended <- err
		case <-time.After(after):
			kind.strike(f)
		}
	}
	if kind.ends {
		limit = faultEnd
	}
	select {
	case <-ended:
	case <-time.After(limit):
		found = append(found, hung)
		kill(syscall.SIGTERM, f.driver)
		<-ended
	}
	if f.leaves(before) {
		word := leftover
		if kind.nobody {
			word = documented
		}
		found = append(found, word)
	}
	had := f.finished()
	samples := e.goesOn(ctx, out)
	sessions, _ := filepath.Glob(os.Getenv("TMPDIR") + "/*/*")
	if len(sessions) > 0 {
		fmt.Printf("      left after going on: %v\n", sessions)
		found = append(found, leftover)
		must(os.RemoveAll(filepath.Dir(sessions[0])))
	}
	has := f.finished()
	for name, sum := range had {
		if has[name] != sum {
			found = append(found, lost)
			break
		}
	}
	if tmp, _ := filepath.Glob(filepath.Join(out, ".tmp-*")); len(has) != faultRuns || samples != rows || len(tmp) > 0 {
		found = append(found, wrong)
	}
	return found
}

func (e *env) faultCheck(out string, more ...string) []string {
	return append([]string{filepath.Join(e.bin, "pgmpi"), "check", "--quiet", "--guidelines", filepath.Join(e.dir, "gl.toml"),
		"--rank", e.program("pgmpi-rank"), "--out", out, "--stall", faultStall}, more...)
}

func (e *env) goesOn(ctx context.Context, out string) int {
	e.pgmpi(ctx, e.faultCheck(out, "--resume")[1:]...)
	e.pgmpi(ctx, "export", out, "--format", "csv", "--out", out+".csv")
	text := get(os.ReadFile(out + ".csv"))
	must(os.Remove(out + ".csv"))
	return bytes.Count(text, []byte("\n"))
}

func sharedFiles() (names []string) {
	for _, pattern := range []string{launch.SharedFolder + "/*", os.Getenv("TMPDIR") + "/*/*"} {
		files, _ := filepath.Glob(pattern)
		names = append(names, files...)
	}
	return slices.DeleteFunc(names, func(n string) bool {
		return strings.HasPrefix(n, launch.SharedFolder) && !launch.IsShared(filepath.Base(n))
	})
}

// leaves tells whether a check that has ended leaves processes or files. It removes them, except
// below TMPDIR, which the next check has to clear.
func (f *faulted) leaves(before []string) bool {
	var files []string
	for end := time.Now().Add(faultGrace); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		used := inUse()
		files = slices.DeleteFunc(sharedFiles(), func(n string) bool { return slices.Contains(before, n) || slices.Contains(used, n) })
		if len(files) == 0 && len(f.processes("")) == 0 {
			return false
		}
	}
	fmt.Printf("      left: %v, %v\n", f.processes(""), files)
	kill(syscall.SIGKILL, f.processes("")...)
	for _, n := range files {
		if strings.HasPrefix(n, launch.SharedFolder) {
			must(os.RemoveAll(n))
		}
	}
	return true
}

// inUse returns the files in /dev/shm that any process has open: other programs use MPI too.
func inUse() (names []string) {
	entries, _ := os.ReadDir("/proc")
	for _, e := range entries {
		if pid, err := strconv.Atoi(e.Name()); err == nil {
			names = append(names, launch.Shared(pid)...)
		}
	}
	return names
}
