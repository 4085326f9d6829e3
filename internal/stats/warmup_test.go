package stats

import "testing"

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
	names := map[Category]string{First: "first", InWarmup: "warmup", Outlier: "outlier", Good: "good"}
	for _, c := range load[testCase](t, "warmup.json", "warmup_detection").Cases {
		t.Run(c.ID, func(t *testing.T) {
			got, err := Warmup(c.X)
			if err != nil {
				t.Fatal(err)
			}
			close1(t, "median", got.Median, c.Expect.Median, 1e-14)
			equal(t, "end of the warm-up", got.End, c.Expect.W)
			counts := map[string]int{}
			text := ""
			for _, category := range got.Categories {
				counts[names[category]]++
				text += string(rune(category))
			}
			equal(t, "categories", text, c.Expect.Categories)
			for name, want := range c.Expect.Counts {
				equal(t, name, counts[name], want)
			}
		})
	}
}
