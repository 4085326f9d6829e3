package nrep

import (
	"math"
	"slices"
	"time"

	"pgmpi/internal/stats"
)

// Schedule says at how many samples the metrics are looked at.
type Schedule int

// The schedules. With t_i = min + step·(2^i − 1), i = 0, 1, …, both end with max:
const (
	Totals  Schedule = iota // check points t_i
	Batches                 // check points t_0 + … + t_i, as ReproMPI does
)

// Rule is a variant of the prediction. Its zero value is the program's rule.
type Rule struct {
	Filter   Filter
	Schedule Schedule
}

// Predictor follows one case through its check points.
type Predictor struct {
	cfg  Config
	rule Rule
	term int // t_i of the current check point
	next int
}

// NewPredictor starts a prediction by the program's rule for a valid Config.
func NewPredictor(cfg Config) *Predictor { return NewPredictorRule(cfg, Rule{}) }

// NewPredictorRule starts a prediction by another rule.
func NewPredictorRule(cfg Config, rule Rule) *Predictor {
	first := min(cfg.Min, cfg.Max)
	return &Predictor{cfg: cfg, rule: rule, term: first, next: first}
}

// Next is how many samples in total the next check point needs. It no longer grows
// after Done has said stop.
func (p *Predictor) Next() int { return p.next }

// Done looks at all samples so far, in the order of measurement. With fewer than
// Next() it does nothing. Otherwise it judges the first Next() of them: stop says
// that they are enough or that max is reached, and then Next() is the prediction;
// converged, that all selected metrics were below their thresholds. Without stop, Next()
// is the check point after this one.
func (p *Predictor) Done(samples []float64) (stop, converged bool) {
	if len(samples) < p.next {
		return false, false
	}
	converged = p.satisfied(samples[:p.next])
	if converged || p.next >= p.cfg.Max {
		return true, converged
	}
	p.advance()
	return false, false
}

// advance uses t_{i+1} = 2·t_i + step − min, all capped so that nothing overflows.
func (p *Predictor) advance() {
	top := p.cfg.Max
	p.term = min(top, p.term+(p.term-p.cfg.Min)+max(1, p.cfg.Step))
	if p.rule.Schedule == Batches {
		p.next = min(top, p.next+p.term)
		return
	}
	p.next = p.term
}

// satisfied: "<" is false for NaN, so an undefined metric does not satisfy.
func (p *Predictor) satisfied(x []float64) bool {
	holds := map[string]func() bool{
		MetricRSE: func() bool { return RSE(x, p.rule.Filter) < p.cfg.RSE },
		MetricCovMean: func() bool {
			return CovMean(x, p.cfg.CovMean.Window, p.rule.Filter) < p.cfg.CovMean.Threshold
		},
		MetricCovMedian: func() bool {
			return CovMedian(x, p.cfg.CovMedian.Window) < p.cfg.CovMedian.Threshold
		},
	}
	unsatisfied := func(metric string) bool {
		check, known := holds[metric]
		return !known || !check()
	}
	return len(p.cfg.Metrics) > 0 && !slices.ContainsFunc(p.cfg.Metrics, unsatisfied)
}

// ForMinTime is how many repetitions it takes for MinTime, by the median of samples
// in seconds, but no more than Max; 0 for no MinTime or no samples. A prediction
// bounds the error of the mean in the mpiruns that predict; run medians of a few dozen
// short calls still differ by that error, though more of them would cost next to nothing.
func (c Config) ForMinTime(samples []float64) int {
	if c.MinTime == 0 || len(samples) == 0 {
		return 0
	}
	median := stats.MedianSorted(slices.Sorted(slices.Values(samples)))
	n := math.Ceil(time.Duration(c.MinTime).Seconds() / median)
	if !(n < float64(c.Max)) { // NaN too
		return c.Max
	}
	return int(n)
}

// MaxOverPredictions is the number of repetitions to use after several predictions
// of one case; 0 for none.
func MaxOverPredictions(predictions []int) int {
	largest := 0
	for _, n := range predictions {
		largest = max(largest, n)
	}
	return largest
}
