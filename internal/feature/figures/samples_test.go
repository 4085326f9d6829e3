package figures

import (
	"math"
	"slices"
	"strings"
	"testing"

	"pgmpi/analyze/medians"
	"pgmpi/analyze/samples"
	"pgmpi/guidelines"
	"pgmpi/internal/picture"
	"pgmpi/measure/protocol"
	"pgmpi/measure/results"
	"pgmpi/nrep"
	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

// sampled has five mpiruns of a case, number r around r µs with one outlier, and a prediction of 40 samples.
func sampled(t *testing.T) *samples.CaseSamples {
	t.Helper()
	c := &samples.CaseSamples{Cell: medians.Cell{Function: "MPI_Scan", Msize: 8, Shape: "p2"}, NREP: nrep.Default()}
	add := func(mode protocol.Mode, run int, samples []protocol.Sample) {
		info := results.CaseInfo{Plan: 3, Function: "MPI_Scan", Msize: 8, CaseResult: protocol.CaseResult{Status: protocol.StatusOK, NRep: len(samples), Converged: true}}
		r := &results.Run{Header: results.Header{Mode: mode, Shape: guidelines.Shape{NP: 2}, Run: run, Cases: []results.CaseInfo{info}}, Samples: [][]protocol.Sample{samples}}
		must.Do(t, c.Add(r, 3))
	}
	for run := 1; run <= 5; run++ {
		samples := []protocol.Sample{{NS: 1e9}, {NS: 7, Flags: protocol.FlagLate}}
		for k := range 200 {
			samples = append(samples, protocol.Sample{NS: int64(1000*run + k)})
		}
		add(protocol.ModeMeasure, run, samples)
	}
	add(protocol.ModeNREP, 1, slices.Repeat([]protocol.Sample{{NS: 1000}, {NS: 1100}}, 20))
	return c
}

func figureNamed(t *testing.T, figures []picture.Figure, prefix string) picture.Figure {
	t.Helper()
	i := slices.IndexFunc(figures, func(f picture.Figure) bool { return strings.HasPrefix(f.ID, prefix) })
	must.Hold(t, i >= 0, "no figure %s", prefix)
	return figures[i]
}

func TestPicturesOfSamplesShowTheFastestTheMedianAndTheSlowestMpirun(t *testing.T) {
	c := sampled(t)
	figures := SampleFigures(c)
	over := figureNamed(t, figures, "repetitions-")
	should.Hold(t, len(over.Series) == 3 && over.Series[0].Name == "mpirun 1, fastest" && over.Series[1].Name == "mpirun 3, median" && over.Series[2].Name == "mpirun 5, slowest",
		"%+v", over.Series)
	n := len(over.Series[0].Points)
	should.Hold(t, n == 201 && over.Series[0].Points[0].Y == 1, "%d points, the first %v: not the valid samples", n, over.Series[0].Points[0])
	bars := figureNamed(t, figures, "histogram-")
	for i, s := range bars.Series {
		sum := 0.0
		for k := 1; k+1 < len(s.Points); k += 2 { // each bin has two corners
			sum += s.Points[k].Y
		}
		should.Hold(t, sum == 200, "histogram %d counts %v samples, want the 200 that the filter leaves", i, sum)
	}
	ecdf := figureNamed(t, figures, "ecdf-").Series[1].Points
	last := ecdf[len(ecdf)-1]
	should.Hold(t, last.Y == 1 && last.X == 1 && math.Abs(ecdf[0].Y-1.0/201) <= 1e-12, "the distribution function ends at %v", last)
	// The quantile of the normal distribution at (1 − ½)/200 and at (200 − ½)/200: qnorm(0.0025) in R.
	qq := figureNamed(t, figures, "qq-").Series[0].Points
	should.Hold(t, len(qq) == 200 && math.Abs(qq[0].X+2.807034) <= 1e-6 && math.Abs(qq[199].X-2.807034) <= 1e-6 && math.Abs(qq[0].Y-1e-6) <= 1e-15,
		"%d quantiles from %v to %v", len(qq), qq[0], qq[len(qq)-1])
}

func TestThePictureOfStage1ShowsItsMetricAndThreshold(t *testing.T) {
	c := sampled(t)
	f := figureNamed(t, SampleFigures(c), "nrep-rse-")
	points := f.Series[0].Points
	last := points[len(points)-1]
	should.Hold(t, f.Y.Level == 0.025 && last.X == 40 && last.Y == nrep.RSE(c.Predictions[0].Seconds) && points[0].X >= 10, "level %v, points %v", f.Y.Level, points)
	first := points[0]
	should.Hold(t, first.Y == nrep.RSE(c.Predictions[0].Seconds[:int(first.X)]), "after %v samples: %v", first.X, first.Y)
	should.Hold(t, len(f.Marks) == 1 && f.Marks[0].X == 40 && strings.Contains(f.Text, "1 after 40."), "%+v %s", f.Marks, f.Text)
}

func TestEqualSamplesHaveAPicture(t *testing.T) {
	c := &samples.CaseSamples{Cell: medians.Cell{Function: "MPI_Scan"}, Runs: []samples.RunSamples{{Run: 1, Seconds: []float64{1e-6, 1e-6}, Lo: 1e-6, Hi: 1e-6, Median: 1e-6}}}
	for _, f := range SampleFigures(c) {
		_, _, ok := f.Limits()
		should.Hold(t, ok, "nothing to draw in %s", f.ID)
	}
}
