package medians

import (
	"errors"

	"pgmpi/internal/stats"
	"pgmpi/measure/protocol"
)

// Lags limits the lags of the autocorrelation: with more, 10 million samples would take long.
const Lags = 10

// leastSeries samples make a series long enough; its significance bound is then 0.44.
const leastSeries = 2 * Lags

// StrongDependence is the inefficiency from which a case is reported: stage 1 takes the samples for
// independent, so that the standard error with which it predicted the repetitions is then too small
// by √3 = 1.7 or more.
const StrongDependence = 3

// dependence holds a number for each mpirun whose series of the case is long enough.
type dependence struct {
	lag1, inefficiency []float64
	significant        int
}

// Autocorrelation takes the filtered samples of one mpirun, in the order of measurement;
// the filter leaves no gaps. It returns nil for series that are too short or constant.
func Autocorrelation(series []float64) ([]float64, error) {
	if len(series) < leastSeries {
		return nil, nil
	}
	acf, err := stats.Autocorrelation(series, Lags)
	if errors.Is(err, stats.ErrUndefined) {
		return nil, nil
	}
	return acf, err
}

func (d *dependence) add(series []float64) error {
	acf, err := Autocorrelation(series)
	if acf == nil || err != nil {
		return err
	}
	d.lag1 = append(d.lag1, acf[0])
	d.inefficiency = append(d.inefficiency, stats.Inefficiency(acf, len(series)))
	if acf[0] > stats.AutocorrelationBound(len(series)) {
		d.significant++
	}
	return nil
}

// OutOfSync names a case with samples left out because the processes were not synchronised.
type OutOfSync struct {
	Cell
	Samples int     `json:"samples"` // of all mpiruns
	Invalid int     `json:"invalid"` // of these, left out
	Late    int     `json:"late"`    // of these, started late
	Long    int     `json:"long"`    // of these, took longer than the window; one sample can be both
	Share   float64 `json:"share"`   // Invalid/Samples
	TooMany bool    `json:"too_many"`
}

func (s *Set) OutOfSync() []OutOfSync {
	out := []OutOfSync{}
	for i, k := range s.manifest.Plan.Cases {
		of := &s.Cases[i]
		if n := of.Samples(); of.Status == protocol.StatusOK && n.Invalid > 0 {
			out = append(out, OutOfSync{CellOf(k), n.Total, n.Invalid, of.late, of.long, float64(n.Invalid) / float64(n.Total), n.tooMany()})
		}
	}
	return out
}

// Dependence says how much the samples of a case resemble their neighbours in
// time (S-REVISITED §5.3). A series has the filtered samples of a case in one mpirun.
type Dependence struct {
	Lags        int             `json:"lags"`
	Series      int             `json:"series"`      // long enough to tell
	Significant int             `json:"significant"` // of these, with an autocorrelation at lag 1 above 1.96/√n
	Strong      []DependentCase `json:"strong"`
}

type DependentCase struct {
	Cell
	// Lag1 is the autocorrelation at lag 1; Inefficiency tells how many samples are
	// worth one independent sample. Both are medians over the mpiruns.
	Lag1         float64 `json:"lag1"`
	Inefficiency float64 `json:"inefficiency"`
}

func (s *Set) Dependence() Dependence {
	out := Dependence{Lags: Lags, Strong: []DependentCase{}}
	for i, k := range s.manifest.Plan.Cases {
		of := &s.Cases[i]
		if of.Status != protocol.StatusOK {
			continue
		}
		d := &of.dependence
		out.Series += len(d.lag1)
		out.Significant += d.significant
		if 2*len(d.lag1) >= of.Runs && stats.MedianFinite(d.inefficiency) >= StrongDependence {
			out.Strong = append(out.Strong, DependentCase{CellOf(k), stats.MedianFinite(d.lag1), stats.MedianFinite(d.inefficiency)})
		}
	}
	return out
}
