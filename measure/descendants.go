package measure

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// process is one process on this host; a pid alone may be another's by now.
type process struct {
	pid   int
	began string // start time in ticks, as the kernel gives it
}

// descendants are the processes that came from pid, on this host, apart from
// itself. MPICH's launcher gives its proxy a session of its own, so that no
// signal to the group reaches it and its ranks.
func descendants(pid int) []process {
	children := map[int][]process{}
	entries, _ := os.ReadDir("/proc")
	for _, e := range entries {
		if _, err := strconv.Atoi(e.Name()); err != nil {
			continue
		}
		if p, parent, alive := readStat("/proc/" + e.Name() + "/stat"); alive {
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

// readStat reads /proc/PID/stat; zombies are not alive.
func readStat(path string) (p process, parent int, alive bool) {
	text, err := os.ReadFile(path)
	if err != nil {
		return p, 0, false
	}
	// The name, in parentheses, may hold anything.
	const state, ppid, start = 0, 1, 19 // fields behind it
	fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
	if len(fields) <= start || fields[state] == "Z" || fields[state] == "X" {
		return p, 0, false
	}
	p.pid, _ = strconv.Atoi(filepath.Base(filepath.Dir(path)))
	p.began = fields[start]
	parent, err = strconv.Atoi(fields[ppid])
	return p, parent, err == nil
}

func (p process) lives() bool {
	now, _, alive := readStat("/proc/" + strconv.Itoa(p.pid) + "/stat")
	return alive && now == p
}

// endAll waits until processes have ended by themselves, and then kills them.
func endAll(all []process, grace time.Duration) {
	for end := time.Now().Add(grace); ; time.Sleep(10 * time.Millisecond) {
		left := false
		for _, p := range all {
			if !p.lives() {
				continue
			}
			left = true
			if time.Now().After(end) {
				_ = syscall.Kill(p.pid, syscall.SIGKILL)
			}
		}
		if !left || time.Now().After(end.Add(grace)) {
			return
		}
	}
}
