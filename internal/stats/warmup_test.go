package stats

import (
	"testing"

	"pgmpi/testkit/must"
)

func TestWarmupMatchesTheThesisRule(t *testing.T) {
	type testCase struct {
		ID     string
		X      values
		Expect struct {
			Median     float64
			W          int
			Counts     map[string]int
			Categories string
		}
	}
	for _, c := range load[testCase](t, "warmup.json", "warmup_detection").Cases {
		t.Run(c.ID, func(t *testing.T) {
			end := must.Get(WarmupEnd(c.X))(t)
			close1(t, "median", MedianFinite(c.X), c.Expect.Median, 1e-14)
			equal(t, "end of the warm-up", end, c.Expect.W)
			counts := map[string]int{}
			text := ""
			for i, v := range c.X {
				category := "good"
				switch {
				case i == 0:
					category = "first"
				case i < end:
					category = "warmup"
				case v >= 2*c.Expect.Median:
					category = "outlier"
				}
				counts[category]++
				text += category[:1]
			}
			equal(t, "categories", text, c.Expect.Categories)
			for name, want := range c.Expect.Counts {
				equal(t, name, counts[name], want)
			}
		})
	}
}
