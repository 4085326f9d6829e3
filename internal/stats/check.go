package stats

import (
	"errors"
	"fmt"
	"math"
)

// Errors of this package wrap one of these.
var (
	ErrEmpty       = errors.New("no values")
	ErrNotFinite   = errors.New("a value is NaN or infinite")
	ErrNotPositive = errors.New("a value is not positive")
	ErrLengths     = errors.New("samples differ in length")
	ErrRange       = errors.New("a value is out of range")
	ErrUndefined   = errors.New("undefined for these values")
)

func check(samples ...[]float64) error {
	for _, x := range samples {
		if len(x) == 0 {
			return ErrEmpty
		}
		for i, v := range x {
			if !finite(v) {
				return fmt.Errorf("value %d of %d: %w", i+1, len(x), ErrNotFinite)
			}
		}
	}
	return nil
}

func checkPaired(x, y []float64) error {
	if err := check(x, y); err != nil {
		return err
	}
	if len(x) != len(y) {
		return fmt.Errorf("%d and %d values: %w", len(x), len(y), ErrLengths)
	}
	return nil
}

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }
