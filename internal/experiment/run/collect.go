package run

import (
	"slices"

	"pgmpi/analyze"
	"pgmpi/analyze/judge"
	"pgmpi/analyze/medians"
	"pgmpi/internal/fail"
	"pgmpi/internal/reading"
	"pgmpi/measure/protocol"
	"pgmpi/measure/results"
)

// collection keeps the run medians of the mpiruns of a check, so that no raw
// file is read twice.
type collection struct {
	wanted  bool // the campaign ends with a judgement
	medians *medians.Set
	runs    int  // that it has
	stale   bool // the manifest says something else by now, or an mpirun did not fit: read all again
}

// add takes in an mpirun. What is wrong with it is said when it is judged.
func (d *collection) add(m *results.Manifest, r *results.Run) {
	if !d.wanted || !slices.Contains(reading.JudgedModes, r.Mode) {
		return
	}
	if d.runs == 0 {
		d.medians = medians.New(m)
	}
	d.runs++
	d.stale = d.medians.Add(r) != nil || d.stale
}

// collected are the medians of stages, of stage 2 up to an mpirun.
func (c *Campaign) collected(upTo int, modes ...protocol.Mode) (*medians.Set, error) {
	onDisk := 0
	for _, mode := range modes {
		for _, shape := range c.Manifest.Plan.Shapes {
			runs, err := c.Folder().Finished(mode, shape)
			if err != nil {
				return nil, err
			}
			for _, run := range runs {
				if mode != protocol.ModeMeasure || run <= upTo {
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

// Refuse returns a *Refused where no result could be significant.
func (c *Campaign) Refuse() error {
	return RefusedBy(analyze.Design(c.Manifest, c.Config.Analyze))
}

func RefusedBy(d *judge.Design, err error) error {
	if err != nil || d.Refused == nil {
		return err
	}
	return &fail.Refused{Reason: d.Refused.Reason}
}
