// Package progress shows how far a measurement is.
package progress

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"golang.org/x/term"

	"pgmpi/internal/experiment/run"
	"pgmpi/internal/phrase"
)

// Shown shows how far a campaign is: with a bar on a terminal, else with a line for every finished mpirun. Only
// events of the campaign call it, so that nothing runs alongside the ranks.
type Shown struct {
	to      io.Writer
	say     func(line string)
	quiet   bool
	drawing bool // whether a bar is drawn, on a terminal
	show    func(run.Progress)
	drawn   string // the bar on the terminal
	start   time.Time
	fresh   int // steps done before the first mpirun that was not on disk already
	noted   map[string]bool
}

// steps divides one mpirun into steps of the bar.
const steps = 100

// New shows progress with a bar on a terminal. Elsewhere it says a line at a time.
func New(to io.Writer, say func(line string), quiet bool) *Shown {
	p := &Shown{to: to, say: say, quiet: quiet, fresh: -1, noted: map[string]bool{}}
	switch f, ok := to.(*os.File); {
	case quiet:
		p.show = func(run.Progress) {}
	case ok && term.IsTerminal(int(f.Fd())):
		p.show, p.drawing = p.draw, true
	default:
		p.show = p.line
	}
	return p
}

// Tell shows an event. A note that several campaigns of one command have, such as the proofs of a remedy, is shown
// once.
func (p *Shown) Tell(e run.Event) {
	if strings.HasPrefix(e.Sentence, "note: ") {
		if p.noted[e.Sentence] {
			return
		}
		p.noted[e.Sentence] = true
	}
	switch {
	case e.Found != "" && !p.drawing:
		return
	case e.Found != "" || e.Sentence != "" || e.Step != "" && !p.quiet:
		p.Clear()
		p.say(cmp.Or(e.Sentence, e.Step, e.Found))
		return
	case e.Step != "":
		return
	case e.Before+e.Done == 0 && !e.Finished: // the next check of a self-test
		p.fresh = -1
	}
	p.show(e.Progress)
}

// Clear takes the bar off the terminal before something else is printed.
func (p *Shown) Clear() {
	if p.drawn != "" {
		fmt.Fprint(p.to, clearLine)
		p.drawn = ""
	}
}

func at(e run.Progress) (done, total int) {
	done = e.Before * steps
	switch {
	case e.Finished:
		done += steps
	case e.Total > 0:
		done += e.Done * steps / e.Total
	}
	return done, e.All * steps
}

func what(e run.Progress) string {
	return fmt.Sprintf("%s, mpirun %d of %d (%s)", e.Doing, e.Run, e.Runs, e.Shape)
}

// Patience delays the bar of work that counts its own steps.
var Patience = time.Second

// Counting draws a bar on a terminal for work that counts its steps.
func (p *Shown) Counting(doing string) func(done, all int) {
	start := time.Now()
	return func(done, all int) {
		if p.drawing && time.Since(start) >= Patience {
			p.bar(doing, done, all, start, 0)
		}
	}
}

func (p *Shown) draw(e run.Progress) {
	done, total := at(e)
	p.begin(done)
	p.bar(what(e), done, total, p.start, p.fresh)
}

// clearLine goes to the beginning of a terminal's line and empties it.
const clearLine = "\r\x1b[K"

// bar draws how far the work is, in one line of the terminal.
func (p *Shown) bar(what string, done, total int, start time.Time, fresh int) {
	const width = 24
	full := width * done / max(1, total)
	text := fmt.Sprintf(" %3d%% |%s%s|%s", 100*done/max(1, total), strings.Repeat("█", full), strings.Repeat(" ", width-full), left(start, fresh, done, total))
	if f, ok := p.to.(*os.File); ok {
		if columns, _, err := term.GetSize(int(f.Fd())); err == nil { // a line that wraps could not be cleared
			what = phrase.Fit(what, max(1, columns-1-len([]rune(text))))
		}
	}
	if text = what + text; text != p.drawn {
		fmt.Fprint(p.to, clearLine, text)
		p.drawn = text
	}
}

// begin notes when the first step was made that was not on disk already.
func (p *Shown) begin(done int) {
	if p.fresh < 0 {
		p.fresh, p.start = done, time.Now()
	}
}

func left(start time.Time, fresh, done, total int) string {
	if done <= fresh || done >= total {
		return ""
	}
	return fmt.Sprintf(", about %s left", phrase.Rounded(time.Since(start)*time.Duration(total-done)/time.Duration(done-fresh)))
}

func (p *Shown) line(e run.Progress) {
	done, total := at(e)
	if !e.Finished {
		p.begin(done)
		return
	}
	ahead := ""
	if p.fresh >= 0 {
		ahead = left(p.start, p.fresh, done, total)
	}
	p.say(what(e) + " done" + ahead)
}
