package nrep

import (
	"math"
	"math/rand/v2"
	"testing"

	"pgmpi/testkit/should"
)

func TestPredictorWaitsForItsCheckPoint(t *testing.T) {
	p := NewPredictor(Default())
	stop, converged := p.Done(make([]float64, 9))
	should.Hold(t, !stop && !converged, "9 of 10 samples: stop %v, converged %v", stop, converged)
	should.Equal(t, p.Next(), 10, "next check point")
}

func TestPredictorJudgesOnlyTheSamplesOfItsCheckPoint(t *testing.T) {
	x := []float64{1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 900}
	stop, converged := NewPredictor(Default()).Done(x)
	should.Hold(t, stop && converged, "ten equal samples and one behind: stop %v, converged %v", stop, converged)
}

func TestPredictorReportsWhatDidNotConverge(t *testing.T) {
	cfg := Default()
	cfg.Max = 70
	noisy := make([]float64, cfg.Max)
	for i := range noisy {
		noisy[i] = float64(1 + 9*(i%2))
	}
	withNaN := make([]float64, cfg.Max)
	for i := range withNaN {
		withNaN[i] = 1
	}
	withNaN[0] = math.NaN()
	for name, x := range map[string][]float64{"noisy": noisy, "NaN": withNaN} {
		end, _ := predict(t, NewPredictor(cfg), x)
		should.Hold(t, end == (stopPoint{70, false}), "%s: stopped at %+v, want 70 without convergence", name, end)
	}
}

func TestPredictorNeverSatisfiesNoMetricOrAnUnknownOne(t *testing.T) {
	constant := []float64{1, 1, 1, 1, 1, 1, 1, 1, 1, 1}
	for _, metrics := range [][]string{nil, {"sd"}, {MetricRSE, "sd"}} {
		cfg := Default()
		cfg.Metrics = metrics
		_, converged := NewPredictor(cfg).Done(constant)
		should.Hold(t, !converged, "metrics %q: converged", metrics)
	}
}

func TestThresholdsAreStrict(t *testing.T) {
	x := []float64{1, 2, 1, 2, 1, 2, 1, 2, 1, 2}
	cfg := Default()
	cfg.RSE = RSE(x)
	_, converged := NewPredictor(cfg).Done(x)
	should.Hold(t, !converged, "converged at the threshold itself")
	cfg.RSE = math.Nextafter(cfg.RSE, 1)
	_, converged = NewPredictor(cfg).Done(x)
	should.Hold(t, converged, "not converged just below the threshold")
}

func TestLargestConfigDoesNotOverflow(t *testing.T) {
	cfg := Default()
	cfg.Max, cfg.Step = maxRepetitions, math.MaxInt/4
	p := NewPredictor(cfg)
	p.Done(make([]float64, p.Next()))
	should.Equal(t, p.Next(), maxRepetitions, "second check point")
}

func BenchmarkPredict300CasesThatNeverConverge(b *testing.B) {
	cfg := Default()
	cfg.Metrics = Metrics
	cfg.RSE, cfg.CovMean, cfg.CovMedian = 1e-9, CovConfig{1e-9, 100}, CovConfig{1e-9, 100}
	r := rand.New(rand.NewPCG(1, 2))
	x := make([]float64, cfg.Max)
	for i := range x {
		x[i] = math.Exp(r.NormFloat64())
	}
	judgeAll := func(x []float64) { // without the short cut of the first metric that fails
		RSE(x)
		covMean(x, 100)
		covMedian(x, 100)
	}
	for b.Loop() {
		for range 300 {
			p := NewPredictor(cfg)
			_, visited := predict(b, p, x)
			for _, n := range visited {
				judgeAll(x[:n])
			}
		}
	}
}
