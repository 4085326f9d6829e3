// Package progress shows how far a measurement is.
package progress

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"pgmpi/internal/experiment/run"
	"pgmpi/internal/phrase"
)

// Shown shows how far a campaign is: with a bar on a terminal, else with a line for every finished mpirun. Only
// events of the campaign call it, so that nothing runs alongside the ranks.
type Shown struct {
	to      io.Writer
	warn    func(format string, args ...any)
	quiet   bool
	drawing bool // whether a bar is drawn, on a terminal
	show    func(run.Progress)
	bar     *progressbar.ProgressBar
	start   time.Time
	fresh   int // steps done before the first mpirun that was not on disk already
}

// steps divides one mpirun into steps of the bar.
const steps = 100

// New shows progress with a bar on a terminal. Elsewhere it writes a line at a time by warn.
func New(to io.Writer, warn func(format string, args ...any), quiet bool) *Shown {
	p := &Shown{to: to, warn: warn, quiet: quiet, fresh: -1}
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

func (p *Shown) Tell(e run.Event) {
	switch {
	case e.Found != "" && !p.drawing:
		return
	case e.Found != "" || e.Sentence != "" || e.Step != "" && !p.quiet:
		p.Clear()
		p.warn("%s\n", cmp.Or(e.Sentence, e.Step, e.Found))
		return
	case e.Step != "":
		return
	case e.Before+e.Done == 0 && !e.Finished: // the next check of a self-test
		p.bar, p.fresh = nil, -1
	}
	p.show(e.Progress)
}

// Clear takes the bar off the terminal before something else is printed.
func (p *Shown) Clear() {
	if p.bar != nil {
		_ = p.bar.Clear()
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

func (p *Shown) draw(e run.Progress) {
	done, total := at(e)
	p.bars(what(e), done, total)
}

// Patience delays the bar of work that counts its own steps.
var Patience = time.Second

// Counting draws a bar on a terminal for work that counts its steps.
func (p *Shown) Counting(doing string) func(done, all int) {
	start := time.Now()
	return func(done, all int) {
		if p.drawing && time.Since(start) >= Patience {
			p.bars(doing, done, all)
		}
	}
}

func (p *Shown) bars(what string, done, total int) {
	// Splits and confirmations are planned when the first stages have ended. A bar that is full once stays so.
	if p.bar == nil {
		p.bar = progressbar.NewOptions(total+1, progressbar.OptionSetWriter(p.to), progressbar.OptionSetWidth(24),
			progressbar.OptionSetPredictTime(true), progressbar.OptionClearOnFinish(), progressbar.OptionSetRenderBlankState(true))
	}
	p.bar.ChangeMax(total + 1)
	p.bar.Describe(what)
	_ = p.bar.Set(done)
}

func (p *Shown) line(e run.Progress) {
	if !e.Finished {
		if p.fresh < 0 {
			p.fresh, _ = at(e)
			p.start = time.Now()
		}
		return
	}
	done, total := at(e)
	left := ""
	if p.fresh >= 0 && done < total {
		took := time.Since(p.start)
		left = fmt.Sprintf(", about %s left", phrase.Rounded(took*time.Duration(total-done)/time.Duration(done-p.fresh)))
	}
	p.warn("%s done%s\n", what(e), left)
}
