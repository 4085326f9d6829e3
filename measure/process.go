package measure

import (
	"encoding/binary"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"pgmpi/internal/child"
	"pgmpi/internal/lists"
	"pgmpi/measure/launch"
)

// Starter starts a launcher: Exec, or a fake in tests without MPI.
type Starter func(argv, env []string, stderr io.Writer) (*Ranks, error)

type Ranks struct {
	PID     int                   // of the launcher; 0 of a fake
	Stdin   io.WriteCloser        // of rank 0
	Stdout  io.ReadCloser         // of rank 0
	Exited  chan struct{}         // closed when the launcher has ended
	Err     error                 // how it ended, once Exited is closed
	Greeted func(shared []string) // hears that rank 0 has said hello, and of its files in /dev/shm: all ranks are there
	Code    func() []string       // lists the files with code that ranks on this host run, once they are greeted
	Orphans func()                // ends what ended ranks have left behind: it holds their pipes, and mpirun waits
	Kill    func()                // ends what is left of launcher and ranks, and waits for it
}

// mark is a variable in the environment of all processes of an mpirun, and only of these.
const mark = "PGMPI_MPIRUN="

var (
	mpiruns atomic.Int64
	// adopt makes orphans below this process its children.
	adopt = sync.OnceFunc(func() {
		const childSubreaper = 36
		_, _, _ = syscall.RawSyscall(syscall.SYS_PRCTL, childSubreaper, 1, 0)
	})
)

func Exec(argv, env []string, stderr io.Writer) (*Ranks, error) {
	adopt()
	began := time.Now()
	marked := fmt.Sprintf("%s%d.%d", mark, os.Getpid(), mpiruns.Add(1))
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Env, cmd.Stderr = append(env, marked), stderr
	cmd.WaitDelay = termGrace
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	cmd.Stdout = w
	x := &Ranks{Stdin: stdin, Stdout: r, Exited: make(chan struct{})}
	wait, err := child.Start(cmd, func() { w.Close() })
	if err != nil {
		r.Close()
		return nil, err
	}
	go func() {
		x.Err = wait()
		close(x.Exited)
	}()
	x.PID = cmd.Process.Pid
	var below []process // descendants of the launcher on this host by rank 0's hello
	var starting sharedFiles
	done := make(chan struct{})
	stop := sync.OnceFunc(func() { close(done) })
	go starting.watch(cmd.Process.Pid, done)
	x.Greeted = func(shared []string) {
		stop()
		below = descendants(cmd.Process.Pid)
		starting.confirm(shared, below, marked)
	}
	x.Code = func() []string { return codeOf(below) }
	x.Orphans = func() { endAll(orphans(cmd.Process.Pid, marked), 0) }
	x.Kill = func() {
		x.end(cmd.Process.Pid, below, &starting)
		x.Orphans()
		pids := lists.Map(below, func(p process) int { return p.pid })
		removeSessions(launcherOf(x.PID, cmd.Env, began), pids...)
		stop()
	}
	return x, nil
}

func (x *Ranks) end(pid int, below []process, shared *sharedFiles) {
	below = append(below, descendants(pid)...)
	for _, p := range below {
		shared.see(p.pid)
	}
	_ = syscall.Kill(-pid, syscall.SIGTERM)
	select {
	case <-x.Exited:
	case <-time.After(termGrace):
	}
	x.Stdin.Close()
	_ = syscall.Kill(-pid, syscall.SIGKILL)
	<-x.Exited
	// Ranks that are left alone see the end of standard input, and leave.
	endAll(below, termGrace)
	shared.remove()
}

func orphans(launcher int, marked string) (found []process) {
	children := childrenOf(os.Getpid())
	for _, pid := range children {
		if p, _, alive := readStat(pid); alive && pid != launcher && hasVariable(pid, marked) {
			found = append(append(found, p), descendants(pid)...)
		}
	}
	return found
}

// EndMarked kills all processes of this host with a variable, NAME=VALUE, in their environment. It
// returns those that do not end.
func EndMarked(variable string) (left []int) {
	for end := time.Now().Add(termGrace); ; {
		var found []process
		entries, _ := os.ReadDir("/proc")
		for _, e := range entries {
			pid, err := strconv.Atoi(e.Name())
			if err != nil || pid == os.Getpid() || !hasVariable(pid, variable) {
				continue
			}
			if p, _, alive := readStat(pid); alive {
				found = append(found, p)
			}
		}
		if len(found) == 0 || time.Now().After(end) {
			return lists.Map(found, func(p process) int { return p.pid })
		}
		endAll(found, 0)
	}
}

func hasVariable(pid int, variable string) bool {
	environ, _ := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
	return slices.Contains(strings.Split(string(environ), "\x00"), variable)
}

// chatty are variables that make launchers write into the ranks' output, or before its lines.
var chatty = []string{"SLURM_LABELIO", "OMPI_MCA_orte_tag_output", "OMPI_MCA_orte_timestamp_output", "OMPI_MCA_orte_xml_output", "HYDRA_DEBUG", "HYDRA_TOPO_DEBUG"}

// environment returns this process's environment with the configured variables, without
// the chatty ones. Inside of a step of Slurm, such as
// srun --pty bash, a launcher's srun would wait for the CPUs that the step holds.
func environment(extra map[string]string) []string {
	env := slices.DeleteFunc(os.Environ(), func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		return slices.Contains(chatty, name)
	})
	if os.Getenv("SLURM_STEP_ID") != "" {
		env = append(env, "SLURM_OVERLAP=1")
	}
	for _, name := range slices.Sorted(maps.Keys(extra)) {
		env = append(env, name+"="+extra[name])
	}
	return env
}

// process is one process on this host; its pid alone may have gone to another by now.
type process struct {
	pid   int
	began string // start time in ticks, as the kernel gives it
}

// descendants returns the processes below pid on this host. MPICH's launcher gives its proxy
// a session of its own, so that no signal to the group reaches it and its ranks.
func descendants(pid int) []process {
	children := map[int][]process{}
	for _, pid := range processes() {
		if p, parent, alive := readStat(pid); alive {
			children[parent] = append(children[parent], p)
		}
	}
	var found []process
	for queue := []int{pid}; len(queue) > 0; queue = queue[1:] {
		for _, c := range children[queue[0]] {
			found = append(found, c)
			queue = append(queue, c.pid)
		}
	}
	return found
}

func processes() (pids []int) {
	entries, _ := os.ReadDir("/proc")
	for _, e := range entries {
		if pid, err := strconv.Atoi(e.Name()); err == nil {
			pids = append(pids, pid)
		}
	}
	return pids
}

// readStat reads /proc/PID/stat; zombies do not count as alive.
func readStat(pid int) (p process, parent int, alive bool) {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return p, 0, false
	}
	// The name, in parentheses, may hold anything.
	const state, ppid, start = 0, 1, 19 // fields after it
	fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
	if len(fields) <= start || fields[state] == "Z" || fields[state] == "X" {
		return p, 0, false
	}
	parent, err = strconv.Atoi(fields[ppid])
	return process{pid, fields[start]}, parent, err == nil
}

func codeOf(processes []process) (files []string) {
	for _, p := range processes {
		for permissions, file := range launch.Mapped(p.pid) {
			if permissions == "r-xp" {
				files = append(files, file)
			}
		}
	}
	slices.Sort(files)
	return slices.Compact(files)
}

// readAnew reads an unused file from the disk again, so that it gets another place in memory. It does
// nothing where that is impossible.
func readAnew(file string) {
	f, err := os.Open(file)
	if err != nil {
		return
	}
	defer f.Close()
	_ = f.Sync() // what is not on the disk yet would stay
	_ = unix.Fadvise(int(f.Fd()), 0, 0, unix.FADV_DONTNEED)
}

// endAll waits for processes to end by themselves, and then kills them. It reaps adopted ones.
func endAll(all []process, grace time.Duration) {
	for end := time.Now().Add(grace); ; time.Sleep(10 * time.Millisecond) {
		left := false
		for _, p := range all {
			if now, _, alive := readStat(p.pid); !alive || now != p {
				_, _ = syscall.Wait4(p.pid, nil, syscall.WNOHANG, nil)
				continue
			}
			left = true
			if time.Now().After(end) {
				_ = syscall.Kill(p.pid, syscall.SIGKILL)
			}
		}
		if !left || time.Now().After(end.Add(termGrace)) {
			return
		}
	}
}

// sharedFiles holds the files in /dev/shm that the ranks of an mpirun had while they
// started. Ranks that are killed then leave them there, and nobody knows their names.
type sharedFiles struct {
	mu  sync.Mutex
	all map[string]bool
}

// watch looks at the processes below a launcher whenever a file appears in /dev/shm. It looks at files
// that could be theirs, until done is closed. MPICH's has a name only for as long as it takes all ranks
// to come through MPI_Init.
func (f *sharedFiles) watch(pid int, done <-chan struct{}) {
	fd, err := syscall.InotifyInit1(syscall.IN_CLOEXEC | syscall.IN_NONBLOCK)
	if err != nil {
		return
	}
	events := os.NewFile(uintptr(fd), "inotify")
	if _, err := syscall.InotifyAddWatch(fd, launch.SharedFolder, syscall.IN_CREATE); err != nil {
		events.Close()
		return
	}
	go func() {
		<-done
		events.Close()
	}()
	for buffer, n := make([]byte, 1<<14), 0; ; {
		if n == 0 || slices.ContainsFunc(namesOf(buffer[:n]), launch.IsShared) {
			for queue := []int{pid}; len(queue) > 0; queue = queue[1:] {
				f.see(queue[0])
				queue = append(queue, childrenOf(queue[0])...)
			}
		}
		if n, err = events.Read(buffer); err != nil {
			return
		}
	}
}

func namesOf(events []byte) (names []string) {
	for len(events) >= syscall.SizeofInotifyEvent {
		length := binary.NativeEndian.Uint32(events[syscall.SizeofInotifyEvent-4:])
		name := events[syscall.SizeofInotifyEvent:]
		if int(length) > len(name) {
			break
		}
		names = append(names, strings.TrimRight(string(name[:length]), "\x00"))
		events = name[length:]
	}
	return names
}

// confirm looks for each file that a rank names in the processes of the mpirun. It begins with those
// below its launcher. A rank's word alone removes nothing.
func (f *sharedFiles) confirm(said []string, below []process, marked string) {
	lacks := func() bool {
		f.mu.Lock()
		defer f.mu.Unlock()
		return slices.ContainsFunc(said, func(name string) bool {
			_, err := os.Lstat(name)
			return err == nil && !f.all[name]
		})
	}
	for _, p := range below {
		if !lacks() {
			return
		}
		f.see(p.pid)
	}
	for _, pid := range processes() { // that a batch system has started
		if !lacks() {
			return
		}
		if hasVariable(pid, marked) {
			f.see(pid)
		}
	}
}

func (f *sharedFiles) see(pid int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, name := range launch.Shared(pid) {
		if f.all == nil {
			f.all = map[string]bool{}
		}
		f.all[name] = true
	}
}

func (f *sharedFiles) remove() {
	f.mu.Lock()
	defer f.mu.Unlock()
	launch.RemoveShared(slices.Collect(maps.Keys(f.all)))
}

func childrenOf(pid int) (children []int) {
	lists, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	for _, list := range lists {
		text, _ := os.ReadFile(list)
		for _, word := range strings.Fields(string(text)) {
			if child, err := strconv.Atoi(word); err == nil {
				children = append(children, child)
			}
		}
	}
	return children
}
