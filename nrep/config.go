package nrep

import (
	"slices"
	"time"

	"pgmpi/internal/conf"
)

const (
	MetricRSE       = "rse"        // relative standard error of the mean
	MetricCovMean   = "cov_mean"   // coefficient of variation of the last prefix means
	MetricCovMedian = "cov_median" // the same of the last prefix medians
)

var Metrics = []string{MetricRSE, MetricCovMean, MetricCovMedian}

// maxRepetitions bounds what a rank would have to hold in memory for one case.
const maxRepetitions = 10_000_000

// Config is the [nrep] section of gl.toml. Start from Default.
type Config struct {
	Metrics     []string      `toml:"metrics" json:"metrics"`         // rse, cov_mean, cov_median: all must hold
	RSE         float64       `toml:"rse" json:"rse"`                 // stop below it
	CovMean     CovConfig     `toml:"cov_mean" json:"cov_mean"`       //
	CovMedian   CovConfig     `toml:"cov_median" json:"cov_median"`   //
	Min         int           `toml:"min" json:"min"`                 // repetitions at the first check point
	Max         int           `toml:"max" json:"max"`                 // repetitions at the last one
	Step        int           `toml:"step" json:"step"`               // to the second check point; then doubled
	Predictions int           `toml:"predictions" json:"predictions"` // number of mpiruns that predict
	Budget      conf.Duration `toml:"budget" json:"budget"`           // for over Min repetitions, or 0 for no limit
	MaxTime     conf.Duration `toml:"max_time" json:"max_time"`       // for one case of one prediction
	MinTime     conf.Duration `toml:"min_time" json:"min_time"`       // in the calls of one case of one mpirun that measures
	Enough      int           `toml:"enough" json:"enough"`           // for a case of one mpirun that measures, or 0 for no limit
	Fixed       int           `toml:"fixed" json:"fixed"`             // repetitions without prediction, if above 0
}

// CovConfig holds the threshold of a coefficient of variation. Window is the number of prefixes that it
// is computed over.
type CovConfig struct {
	Threshold float64 `toml:"threshold" json:"threshold"` // stop below it
	Window    int     `toml:"window" json:"window"`       // prefixes, at least 2
}

func Default() Config {
	return Config{
		Metrics:     []string{MetricRSE},
		RSE:         0.025,
		CovMean:     CovConfig{Threshold: 0.01, Window: 20},
		CovMedian:   CovConfig{Threshold: 0.01, Window: 20},
		Min:         10,
		Max:         1000,
		Step:        10,
		Predictions: 3,
		Budget:      conf.Duration(3 * time.Millisecond),
		MaxTime:     conf.Duration(2 * time.Second),
		MinTime:     conf.Duration(500 * time.Microsecond),
		Enough:      200,
	}
}

func (c Config) Most() int {
	if c.Fixed > 0 {
		return c.Fixed
	}
	return c.Max
}

func (c Config) Validate() []conf.FieldError {
	var errs conf.FieldErrors
	errs.Check(len(c.Metrics) > 0, "metrics", "is empty")
	for i, m := range c.Metrics {
		errs.Name("metrics", "metric", m, Metrics)
		errs.Check(!slices.Contains(c.Metrics[:i], m), "metrics", "%q is listed twice", m)
	}
	errs.Check(isThreshold(c.RSE), "rse", "%v is not between 0 and 1", c.RSE)
	for _, cov := range []struct {
		metric string
		CovConfig
	}{{MetricCovMean, c.CovMean}, {MetricCovMedian, c.CovMedian}} {
		errs.Check(isThreshold(cov.Threshold), cov.metric+".threshold", "%v is not between 0 and 1", cov.Threshold)
		errs.Check(cov.Window >= 2, cov.metric+".window", "%d is below 2", cov.Window)
		errs.Check(cov.Window <= c.Max || !slices.Contains(c.Metrics, cov.metric), cov.metric+".window",
			"%d is more than max = %d, so it could never be satisfied", cov.Window, c.Max)
	}
	errs.Check(c.Min >= 1, "min", "%d is below 1", c.Min)
	errs.Check(c.Max >= c.Min, "max", "%d is below min = %d", c.Max, c.Min)
	errs.Check(c.Max <= maxRepetitions, "max", "%d is more than %d", c.Max, maxRepetitions)
	errs.Check(c.Step >= 1, "step", "%d is below 1", c.Step)
	errs.Check(c.Predictions >= 1, "predictions", "%d is below 1", c.Predictions)
	errs.Check(c.Budget >= 0, "budget", "%v is negative", c.Budget)
	errs.Check(c.MaxTime > 0, "max_time", "%v is not positive", c.MaxTime)
	errs.Check(c.MinTime >= 0, "min_time", "%v is negative", c.MinTime)
	errs.Check(c.Enough >= 0, "enough", "%d is negative", c.Enough)
	errs.Check(c.Fixed >= 0, "fixed", "%d is negative", c.Fixed)
	errs.Check(c.Fixed <= maxRepetitions, "fixed", "%d is more than %d", c.Fixed, maxRepetitions)
	return errs
}

// isThreshold is false for NaN.
func isThreshold(v float64) bool { return v > 0 && v < 1 }
