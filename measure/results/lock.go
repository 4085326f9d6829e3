package results

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"pgmpi/internal/regular"
	"pgmpi/measure/batch"
	"pgmpi/measure/host"
)

type lock struct {
	file *os.File // with flock: the kernel releases it when the process dies
	held string   // without flock: the file whose existence is the lock
}

type holder struct {
	host.PIDs
	PID int       `json:"pid"`
	Job *host.Job `json:"job,omitempty"`
}

func thisHolder() holder { return holder{host.ThesePIDs(), os.Getpid(), host.ReadJob()} }

func (h holder) String() string {
	if h.Host == "" {
		return "another pgmpi"
	}
	s := fmt.Sprintf("another pgmpi, process %d on %s", h.PID, h.Host)
	if h.Job != nil {
		s += fmt.Sprintf(" (%s job %s)", h.Job.Scheduler, h.Job.ID)
	}
	return s
}

func (h holder) gone(now holder) bool {
	if h.PIDs == now.PIDs {
		// The number may have gone to another process; then it looks alive.
		return errors.Is(syscall.Kill(h.PID, 0), syscall.ESRCH)
	}
	if h.Job != nil && now.Job != nil && h.Job.Scheduler == now.Job.Scheduler && h.Job.ID == now.Job.ID {
		return h.Job.Restarts < now.Job.Restarts // put back into the queue
	}
	return h.state().Over()
}

func (h holder) state() batch.State {
	if h.Job != nil {
		if s, err := batch.StateOf(h.Job.ID); err == nil {
			return s
		}
	}
	return batch.State{Word: "unknown"}
}

// elsewhere tells whether a holder certainly still runs in another job on another
// host. A process that was killed leaves its name behind.
func (h holder) elsewhere(now holder) bool {
	return h.Host != "" && h.Host != now.Host && h.Job != nil && (now.Job == nil || h.Job.ID != now.Job.ID) && h.state().Word == "RUNNING"
}

// lockFolder locks a folder. Only EWOULDBLOCK means that another process has it: file
// systems without flock (Lustre mounted without -o flock, NFS without lockd) return other
// errors, and get a file instead that only one process can make.
func lockFolder(path string, flock func(fd, how int) error) (*lock, error) {
	name := filepath.Join(path, lockName)
	file, err := regular.Lock(name)
	if err != nil {
		return nil, fmt.Errorf("results folder: %w; choose another with --out", err)
	}
	l := &lock{file: file}
	err = flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	switch {
	case err == nil:
		by := readHolder(name)
		if !by.elsewhere(thisHolder()) {
			_ = sign(file) // for others to read; the lock holds without
			return l, nil
		}
		err = inUse(path, by, "wait for it, or choose another folder with --out (this file system's locks are seen on one node only: Lustre with -o localflock)")
	case errors.Is(err, syscall.EWOULDBLOCK): // also EAGAIN
		err = inUse(path, readHolder(name), "wait for it, or choose another folder with --out")
	default:
		if err = l.hold(path, filepath.Join(path, heldName)); err == nil {
			return l, nil
		}
	}
	file.Close()
	return nil, err
}

// hold makes the file that is the lock. A file that its maker has left is removed once.
func (l *lock) hold(path, name string) error {
	for again := false; ; again = true {
		file, err := regular.New(name)
		if err == nil {
			l.held = name
			return errors.Join(sign(file), file.Close())
		}
		if !errors.Is(err, fs.ErrExist) {
			return fmt.Errorf("results folder: %w; choose another with --out", err)
		}
		by := readHolder(name)
		if again || by.Host == "" || !by.gone(thisHolder()) {
			return inUse(path, by, fmt.Sprintf("wait for it, or choose another folder with --out. If it does not run any more, remove %s (the file system has no locks that end with a process)", name))
		}
		// Rename it first: of two processes that find it, only one can remove it.
		mine := fmt.Sprintf("%s-%d", name, os.Getpid())
		if os.Rename(name, mine) != nil {
			continue
		}
		if now := readHolder(mine); now.PIDs != by.PIDs || now.PID != by.PID { // another was faster, and this is its lock
			_ = os.Rename(mine, name)
			return inUse(path, now, "wait for it, or choose another folder with --out")
		}
		os.Remove(mine)
	}
}

func inUse(path string, by holder, remedy string) error {
	return fmt.Errorf("%s is in use by %v; %s", path, by, remedy)
}

func sign(file *os.File) error {
	text, err := json.Marshal(thisHolder())
	if err == nil {
		err = errors.Join(file.Truncate(0), file.Sync())
	}
	if err == nil {
		_, err = file.WriteAt(append(text, '\n'), 0)
	}
	return err
}

func readHolder(name string) (h holder) {
	text, err := regular.Read(name, 1<<16)
	if err != nil || json.Unmarshal(text, &h) != nil {
		return holder{}
	}
	return h
}

func (l *lock) release() error {
	if l == nil {
		return nil // opened for reading
	}
	var err error
	if l.held != "" {
		err = os.Remove(l.held)
	} else {
		_ = l.file.Truncate(0)
	}
	return errors.Join(err, l.file.Close())
}
