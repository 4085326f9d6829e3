package stats

import "math"

// RankAutocorrelation returns the autocorrelation of x's midranks at lag 1, and how many
// standard deviations it is above its mean if every order of x is equally likely.
// Mean and variance are exact without ties: −1/n, and Dufour and Roy's, Some
// robust exact results on sample autocorrelations and tests of randomness, J.
// Econometrics 29, 1985.
func RankAutocorrelation(x []float64) (r, z float64, err error) {
	if err := check(x); err != nil {
		return 0, 0, err
	}
	doubled, _ := doubledMidranks(x)
	ranks := make([]float64, len(x))
	for i, rank := range doubled {
		ranks[i] = float64(rank)
	}
	acf, err := Autocorrelation(ranks, 1)
	if err != nil {
		return 0, 0, err
	}
	n := float64(len(x))
	variance := (5*n*n*n*n - 14*n*n*n - 9*n*n + 26*n + 16) / (5 * (n - 1) * (n - 1) * n * n * (n + 1))
	return acf[0], (acf[0] + 1/n) / math.Sqrt(variance), nil
}
