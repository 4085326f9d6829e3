package stats

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

// lh is R's data set of that name (48 hormone levels), the example of ?acf.
var lh = []float64{2.4, 2.4, 2.4, 2.2, 2.1, 1.5, 2.3, 2.3, 2.5, 2.0, 1.9, 1.7, 2.2, 1.8, 3.2, 3.2, 2.7, 2.2, 2.2, 1.9, 1.9, 1.8, 2.7, 3.0,
	2.3, 2.0, 2.0, 2.9, 2.9, 2.7, 2.7, 2.3, 2.6, 2.4, 1.8, 1.7, 1.5, 1.4, 2.1, 3.3, 3.5, 3.5, 3.1, 2.6, 2.1, 3.4, 3.0, 2.9}

func TestAutocorrelationByHandAndAsR(t *testing.T) {
	for _, c := range []struct {
		name      string
		x, want   []float64
		tolerance float64
	}{
		// Deviations −2, −1, 0, 1, 2; their products sum to 4, −1, −4, −4 of 10.
		{"1…5", []float64{1, 2, 3, 4, 5}, []float64{0.4, -0.1, -0.4, -0.4}, 1e-15},
		// n alternating values: −(n−1)/n, (n−2)/n, …
		{"alternating", []float64{5, 7, 5, 7, 5, 7, 5, 7}, []float64{-7. / 8, 6. / 8, -5. / 8}, 1e-15},
		// Deviations in fifths: −1, −1, 4, −1, −1; products −6 and −7 of 20.
		{"one peak", []float64{0, 0, 1, 0, 0}, []float64{-6. / 20, -7. / 20}, 1e-15},
		// R: acf(lh, plot = FALSE), printed with three digits.
		{"lh", lh, []float64{0.576, 0.182, -0.145, -0.175, -0.150}, 5e-4},
	} {
		got := must.Get(Autocorrelation(c.x, len(c.want)))(t)
		for i := range c.want {
			should.Hold(t, math.Abs(got[i]-c.want[i]) <= c.tolerance, "%s, lag %d: %.6f, want %.6f", c.name, i+1, got[i], c.want[i])
		}
	}
}

func TestAutocorrelationRefusesWhatHasNone(t *testing.T) {
	for _, c := range []struct {
		x    []float64
		lags int
		want error
	}{
		{nil, 1, ErrEmpty},
		{[]float64{1, math.NaN(), 2}, 1, ErrNotFinite},
		{[]float64{0.1, 0.1, 0.1}, 1, ErrUndefined},
		{[]float64{1, 2, 3}, 3, ErrRange},
		{[]float64{1, 2, 3}, 0, ErrRange},
	} {
		_, err := Autocorrelation(c.x, c.lags)
		should.Hold(t, errors.Is(err, c.want), "%v at lag %d: %v, want %v", c.x, c.lags, err, c.want)
	}
}

// An AR(1) series with coefficient a has r_h = a^h, hence an inefficiency of
// (1+a)/(1−a); independent values have 1.
func TestInefficiencyOfAnAutoregressiveSeries(t *testing.T) {
	const n = 200000
	rng := rand.New(rand.NewPCG(1, 2))
	for _, a := range []float64{0, 0.3, 0.6} {
		x := make([]float64, n)
		for i := range x {
			x[i] = rng.NormFloat64()
			if i > 0 {
				x[i] += a * x[i-1]
			}
		}
		acf := must.Get(Autocorrelation(x, 20))(t)
		want, got := (1+a)/(1-a), Inefficiency(acf, n)
		should.Hold(t, math.Abs(got-want) <= 0.05*want, "a = %v: %v, want %v", a, got, want)
	}
	b := AutocorrelationBound(400)
	should.Hold(t, math.Abs(b-0.098) <= 1e-15, "bound %v", b)
}
