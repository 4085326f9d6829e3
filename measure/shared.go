package measure

import (
	"encoding/binary"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"

	"pgmpi/measure/launch"
)

// sharedFiles holds the files in /dev/shm that the ranks of an mpirun had while they
// started. Ranks that are killed then leave them there, and nobody knows their names.
type sharedFiles struct {
	mu  sync.Mutex
	all map[string]bool
}

// watch looks at the processes below a launcher whenever a file is made in /dev/shm
// that could be theirs, until done is closed. MPICH's has a name only for as long as it takes
// all ranks to come through MPI_Init.
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
