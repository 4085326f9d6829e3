package run

import (
	"slices"

	"pgmpi/analyze/medians"
	"pgmpi/internal/reading"
	"pgmpi/measure/protocol"
	"pgmpi/measure/results"
)

// collection keeps the run medians of the mpiruns of an experiment, so that no raw file is
// read twice.
type collection struct {
	medians *medians.Set
	runs    int  // that it has
	stale   bool // the manifest says something else by now, or an mpirun did not fit: read all again
}

// add takes in an mpirun. What is wrong with it is said when it is judged.
func (d *collection) add(m *results.Manifest, r *results.Run) {
	if !slices.Contains(reading.JudgedModes, r.Mode) {
		return
	}
	if d.runs == 0 {
		d.medians = medians.New(m)
	}
	d.runs++
	d.stale = d.medians.Add(r) != nil || d.stale
}

// Collected are the run medians of what has been measured so far.
func (c *Campaign) Collected() (*medians.Set, error) { return c.collected(c.Manifest.R) }

// collected are those of stage 2 up to an mpirun, and of the stages after it.
func (c *Campaign) collected(upTo int) (*medians.Set, error) {
	onDisk := 0
	for _, mode := range c.begun {
		for _, shape := range c.Manifest.Plan.Shapes {
			runs, err := c.Folder().Finished(mode, shape)
			if err != nil {
				return nil, err
			}
			for _, run := range runs {
				if slices.Contains(reading.JudgedModes, mode) && (mode != protocol.ModeMeasure || run <= upTo) {
					onDisk++
				}
			}
		}
	}
	if c.data.runs != onDisk || c.data.runs == 0 || c.data.stale {
		return reading.Collect(c.Folder(), c.Manifest, upTo)
	}
	return c.data.medians, nil
}
