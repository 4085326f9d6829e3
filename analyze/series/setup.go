package series

import (
	"fmt"
	"maps"
	"slices"

	"pgmpi/analyze"
	"pgmpi/internal/phrase"
	"pgmpi/internal/stats"
)

// SetUp says by how many seconds mpiruns of one side take longer to set up than mpiruns of another.
type SetUp struct {
	Shape string  `json:"on"`
	S     float64 `json:"s"`
	Lo    float64 `json:"lo95"`
	Hi    float64 `json:"hi95"`
}

// Longer says it, or is "".
func (s *SetUp) Longer() string {
	if s == nil {
		return ""
	}
	return fmt.Sprintf(", each run takes %s longer to set up", phrase.Duration(&s.S))
}

// leastSetUp is the least difference that is reported, in seconds.
const leastSetUp = 1e-3

// SetUpOf compares the mpiruns of two sides on each shape, by the effect that belongs to the rank-sum test. It returns
// the shape on which b is longer by most, or nil where it is not shown to be longer on any.
func SetUpOf(a, b *analyze.Side) (longest *SetUp) {
	for _, shape := range slices.Sorted(maps.Keys(a.Set.Took)) {
		x, y := setUps(b, shape), setUps(a, shape)
		if len(x) == 0 || len(y) == 0 {
			continue
		}
		e, err := stats.HodgesLehmannRankSum(x, y)
		if err != nil {
			continue
		}
		was := stats.MedianFinite(y)
		s := &SetUp{shape, was * (e.Ratio - 1), was * (e.Lo95 - 1), was * (e.Hi95 - 1)}
		if s.Lo >= leastSetUp && (longest == nil || s.S > longest.S) {
			longest = s
		}
	}
	return longest
}

func setUps(s *analyze.Side, shape string) (seconds []float64) {
	for _, took := range s.Set.Took[shape] {
		if took.SetUpNS > 0 {
			seconds = append(seconds, float64(took.SetUpNS)/1e9)
		}
	}
	return seconds
}
