package main

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"pgmpi/internal/conf/glfile"
	"pgmpi/measure"
	"pgmpi/measure/protocol"
)

// progress shows how far a check is: a bar on a terminal, else a line for every
// finished mpirun. It is called by the driver's events only; nothing runs
// beside the ranks.
type progress struct {
	show  func(measure.Progress)
	bar   *progressbar.ProgressBar
	start time.Time
	runs  int // mpiruns of stage 1, and of stage 2
	nrep  int
	fresh int // first mpirun that was not on disk already
}

// steps is the resolution of the bar inside one mpirun.
const steps = 100

func newProgress(quiet bool, config *glfile.File) *progress {
	p := &progress{start: time.Now(), fresh: -1}
	if config.NREP.Fixed == 0 {
		p.nrep = config.NREP.Predictions * len(config.Job.NP)
	}
	runs, _, _ := config.Job.Schedule()
	p.runs = runs * len(config.Job.NP)
	switch f, ok := stderr.(*os.File); {
	case quiet:
		p.show = func(measure.Progress) {}
	case ok && term.IsTerminal(int(f.Fd())):
		p.show = p.draw
	default:
		p.show = p.line
	}
	return p
}

// clear takes the bar off the terminal before something else is printed.
func (p *progress) clear() {
	if p.bar != nil {
		_ = p.bar.Clear()
	}
}

// at is the number of steps done, of all stages that this command runs.
func (p *progress) at(e measure.Progress) (done, total int) {
	before, all := e.Run-1, e.Runs
	switch {
	case e.Mode == protocol.ModeMeasure:
		before, all = before+p.nrep, all+p.nrep
	case e.Mode == protocol.ModeSplit:
		before, all = before+p.nrep+p.runs, all+p.nrep+p.runs
	case e.MoreStages:
		all += p.runs
	}
	done = before * steps
	switch {
	case e.Finished:
		done += steps
	case e.Total > 0:
		done += e.Done * steps / e.Total
	}
	return done, all * steps
}

func what(e measure.Progress) string {
	if e.Mode == protocol.ModeNREP {
		return fmt.Sprintf("predicting nrep, mpirun %d of %d (%s)", e.Run, e.Runs, e.Shape)
	}
	if e.Mode == protocol.ModeSplit {
		return fmt.Sprintf("following up suspected splits, mpirun %d of %d (%s)", e.Run, e.Runs, e.Shape)
	}
	return fmt.Sprintf("measuring, mpirun %d of %d (%s)", e.Run, e.Runs, e.Shape)
}

func (p *progress) draw(e measure.Progress) {
	done, total := p.at(e)
	if p.bar == nil {
		p.bar = progressbar.NewOptions(total, progressbar.OptionSetWriter(stderr), progressbar.OptionSetWidth(24),
			progressbar.OptionSetPredictTime(true), progressbar.OptionClearOnFinish(), progressbar.OptionSetRenderBlankState(true))
	}
	p.bar.Describe(what(e))
	_ = p.bar.Set(done)
}

func (p *progress) line(e measure.Progress) {
	if !e.Finished {
		if p.fresh < 0 {
			p.fresh, _ = p.at(e)
			p.start = time.Now()
		}
		return
	}
	done, total := p.at(e)
	left := ""
	if p.fresh >= 0 && done < total {
		took := time.Since(p.start)
		left = fmt.Sprintf(", about %v left", (took * time.Duration(total-done) / time.Duration(done-p.fresh)).Round(time.Second))
	}
	fmt.Fprintf(io.Writer(stderr), "%s done%s\n", what(e), left)
}
