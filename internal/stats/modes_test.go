package stats

import (
	"errors"
	"math"
	"testing"

	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

// cluster gives n values around a middle: the quantiles of a normal distribution of the
// logarithms with this deviation.
func cluster(n int, middle, deviation float64) []float64 {
	out := make([]float64, n)
	for i := range out {
		p := (float64(i) + .5) / float64(n)
		out[i] = middle * math.Exp(deviation*math.Sqrt2*math.Erfinv(2*p-1))
	}
	return out
}

func together(parts ...[]float64) (out []float64) {
	for _, p := range parts {
		out = append(out, p...)
	}
	return out
}

func TestModesAreTheClustersThatArePlanted(t *testing.T) {
	for name, c := range map[string]struct {
		x    []float64
		want []Mode
	}{
		"one":                     {cluster(1000, 100, .05), []Mode{{At: 100, Share: 1}}},
		"two, a factor of two":    {together(cluster(700, 100, .05), cluster(300, 200, .05)), []Mode{{At: 100, Share: .7}, {At: 200, Share: .3}}},
		"two, ten per cent":       {together(cluster(500, 100, .01), cluster(500, 110, .01)), []Mode{{At: 100, Share: .5}, {At: 110, Share: .5}}},
		"three":                   {together(cluster(400, 100, .03), cluster(400, 150, .03), cluster(200, 400, .03)), []Mode{{At: 100, Share: .4}, {At: 150, Share: .4}, {At: 400, Share: .2}}},
		"a few belong to another": {together(cluster(996, 100, .05), cluster(4, 1000, .01)), []Mode{{At: 100, Share: 1}}},
		"all equal":               {[]float64{7, 7, 7, 7, 7, 7}, []Mode{{At: 7, Share: 1}}},
		"one value":               {[]float64{7}, []Mode{{At: 7, Share: 1}}},
	} {
		got, err := Modes(c.x)
		if err != nil || len(got) != len(c.want) {
			t.Errorf("%s: %+v, %v", name, got, err)
			continue
		}
		for i, m := range got {
			should.Hold(t, math.Abs(m.At/c.want[i].At-1) <= .01 && math.Abs(m.Share-c.want[i].Share) <= .005 && m.Lo <= m.At*1.01 && m.Hi >= m.At*.99,
				"%s, mode %d: %+v, want %+v", name, i, m, c.want[i])
		}
	}
}

// R 4.2.2: x <- exp(c(qnorm(ppoints(70, .5), log(100), .05), qnorm(ppoints(30, .5), log(130), .08)));
// d <- density(log(x), bw = .5*bw.nrd0(log(x)), n = 4096); y <- d$y
// exp(d$x[which(diff(sign(diff(y))) == -2) + 1])
func TestPeaksOfTheDensityAreThoseOfR(t *testing.T) {
	got := must.Get(Modes(together(cluster(70, 100, .05), cluster(30, 130, .08))))(t)
	want := []float64{100.00738, 129.99617}
	must.Hold(t, len(got) == len(want), "%+v", got)
	for i, m := range got {
		should.Hold(t, math.Abs(m.At/want[i]-1) <= .003, "mode %d at %v, R says %v", i, m.At, want[i]) // of a grid of 512 places
	}
}

func TestModesNeedPositiveValues(t *testing.T) {
	for _, c := range []struct {
		x    []float64
		want error
	}{{nil, ErrEmpty}, {[]float64{1, 0}, ErrNotPositive}, {[]float64{1, math.NaN()}, ErrNotFinite}} {
		_, err := Modes(c.x)
		should.Hold(t, errors.Is(err, c.want), "%v: %v, want %v", c.x, err, c.want)
	}
}
