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

type Progress struct {
	Doing       string // in words, the stage
	Shape       guidelines.Shape
	Run, Runs   int  // this mpirun, 1-based, and how many its stage has
	Before, All int  // mpiruns of all stages, before this one and in all
	Done, Total int  // cases of this mpirun
	Finished    bool // this mpirun is on disk
}

type tally struct {
	stages        []Stage
	planned, done map[protocol.Mode]int
}

func newTally(stages []Stage) *tally {
	return &tally{stages, map[protocol.Mode]int{}, map[protocol.Mode]int{}}
}

// count counts mpiruns of a stage on each shape, for the progress.
func (c *Campaign) count(s Stage, runs int) {
	c.tally.planned[s.Mode] += runs * len(c.Manifest.Plan.Shapes)
}

func (y *tally) at(t measure.Task) Progress {
	p := Progress{Shape: t.Shape, Run: y.done[t.Mode] + 1, Runs: y.planned[t.Mode]}
	p.Before = y.done[t.Mode]
	for _, s := range y.stages {
		if s.Mode == t.Mode {
			p.Doing = s.Doing
			p.Before += p.All
		}
		p.All += y.planned[s.Mode]
	}
	return p
}
