package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"pgmpi/guidelines"
	"pgmpi/internal/command"
	"pgmpi/internal/conf/glfile"
	"pgmpi/internal/experiment/run"
	"pgmpi/internal/progress"
	plans "pgmpi/testkit/fixture"
	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

// terminal opens both ends of a pseudo terminal.
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

// seen returns what a terminal gets on standard error while do runs.
func seen(t *testing.T, do func(h *command.Host)) string {
	t.Helper()
	screen, program := terminal(t)
	shown := make(chan string)
	go func() {
		text, _ := io.ReadAll(screen) // ends with an error, since the program has gone
		shown <- string(text)
	}()
	do(command.New(io.Discard, program))
	must.Do(t, program.Close())
	return <-shown
}

// An export or a drawing of over a second has a bar to its end, on a terminal only.
func TestExportAndFiguresDrawABar(t *testing.T) {
	t.Parallel()
	needs(t, "export", "figures")
	dir := filepath.Join(t.TempDir(), "out")
	plans.Folder(t, dir, glfile.Default())
	defer func(usual time.Duration) { progress.Patience = usual }(progress.Patience)
	for _, limit := range []time.Duration{0, time.Hour} {
		progress.Patience = limit
		for name, want := range map[string]string{"export": `writing +100%`, "figures": `drawing +92%`} {
			text := seen(t, func(h *command.Host) {
				err := dispatch(t.Context(), h, []string{name, dir, "--out", filepath.Join(t.TempDir(), "x.csv")})
				must.Hold(t, err == nil, "%v", err)
			})
			should.Hold(t, regexp.MustCompile(want).MatchString(text) == (limit == 0), "%s: %q in %q", name, want, text)
		}
	}
}

// Each further proof begins a bar of its own.
func TestEveryProofHasABar(t *testing.T) {
	text := seen(t, func(h *command.Host) {
		p := h.NewProgress(false)
		for range 2 {
			p.Tell(run.Event{Step: "proof"})
			for i := range 4 {
				p.Tell(run.Event{Progress: run.Progress{Doing: "measuring", Run: i/2 + 1, Runs: 2, Shape: guidelines.Shape{NP: 2}, Before: i / 2, All: 2, Finished: i%2 > 0}})
			}
		}
		p.Clear()
	})
	for _, proof := range strings.Split(text, "proof")[1:] {
		should.Hold(t, regexp.MustCompile(`(?s)1 of 2 \(p2\) +0%.* 50%.*2 of 2.* 100%`).MatchString(proof), "%q", proof)
	}
	should.Equal(t, strings.Count(text, "proof"), 2)
}

// A remedy has many campaigns, whose plans leave out the same sizes.
func TestANoteOfSeveralCampaignsIsShownOnce(t *testing.T) {
	for _, quiet := range []bool{false, true} {
		var file strings.Builder
		p := command.New(io.Discard, &file).NewProgress(quiet)
		for range 2 {
			p.Tell(run.Event{Sentence: "note: left out 4 B."})
			p.Tell(run.Event{Sentence: "note: left out 1 B."})
			p.Tell(run.Event{Sentence: "mpirun 3 failed."})
		}
		should.Equal(t, file.String(), "note: left out 4 B.\nnote: left out 1 B.\nmpirun 3 failed.\nmpirun 3 failed.\n")
	}
}

func TestFindingsSoFarAreShownOnATerminalOnly(t *testing.T) {
	tell := func(h *command.Host) { h.NewProgress(false).Tell(run.Event{Found: "violated so far: GL8"}) }
	should.Contain(t, seen(t, tell), "violated so far: GL8")
	var file strings.Builder
	tell(command.New(io.Discard, &file))
	should.Equal(t, file.String(), "")
}

func TestABarGoesOnWhereMoreIsPlannedLater(t *testing.T) {
	text := seen(t, func(h *command.Host) {
		p := h.NewProgress(false)
		for done := range 4 {
			all := 2
			if done > 1 {
				all = 4 // splits
			}
			p.Tell(run.Event{Progress: run.Progress{Doing: "measuring", Run: done + 1, Runs: all, Shape: guidelines.Shape{NP: 2}, Before: done, All: all, Finished: true}})
		}
	})
	var shown []string
	for _, m := range regexp.MustCompile(`mpirun (\d) of \d \(p2\) +(\d+)%`).FindAllStringSubmatch(text, -1) {
		shown = append(shown, m[1]+": "+m[2])
	}
	if all := strings.Join(shown, ", "); !strings.Contains(all, "2: 100") || !strings.Contains(all, "3: 75, 4: 100") {
		t.Errorf("%s\n%q", all, text)
	}
}
