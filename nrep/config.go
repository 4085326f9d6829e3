package nrep

import (
	"fmt"
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
	Metrics     []string      `toml:"metrics" json:"metrics"`
	RSE         float64       `toml:"rse" json:"rse"`
	CovMean     CovConfig     `toml:"cov_mean" json:"cov_mean"`
	CovMedian   CovConfig     `toml:"cov_median" json:"cov_median"`
	Min         int           `toml:"min" json:"min"`
	Max         int           `toml:"max" json:"max"`
	Step        int           `toml:"step" json:"step"`
	Predictions int           `toml:"predictions" json:"predictions"`
	Budget      conf.Duration `toml:"budget" json:"budget"`
	MaxTime     conf.Duration `toml:"max_time" json:"max_time"`
	MinTime     conf.Duration `toml:"min_time" json:"min_time"`
	Enough      int           `toml:"enough" json:"enough"`
	Fixed       int           `toml:"fixed" json:"fixed"`
}

// CovConfig holds the threshold of a coefficient of variation. Window is the number of prefixes that it
// is computed over.
type CovConfig struct {
	Threshold float64 `toml:"threshold" json:"threshold"`
	Window    int     `toml:"window" json:"window"`
}

// Rows describes the keys.
func (c *Config) Rows() []conf.Key {
	share := conf.That(func(v float64) bool { return v > 0 && v < 1 }, "%v is not between 0 and 1") // NaN is not
	some, notNegative := conf.AtLeast(1, "%v is below 1"), conf.AtLeast(0, "%v is negative")
	window, time0 := conf.AtLeast(2, "%v is below 2"), conf.AtLeast(conf.Duration(0), "%v is negative")
	most := conf.That(func(n int) bool { return n <= maxRepetitions }, fmt.Sprintf("%%v is more than %d", maxRepetitions))
	return []conf.Key{
		{Field: conf.At(&c.Metrics, []string{MetricRSE}, metrics), Names: Metrics,
			Text: "metrics that say when a case has been repeated often enough (all that are listed must hold)",
			Flag: "nrep-metrics", Value: "LIST"},
		{Field: conf.At(&c.RSE, .025, share), Text: "threshold of the relative standard error; between 0 and 1",
			Flag: "nrep-rse", Value: "N"},
		{Field: conf.At(&c.CovMean.Threshold, .01, share),
			Text: "threshold of the coefficient of variation of the last means; between 0 and 1",
			Flag: "nrep-cov-mean", Value: "N"},
		{Field: conf.At(&c.CovMean.Window, 20, window), Text: "number of these means; at least 2"},
		{Field: conf.At(&c.CovMedian.Threshold, .01, share),
			Text: "threshold of the coefficient of variation of the last medians; between 0 and 1",
			Flag: "nrep-cov-median", Value: "N"},
		{Field: conf.At(&c.CovMedian.Window, 20, window), Text: "number of these medians; at least 2"},
		{Field: conf.At(&c.Min, 10, some), Text: "fewest repetitions of a case, after which the metrics are first checked",
			Flag: "nrep-min", Value: "N"},
		{Field: conf.At(&c.Max, 1000, most), Text: "most repetitions of a case; at most 10,000,000",
			Flag: "nrep-max", Value: "N"},
		{Field: conf.At(&c.Step, 10, some),
			Text: "repetitions from the first check of the metrics to the second; it doubles", Flag: "nrep-step", Value: "N"},
		{Field: conf.At(&c.Predictions, 3, some), Text: "number of mpiruns that predict; the largest prediction is kept"},
		{Field: conf.At(&c.Budget, conf.Duration(3*time.Millisecond), time0),
			Text: "long calls are repeated more than `min` times only within this time; `\"0s\"`: no limit"},
		{Field: conf.At(&c.MaxTime, conf.Duration(2*time.Second), conf.Above(conf.Duration(0), "%v is not positive")),
			Text: "time limit for one case in one prediction"},
		{Field: conf.At(&c.MinTime, conf.Duration(500*time.Microsecond), time0),
			Text: "short calls are repeated until they have taken this long together, at most `max` times"},
		{Field: conf.At(&c.Enough, 200, notNegative),
			Text: "most repetitions of a case in an mpirun that measures, unless `min` is more; `0`: no limit",
			More: "See [measuring.md](measuring.md#how-often-nrep)."},
		{Field: conf.At(&c.Fixed, 0, notNegative, most), Text: "above 0: this many repetitions, and no stage 1"},
	}
}

func metrics(names *[]string) (errs []error) {
	errs = conf.Unless(len(*names) > 0, "is empty")
	for i, m := range *names {
		errs = append(errs, conf.Known("metric", Metrics, m)...)
		errs = append(errs, conf.Unless(!slices.Contains((*names)[:i], m), "%q is listed twice", m)...)
	}
	return errs
}

func Default() Config { return conf.Usual((*Config).Rows) }

func (c Config) Most() int {
	if c.Fixed > 0 {
		return c.Fixed
	}
	return c.Max
}

func (c Config) Validate() []conf.FieldError {
	errs := conf.Check(&c, c.Rows())
	errs.Check(c.Max >= c.Min, "max", "%d is below min = %d", c.Max, c.Min)
	reached := func(metric string, window int) {
		errs.Check(window <= c.Max || !slices.Contains(c.Metrics, metric), metric+".window",
			"%d is more than max = %d, so it could never be satisfied", window, c.Max)
	}
	reached(MetricCovMean, c.CovMean.Window)
	reached(MetricCovMedian, c.CovMedian.Window)
	return errs
}
