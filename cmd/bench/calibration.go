package main

import "fmt"

// replicationBins begin at a probability of replication; the next one ends it.
var replicationBins = []struct {
	name  string
	least float64
}{{"under .5", 0}, {".5 to .7", .5}, {".7 to .9", .7}, {".9 and above", .9}}

// calibration is what became of the violations whose probability of replication
// is in one bin.
type calibration struct {
	violations, withProbability int
	probability                 float64 // their sum
	repeats, again              int     // other checks, and those that call them violated again
}

// calibrate follows every violation of a check through the other checks of its
// group, and counts by bin; the last bin is for those without a probability.
func calibrate(groups [][]repeat) []calibration {
	bins := make([]calibration, len(replicationBins)+1)
	for _, checks := range groups {
		for i, c := range checks {
			for cell := range c.Verdicts {
				v := &c.Verdicts[cell]
				if !isViolated(v) || len(checks) < 2 {
					continue
				}
				b := &bins[replicationBin(v.Replication)]
				b.violations++
				if v.Replication != nil {
					b.withProbability++
					b.probability += *v.Replication
				}
				for j, other := range checks {
					if j == i {
						continue
					}
					b.repeats++
					if isViolated(&other.Verdicts[cell]) {
						b.again++
					}
				}
			}
		}
	}
	return bins
}

func replicationBin(q *float64) (bin int) {
	if q == nil {
		return len(replicationBins)
	}
	for i, b := range replicationBins {
		if b.least <= *q {
			bin = i
		}
	}
	return bin
}

// showCalibration sets the probabilities beside what happened in all other checks,
// and in those that ran in the same state.
func showCalibration(across, within []calibration) {
	t := newTable("replication", "violations", "mean of it", "violated again", "share", "in the same state", "share")
	row := func(name string, all, in calibration) {
		t.row(name, all.violations, number("%.2f", all.probability/float64(all.withProbability)),
			fmt.Sprintf("%d/%d", all.again, all.repeats), per(all.again, all.repeats),
			fmt.Sprintf("%d/%d", in.again, in.repeats), per(in.again, in.repeats))
	}
	var all, in calibration
	for i := range across {
		name := "none given"
		if i < len(replicationBins) {
			name = replicationBins[i].name
		}
		row(name, across[i], within[i])
		all, in = all.plus(across[i]), in.plus(within[i])
	}
	row("all", all, in)
	t.Flush()
}

func (c calibration) plus(d calibration) calibration {
	return calibration{c.violations + d.violations, c.withProbability + d.withProbability, c.probability + d.probability,
		c.repeats + d.repeats, c.again + d.again}
}
