package analyze

import (
	"errors"

	"pgmpi/guidelines"
	"pgmpi/internal/stats"
	"pgmpi/measure/protocol"
)

// dependenceLags is how many lags of the autocorrelation are looked at: at
// more, 10 million samples would take long.
const dependenceLags = 10

// leastSeries is the fewest samples whose autocorrelation is looked at; its
// significance bound is then 0.44.
const leastSeries = 2 * dependenceLags

// strongDependence is the inefficiency from which a case is reported: the
// standard error that stage 1 predicted the repetitions with, which takes the
// samples for independent, is then too small by √3 = 1.7 or more.
const strongDependence = 3

// dependence is what is kept of a case's autocorrelation: a number for each
// mpirun whose series is long enough.
type dependence struct {
	lag1, inefficiency []float64
	significant        int
}

// add takes the filtered samples of one mpirun, in the order of measurement;
// what the filter took out leaves no gap. Equal samples depend on nothing.
func (d *dependence) add(series []float64) error {
	if len(series) < leastSeries {
		return nil
	}
	acf, err := stats.Autocorrelation(series, dependenceLags)
	if errors.Is(err, stats.ErrUndefined) {
		return nil
	}
	if err != nil {
		return err
	}
	d.lag1 = append(d.lag1, acf[0])
	d.inefficiency = append(d.inefficiency, stats.Inefficiency(acf, len(series)))
	if acf[0] > stats.AutocorrelationBound(len(series)) {
		d.significant++
	}
	return nil
}

// samples fills OutOfSync and Dependence.
func (c *Collector) samples(r *Report) {
	for i, k := range c.manifest.Plan.Cases {
		of := &c.cases[i]
		if of.status != protocol.StatusOK {
			continue
		}
		if of.counts().invalid > 0 {
			r.OutOfSync = append(r.OutOfSync, outOfSync(k, of))
		}
		d := &of.dependence
		r.Dependence.Series += len(d.lag1)
		r.Dependence.Significant += d.significant
		if 2*len(d.lag1) >= of.runs && median(d.inefficiency) >= strongDependence {
			r.Dependence.Strong = append(r.Dependence.Strong, DependentCase{Function: k.Function, Msize: k.Msize,
				Shape: k.Shape.String(), Lag1: median(d.lag1), Inefficiency: median(d.inefficiency)})
		}
	}
}

func outOfSync(k guidelines.Case, of *collected) OutOfSync {
	n := of.counts()
	return OutOfSync{Function: k.Function, Msize: k.Msize, Shape: k.Shape.String(), Samples: n.total, Invalid: n.invalid,
		Late: of.late, Long: of.long, Share: float64(n.invalid) / float64(n.total), TooMany: n.tooMany()}
}
