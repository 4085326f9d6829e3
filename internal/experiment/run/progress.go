package run

import (
	"pgmpi/guidelines"
	"pgmpi/measure"
	"pgmpi/measure/protocol"
)

// Event is what a campaign tells while it goes on: a sentence for the user, or a step
// that begins, or, where both are empty, how far it is.
type Event struct {
	Sentence string
	Step     string // for who wants to see progress
	Progress
}

// Progress says how far a campaign is.
type Progress struct {
	Mode        protocol.Mode
	Shape       guidelines.Shape
	Run, Runs   int  // this mpirun, 1-based, and how many its stage has
	Before, All int  // mpiruns of all stages, before this one and in all
	Done, Total int  // cases of this mpirun
	Finished    bool // this mpirun is on disk
}

// tally counts the mpiruns of a command, by stage.
type tally struct{ planned, done map[protocol.Mode]int }

// at is the progress at the start of a task.
func (y *tally) at(t measure.Task) Progress {
	p := Progress{Mode: t.Mode, Shape: t.Shape, Run: y.done[t.Mode] + 1, Runs: y.planned[t.Mode]}
	p.Before = y.done[t.Mode]
	for _, mode := range []protocol.Mode{protocol.ModeNREP, protocol.ModeMeasure, protocol.ModeSplit, protocol.ModeConfirm, protocol.ModeExplore, protocol.ModeMessages, protocol.ModePipelined, protocol.ModeOverlap} {
		if mode == t.Mode {
			p.Before += p.All
		}
		p.All += y.planned[mode]
	}
	return p
}
