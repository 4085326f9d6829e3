package nrep

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"pgmpi/testkit/golden"
	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

type stopPoint struct {
	NRep      int
	Converged bool
}

type goldenCase struct {
	ID             string
	X              []float64
	Min, Max, Step int
	Window         int
	Thresholds     struct {
		RSE       float64
		CovMean   float64 `json:"cov_mean"`
		CovMedian float64 `json:"cov_median"`
	}
	Expect struct {
		Schedule []int `json:"schedule_totals"`
		Metrics  []struct {
			N         int
			RSE       *float64 `json:"rse_tukey"`
			CovMean   *float64 `json:"cov_mean_tukey"`
			CovMedian *float64 `json:"cov_median"`
		}
		Stop map[string]stopPoint `json:"stop_totals_tukey"`
	}
}

func (c goldenCase) config(metrics ...string) Config {
	cfg := Default()
	cfg.Metrics = metrics
	cfg.RSE = c.Thresholds.RSE
	cfg.CovMean = CovConfig{c.Thresholds.CovMean, c.Window}
	cfg.CovMedian = CovConfig{c.Thresholds.CovMedian, c.Window}
	cfg.Min, cfg.Max, cfg.Step = c.Min, c.Max, c.Step
	return cfg
}

type goldenFile struct {
	Cases       []goldenCase
	MaxOverRuns []struct {
		Pred   []int
		Expect int
	} `json:"max_over_runs"`
}

func loadGolden(t testing.TB) goldenFile {
	t.Helper()
	g := golden.Load[goldenFile](t, "nrep.json", "nrep_prediction")
	must.Hold(t, len(g.MaxOverRuns) != 0, "no maxima")
	return g
}

// closeOrUndefined compares relatively to 1e-10; constant samples may leave a
// rounding error of the size of the last bit where 0 is expected.
func closeOrUndefined(t *testing.T, what string, got float64, want *float64) {
	t.Helper()
	if want == nil {
		should.Hold(t, math.IsNaN(got), "%s = %v, want undefined", what, got)
		return
	}
	should.Hold(t, math.Abs(got-*want) <= 1e-10*math.Abs(*want)+1e-15, "%s = %.17g, want %.17g", what, got, *want)
}

func TestMetricsMatchTheVectors(t *testing.T) {
	for _, c := range loadGolden(t).Cases {
		t.Run(c.ID, func(t *testing.T) {
			must.Hold(t, len(c.Expect.Metrics) != 0, "no metrics")
			for _, m := range c.Expect.Metrics {
				x := slices.Clone(c.X[:m.N])
				at := fmt.Sprintf(" at n=%d", m.N)
				closeOrUndefined(t, "rse"+at, RSE(x), m.RSE)
				closeOrUndefined(t, "cov_mean"+at, covMean(x, c.Window), m.CovMean)
				closeOrUndefined(t, "cov_median"+at, covMedian(x, c.Window), m.CovMedian)
				must.Hold(t, slices.Equal(x, c.X[:m.N]), "a metric changed its input")
			}
		})
	}
}

var goldenSelections = map[string][]string{
	"rse":          {MetricRSE},
	"cov_mean":     {MetricCovMean},
	"cov_median":   {MetricCovMedian},
	"rse+cov_mean": {MetricRSE, MetricCovMean},
	"all":          {MetricRSE, MetricCovMean, MetricCovMedian},
}

// The vectors also have what other rules would predict: without the filter, and
// with the check points of ReproMPI. The program has one rule.
func TestPredictionsMatchTheVectors(t *testing.T) {
	for _, c := range loadGolden(t).Cases {
		must.Hold(t, len(c.Expect.Stop) == len(goldenSelections), "%s has %d selections, want %d", c.ID, len(c.Expect.Stop), len(goldenSelections))
		for selection, want := range c.Expect.Stop {
			t.Run(c.ID+"/"+selection, func(t *testing.T) {
				got, visited := predict(t, NewPredictor(c.config(goldenSelections[selection]...)), c.X)
				should.Hold(t, got == want, "stopped at %+v, want %+v", got, want)
				should.Hold(t, slices.Equal(visited, c.Expect.Schedule[:min(len(visited), len(c.Expect.Schedule))]),
					"check points %v, want the start of %v", visited, c.Expect.Schedule)
			})
		}
	}
}

// predict feeds a predictor as the rank program does: exactly what it asks for.
func predict(t testing.TB, p *Predictor, x []float64) (end stopPoint, visited []int) {
	t.Helper()
	for len(visited) < 100 {
		visited = append(visited, p.Next())
		if stop, converged := p.Done(x[:p.Next()]); stop {
			return stopPoint{p.Next(), converged}, visited
		}
	}
	t.Fatalf("no stop after the check points %v", visited)
	return stopPoint{}, nil
}

func TestMaxOverPredictionsMatchesTheVectors(t *testing.T) {
	for _, c := range loadGolden(t).MaxOverRuns {
		should.Equal(t, MaxOverPredictions(c.Pred), c.Expect, "maximum over %v", c.Pred)
	}
	should.Equal(t, MaxOverPredictions(nil), 0, "maximum over nothing")
}
