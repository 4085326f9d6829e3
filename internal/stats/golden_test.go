package stats

import (
	"encoding/json"
	"fmt"
	"math"
	"testing"

	"pgmpi/testkit/golden"
	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

// values are the numbers of a vector; in `invalid` they may be "NaN", "Inf" or "-Inf".
type values []float64

func (v *values) UnmarshalJSON(text []byte) error {
	var raw []any
	if err := json.Unmarshal(text, &raw); err != nil {
		return err
	}
	*v = make(values, 0, len(raw))
	for _, r := range raw {
		switch r := r.(type) {
		case float64:
			*v = append(*v, r)
		case string:
			special, ok := map[string]float64{"NaN": math.NaN(), "Inf": math.Inf(1), "-Inf": math.Inf(-1)}[r]
			if !ok {
				return fmt.Errorf("unknown number %q", r)
			}
			*v = append(*v, special)
		default:
			return fmt.Errorf("no number: %v", r)
		}
	}
	return nil
}

// goldenFile is a file of vectors whose cases look like C.
type goldenFile[C any] struct {
	Cases   []C
	Invalid []struct {
		ID      string
		P, X, Y values
	}
}

func load[C any](t testing.TB, name, kind string) goldenFile[C] {
	t.Helper()
	return golden.Load[goldenFile[C]](t, name, kind)
}

// close1 fails unless got is want within a relative tolerance.
func close1(t *testing.T, what string, got, want, rel float64) {
	t.Helper()
	should.Hold(t, math.Abs(got-want) <= rel*math.Abs(want), "%s = %.17g, want %.17g (relative tolerance %g)", what, got, want, rel)
}

func closeAll(t *testing.T, what string, got, want []float64, rel float64) {
	t.Helper()
	must.Hold(t, len(got) == len(want), "%s has %d values, want %d", what, len(got), len(want))
	for i := range got {
		close1(t, fmt.Sprintf("%s[%d]", what, i), got[i], want[i], rel)
	}
}

func equal[T comparable](t *testing.T, what string, got, want T) {
	t.Helper()
	should.Hold(t, got == want, "%s = %v, want %v", what, got, want)
}
