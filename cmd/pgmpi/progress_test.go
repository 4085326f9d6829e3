package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"pgmpi/guidelines"
	"pgmpi/internal/experiment/run"
	"pgmpi/internal/fixture/must"
)

// terminal returns both ends of a pseudo terminal.
func terminal(t *testing.T) (screen, program *os.File) {
	t.Helper()
	screen, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skip("no pseudo terminals here: ", err)
	}
	t.Cleanup(func() { screen.Close() })
	must.Do(t, unix.IoctlSetPointerInt(int(screen.Fd()), unix.TIOCSPTLCK, 0))
	n := must.Get(unix.IoctlGetInt(int(screen.Fd()), unix.TIOCGPTN))(t)
	program = must.Get(os.OpenFile(filepath.Join("/dev/pts", fmt.Sprint(n)), os.O_RDWR|unix.O_NOCTTY, 0))(t)
	must.Do(t, unix.IoctlSetWinsize(int(program.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: 120}))
	return screen, program
}

func TestABarGoesOnWhereMoreIsPlannedLater(t *testing.T) {
	screen, program := terminal(t)
	old := stderr
	stderr = program
	p := newProgress(false)
	for done := range 4 {
		all := 2
		if done > 1 {
			all = 4 // splits
		}
		p.tell(run.Event{Progress: run.Progress{Doing: "measuring", Run: done + 1, Runs: all, Shape: guidelines.Shape{NP: 2}, Before: done, All: all, Finished: true}})
	}
	stderr = old
	must.Do(t, program.Close())
	text, _ := io.ReadAll(screen) // ends with an error, as the program has gone
	var shown []string
	for _, m := range regexp.MustCompile(`mpirun (\d) of \d \(p2\) +(\d+)%`).FindAllStringSubmatch(string(text), -1) {
		shown = append(shown, m[1]+": "+m[2])
	}
	if all := strings.Join(shown, ", "); !strings.Contains(all, "2: 99") || !strings.Contains(all, "3: 74, 4: 74, 4: 99") {
		t.Errorf("%s\n%q", all, text)
	}
}
