package results

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"pgmpi/internal/regular"
	"pgmpi/measure/host"
)

// Launcher records a process that has started an mpirun, and where the mpirun leaves its files.
type Launcher struct {
	host.PIDs
	PID   int       `json:"pid"`
	Began time.Time `json:"began"`
	Temp  string    `json:"temp"`
}

const launcherPrefix = regular.TempPrefix + "launcher-"

// Remember stores a launcher for the next driver in the folder. That one needs it if this driver is
// killed before it calls done.
func (f *Folder) Remember(l Launcher) (done func()) {
	name := launcherPrefix + strconv.Itoa(l.PID)
	_ = f.WriteJSON(name, l)
	return func() { os.Remove(filepath.Join(f.Path, name)) }
}

// killedIn returns the launcher that a file remembers, unless its number means nothing here: it is one
// of another host, of an earlier start of this one, or of another container.
func killedIn(path string) []Launcher {
	if !strings.HasPrefix(filepath.Base(path), launcherPrefix) {
		return nil
	}
	var l Launcher
	text, err := regular.Read(path, 1<<16)
	if err != nil || json.Unmarshal(text, &l) != nil || l.PID <= 0 || l.PIDs != host.ThesePIDs() {
		return nil
	}
	return []Launcher{l}
}
