package figures

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mathext"

	"pgmpi/analyze/samples"
	"pgmpi/internal/conf"
	"pgmpi/internal/lists"
	"pgmpi/internal/phrase"
	"pgmpi/internal/picture"
	"pgmpi/internal/stats"
	"pgmpi/nrep"
)

// SampleFigures shows a case's samples in its fastest, its median and its slowest mpirun: by
// repetition, as box plots, as histogram, as distribution function, and against a log-normal
// distribution. It also shows what stage 1 saw (S-PGMPI, Fig. 1).
func SampleFigures(c *samples.CaseSamples) []picture.Figure {
	var out []picture.Figure
	if runs := c.Typical(); len(runs) > 0 {
		out = append(out, overRepetitions(c, runs), boxes(c, runs), histogram(c, runs), distribution(c, runs), normalQuantiles(c, runs))
		if middle := runs[len(runs)/2]; len(middle.Seconds) >= leastDrawnFrom {
			out = append(out, meansOfSamples(c, &middle))
		}
	}
	if len(c.Predictions) > 0 {
		out = append(out, lists.Map(c.NREP.Metrics, func(metric string) picture.Figure { return metricFigure(c, metric) })...)
	}
	return out
}

func sampleFigure(c *samples.CaseSamples, id, what string, x, y picture.Axis) picture.Figure {
	return picture.Figure{ID: picture.Anchor(id, c.Function, fmt.Sprint(c.Msize), c.Shape), Title: fmt.Sprintf("%s at %s, %s: %s", phrase.Plain(c.Function), phrase.Size(c.Msize), c.Shape, what), X: x, Y: y}
}

func runSeries(runs []samples.RunSamples, form picture.Form, points func(*samples.RunSamples) []picture.Point) []picture.Series {
	which := [][]string{{""}, {", fastest", ", slowest"}, {", fastest", ", median", ", slowest"}}[min(len(runs), 3)-1]
	var out []picture.Series
	for i := range runs {
		out = append(out, picture.Series{Name: fmt.Sprintf("mpirun %d%s", runs[i].Run, which[i]), Role: []picture.Role{picture.Instead, picture.Call, picture.Other}[i], Form: form, Points: points(&runs[i])})
	}
	return out
}

func overRepetitions(c *samples.CaseSamples, runs []samples.RunSamples) picture.Figure {
	f := sampleFigure(c, "repetitions", "run-time by repetition", picture.Axis{Title: "repetition"}, picture.Axis{Title: "run-time", Scale: picture.Log, Unit: picture.Seconds})
	longest, outliers, all := 0, 0, 0
	for i := range runs {
		longest = max(longest, len(runs[i].Seconds))
		all += len(runs[i].Seconds)
		outliers += len(runs[i].Seconds) - len(runs[i].Kept())
	}
	step := 1 + (longest-1)/picture.MostPoints
	f.Series = runSeries(runs, picture.Dots, func(r *samples.RunSamples) (out []picture.Point) {
		for i := 0; i < len(r.Seconds); i += step {
			out = append(out, picture.Bare(float64(i+1), r.Seconds[i]))
		}
		return out
	})
	f.Text = fmt.Sprintf("%s of %s; the filter leaves %d out as outliers%s.", conf.Plural(all, "valid sample"), conf.Plural(len(runs), "mpirun"), outliers,
		phrase.When(step > 1, "; every %dth is shown", step))
	return f
}

func boxes(c *samples.CaseSamples, runs []samples.RunSamples) picture.Figure {
	f := sampleFigure(c, "boxes", "box plots", picture.Axis{Title: "mpirun", Scale: picture.Named}, picture.Axis{Title: "run-time", Scale: picture.Log, Unit: picture.Seconds})
	for i, s := range runSeries(runs, picture.Dots, func(r *samples.RunSamples) []picture.Point {
		x := slices.Sorted(slices.Values(r.Seconds))
		at := func(share float64) float64 { return x[int(share*float64(len(x)-1)+.5)] }
		p := picture.Point{Y: at(.5), Lo: at(.25), Hi: at(.75)}
		p.Each = lists.Keep(x, func(s float64) bool { return s < r.Lo || s > r.Hi })
		return []picture.Point{p}
	}) {
		s.Points[0].X = float64(i)
		f.X.Names, f.Series = append(f.X.Names, fmt.Sprint(runs[i].Run)), append(f.Series, s)
	}
	f.Text = "Median and quartiles of each mpirun, and the samples that the filter leaves out."
	return f
}

// histogram counts what the filter leaves, in bins of the logarithm. They are as wide as Freedman
// and Diaconis propose: 2·IQR/∛n.
func histogram(c *samples.CaseSamples, runs []samples.RunSamples) picture.Figure {
	f := sampleFigure(c, "histogram", "histogram", picture.Axis{Title: "run-time", Scale: picture.Log, Unit: picture.Seconds}, picture.Axis{Title: "samples in a bin"})
	pooled := slices.Concat(lists.Map(runs, func(r samples.RunSamples) []float64 { return logs(r.Kept()) })...)
	slices.Sort(pooled)
	lo, width, bins := binsOf(pooled)
	f.Series = runSeries(runs, picture.Line, func(r *samples.RunSamples) []picture.Point {
		counts := make([]int, bins)
		for _, s := range logs(r.Kept()) {
			counts[min(int((s-lo)/width), bins-1)]++
		}
		return stairs(counts, lo, width)
	})
	f.Text = fmt.Sprintf("%s in %s, each %.1f %% wide; outliers are left out.", conf.Plural(len(pooled), "sample"), conf.Plural(bins, "bin"), 100*(math.Pow(10, width)-1))
	return f
}

// binsOf chooses at most 100 bins for ascending values.
func binsOf(x []float64) (lo, width float64, bins int) {
	const most = 100
	n := len(x)
	span := x[n-1] - x[0]
	width = 2 * (x[3*n/4] - x[n/4]) / math.Cbrt(float64(n))
	if !(width > 0) {
		width = span / 10
	}
	width = max(width, span/most)
	if !(width > 0) { // all are equal
		return x[0] - 0.02, 0.04, 1
	}
	return x[0], width, int(span/width) + 1
}

// logs returns the decimal logarithms of run-times, which are positive.
func logs(x []float64) []float64 {
	return lists.Map(x, math.Log10)
}

// stairs returns the outline of a histogram; lo and width are of logarithms.
func stairs(counts []int, lo, width float64) []picture.Point {
	edge := func(i int) float64 { return math.Pow(10, lo+float64(i)*width) }
	out := []picture.Point{picture.Bare(edge(0), 0)}
	for i, n := range counts {
		out = append(out, picture.Bare(edge(i), float64(n)), picture.Bare(edge(i+1), float64(n)))
	}
	return append(out, picture.Bare(edge(len(counts)), 0))
}

// thinned gives at most picture.MostPoints of ascending values, with their ranks from 0. The first
// and the last are among them.
func thinned(x []float64, give func(rank int, value float64)) {
	n := min(len(x), picture.MostPoints)
	for i := range n {
		rank := i
		if n > 1 {
			rank = i * (len(x) - 1) / (n - 1)
		}
		give(rank, x[rank])
	}
}

func distribution(c *samples.CaseSamples, runs []samples.RunSamples) picture.Figure {
	f := sampleFigure(c, "ecdf", "empirical distribution function", picture.Axis{Title: "run-time", Scale: picture.Log, Unit: picture.Seconds}, picture.Axis{Title: "share of the samples that take no longer"})
	f.Series = runSeries(runs, picture.Line, func(r *samples.RunSamples) (out []picture.Point) {
		x := slices.Sorted(slices.Values(r.Seconds))
		thinned(x, func(rank int, value float64) { out = append(out, picture.Bare(value, float64(rank+1)/float64(len(x)))) })
		return out
	})
	f.Text = "All valid samples, outliers too."
	return f
}

// normalQuantiles plots the filtered samples against the quantiles of a standard normal
// distribution at (rank − ½)/n.
func normalQuantiles(c *samples.CaseSamples, runs []samples.RunSamples) picture.Figure {
	f := sampleFigure(c, "qq", "against a log-normal distribution", picture.Axis{Title: "quantile of the standard normal distribution"}, picture.Axis{Title: "run-time", Scale: picture.Log, Unit: picture.Seconds})
	f.Series = runSeries(runs, picture.Dots, func(r *samples.RunSamples) (out []picture.Point) {
		x := slices.Sorted(slices.Values(r.Kept()))
		thinned(x, func(rank int, value float64) {
			out = append(out, picture.Bare(mathext.NormalQuantile((float64(rank)+0.5)/float64(len(x))), value))
		})
		return out
	})
	f.Text = "A straight line would be a log-normal distribution; outliers are left out."
	return f
}

// Samples of growing size are drawn, this many of each, as in S-REVISITED, Fig. 13.
var drawnSizes = []int{10, 30, 500}

const drawn, leastDrawnFrom = 500, 100

// meansOfSamples shows the means of samples drawn from an mpirun, with outliers, against normal
// distributions: how many repetitions it takes until one may trust a mean to be normally
// distributed.
func meansOfSamples(c *samples.CaseSamples, of *samples.RunSamples) picture.Figure {
	f := sampleFigure(c, "means", "means of samples against a normal distribution", picture.Axis{Title: "quantile of the standard normal distribution"}, picture.Axis{Title: "mean", Unit: picture.Seconds})
	var skews []string
	for i, n := range drawnSizes {
		rng, means := rand.New(rand.NewPCG(1, uint64(n))), make([]float64, drawn)
		for k := range means {
			for range n {
				means[k] += of.Seconds[rng.IntN(len(of.Seconds))] / float64(n)
			}
		}
		slices.Sort(means)
		s := picture.Series{Name: fmt.Sprintf("of %d", n), Role: []picture.Role{picture.Instead, picture.Call, picture.Other}[i], Form: picture.Dots}
		for rank, mean := range means {
			s.Points = append(s.Points, picture.Bare(mathext.NormalQuantile((float64(rank)+0.5)/drawn), mean))
		}
		f.Series, skews = append(f.Series, s), append(skews, fmt.Sprintf("of %d %.2f", n, stats.Skewness(means)))
	}
	f.Text = fmt.Sprintf("%d samples of each size, drawn from mpirun %d. A straight line is a normal distribution. Skewness, 0 of a normal one: %s.", drawn, of.Run, strings.Join(skews, ", "))
	return f
}

var metricNames = map[string]string{nrep.MetricRSE: "relative standard error of the mean", nrep.MetricCovMean: "coefficient of variation of the last means",
	nrep.MetricCovMedian: "coefficient of variation of the last medians"}

func metricFigure(c *samples.CaseSamples, metric string) picture.Figure {
	threshold := c.NREP.Threshold(metric)
	f := sampleFigure(c, "nrep-"+strings.ReplaceAll(metric, "_", "-"), "how many repetitions are enough", picture.Axis{Title: "repetitions"},
		picture.Axis{Title: metricNames[metric], Scale: picture.Log, Level: threshold})
	var ended []string
	for i, p := range c.Predictions {
		s := picture.Series{Name: fmt.Sprintf("prediction %d", p.Run), Role: []picture.Role{picture.Call, picture.Instead, picture.Other}[min(i, 2)]}
		ns := checkPoints(c.NREP.Min, len(p.Seconds))
		for k, y := range c.Metric(metric, p, ns) {
			if y > 0 {
				s.Points = append(s.Points, picture.Bare(float64(ns[k]), y))
			}
		}
		f.Series = append(f.Series, s)
		f.Marks = append(f.Marks, picture.Mark{X: float64(len(p.Seconds)), Tone: picture.Plain, Sign: "", Text: fmt.Sprintf("prediction %d ends", p.Run)})
		ended = append(ended, fmt.Sprintf("%d after %d%s", p.Run, len(p.Seconds), phrase.When(!p.StoppedBefore, " without convergence")))
	}
	f.Text = fmt.Sprintf("The line across is the threshold, %g. Predictions ended: %s.", threshold, strings.Join(ended, "; "))
	return f
}

// checkPoints returns numbers of samples from least to n, evenly spread, with n.
func checkPoints(least, n int) (out []int) {
	const most = 120
	least = max(least, 2)
	step := 1 + (n-1)/most
	for k := least + max(n-least, 0)%step; k <= n; k += step {
		out = append(out, k)
	}
	return out
}
