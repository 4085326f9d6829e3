package calls

import (
	"strings"
	"testing"

	"pgmpi/analyze/samples"
	"pgmpi/internal/fixture/must"
	"pgmpi/internal/fixture/should"
	"pgmpi/internal/picture"
)

func TestPicturesOfSamplesAreThoseOfTheSamples(t *testing.T) {
	times := []float64{100, 110, 120, 130, 200}
	a := picture.NewTextAxis(times, 10)
	should.Equal(t, a.Box(times), "─▄█▄     ·", "box plot") // Q1 110, median 120, Q3 130; 200 lies beyond 160
	should.Equal(t, a.Ecdf(times, 1), []string{"▁▃▄▆▆▆▆▆▆█"}, "distribution")
	lines := scatter([]sampleAt{{0, 100}, {0, 200}, {1, 100}, {2, 200}}, picture.NewTextAxis([]float64{100, 200}, 2), 3)
	for i, want := range []string{"▒ █", "▒█"} {
		should.Hold(t, strings.HasSuffix(lines[i], " "+want), "line %d is %q, want %q", i, lines[i], want)
	}
}

func TestTheZoomedPicturesHaveTheGoodSamplesOnly(t *testing.T) {
	f := &samples.Fingerprint{Runs: []samples.FingerprintRun{{NS: []int64{9e6, 5e6, 1000, 1010, 7e6, 1020},
		Of: []samples.Category{samples.First, samples.Warmup, samples.Good, samples.Good, samples.Outlier, samples.Good}}}}
	pictures := fingerprintPictures(f)
	must.Hold(t, len(pictures) == 4, "%d pictures", len(pictures))
	for i, p := range pictures {
		lines := strings.Join(p.Text[0].Draw(80), "\n")
		should.Hold(t, strings.Contains(lines, " ms") != (i >= 2), "%s:\n%s", p.Title, lines)
	}
}
