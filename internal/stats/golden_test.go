package stats

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"
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

// golden is a file of vectors whose cases look like C.
type golden[C any] struct {
	Kind    string
	NCases  int `json:"n_cases"`
	Cases   []C
	Invalid []struct {
		ID      string
		P, X, Y values
	}
}

// load reads one file of vectors and refuses one without cases.
func load[C any](t testing.TB, name, kind string) golden[C] {
	t.Helper()
	folder := os.Getenv("PGMPI_GOLDEN")
	if folder == "" {
		folder = filepath.Join("..", "..", "testdata", "golden")
	}
	text, err := os.ReadFile(filepath.Join(folder, name))
	if err != nil {
		t.Fatal(err)
	}
	var g golden[C]
	if err := json.Unmarshal(text, &g); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if g.Kind != kind || len(g.Cases) == 0 || len(g.Cases) != g.NCases {
		t.Fatalf("%s: kind %q with %d of %d cases, want kind %q", name, g.Kind, len(g.Cases), g.NCases, kind)
	}
	return g
}

// close1 fails unless got is want within a relative tolerance.
func close1(t *testing.T, what string, got, want, rel float64) {
	t.Helper()
	if !(math.Abs(got-want) <= rel*math.Abs(want)) {
		t.Errorf("%s = %.17g, want %.17g (relative tolerance %g)", what, got, want, rel)
	}
}

func closeAll(t *testing.T, what string, got, want []float64, rel float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s has %d values, want %d", what, len(got), len(want))
	}
	for i := range got {
		close1(t, fmt.Sprintf("%s[%d]", what, i), got[i], want[i], rel)
	}
}

func equal[T comparable](t *testing.T, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s = %v, want %v", what, got, want)
	}
}
