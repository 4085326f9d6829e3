package stats

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mathext"
)

// moments returns the mean of x, and the sum of the squares of what each value differs from it. The
// second term takes off what rounding has left in the mean.
func moments(x []float64) (mean, squares float64) {
	n := float64(len(x))
	mean = floats.Sum(x) / n
	var left float64
	for _, v := range x {
		d := v - mean
		squares += d * d
		left += d
	}
	return mean, squares - left*left/n
}

// Skewness returns the adjusted skewness of x, as e1071's type 2 in R: 0 of a symmetric distribution.
func Skewness(x []float64) float64 {
	n := float64(len(x))
	mean, squares := moments(x)
	sd, cubes := math.Sqrt(squares/(n-1)), 0.0
	for _, v := range x {
		z := (v - mean) / sd
		cubes += z * z * z
	}
	return cubes * n / (n - 1) / (n - 2)
}

// NormalCDF returns Φ, the distribution function of the standard normal distribution.
func NormalCDF(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 }

// studentTail returns how likely Student's t with this many degrees of freedom is below −t, for t ≥ 0.
func studentTail(t float64, freedom int) float64 {
	nu := float64(freedom)
	return mathext.RegIncBeta(nu/2, 0.5, nu/(t*t+nu)) / 2
}

// StudentQuantile returns the p-quantile of Student's t with this many degrees of freedom.
func StudentQuantile(p float64, freedom int) float64 {
	nu := float64(freedom)
	if p < 0.5 {
		return -StudentQuantile(1-p, freedom)
	}
	if p == 0.5 {
		return 0
	}
	share := mathext.InvRegIncBeta(nu/2, 0.5, 2*(1-p))
	return math.Sqrt(nu * (1 - share) / share)
}
