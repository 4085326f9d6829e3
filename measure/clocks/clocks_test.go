package clocks

import (
	"math"
	"testing"

	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

// A clock since the epoch (1.8e18 ns) drifting against one since boot: what
// float64 seconds cannot tell apart, and the composition of two such models.
func TestMergeKeepsNanosecondsOfClocksYearsApart(t *testing.T) {
	outer := Model{Origin: 1.5e17, Offset: 1.5e17 - 7e12, Intercept: 0.25, Slope: 31e-6}
	inner := Model{Origin: 1.8e18, Offset: 1.8e18 - 1.5e17 - 400, Intercept: -0.5, Slope: -12e-6}
	merged := Merge(outer, inner)
	for _, after := range []int64{-5e9, 0, 1, 1e9, 3600e9} {
		at := inner.Origin + after
		got, want := merged.Global(at), outer.Global(inner.Global(at))
		should.Hold(t, got-want <= 1 && want-got <= 1, "%d ns after the origin the merged clock shows %d, the two one after the other %d", after, got, want)
	}
}

func TestMergeWithTheReferenceChangesNothing(t *testing.T) {
	m := Model{Origin: 12, Offset: -5, Intercept: 0.5, Slope: 1e-6}
	got := Merge(Model{}, m)
	should.Hold(t, got == m, "merged with the reference: %+v, want %+v", got, m)
}

func TestFitRefusesWhatIsNoLine(t *testing.T) {
	for what, points := range map[string][]Point{
		"no point":        nil,
		"one point":       {{At: 1, Ahead: 2}},
		"a stopped clock": {{At: 7, Ahead: 1}, {At: 7, Ahead: 3}},
	} {
		m, err := Fit(points, 0)
		should.Hold(t, err != nil, "%s: fitted %+v", what, m)
	}
}

func TestPinnedKeepsTheSlopeAndPassesThroughTheMeasurement(t *testing.T) {
	m := Model{Origin: 5, Offset: 70, Intercept: 0.5, Slope: 2e-5}.Pinned(1e12, -123456789)
	should.Hold(t, m.Slope == 2e-5 && m.Ahead(1e12) == -123456789, "%+v is ahead by %v at the measurement", m, m.Ahead(1e12))
}

func TestMedianKeepsPairsAndTakesTheLowerOfTwo(t *testing.T) {
	// Sorted by difference the exchanges are 2, 0, 3, 1: their readings must
	// come along (Algorithm 4 indexes the unsorted ones).
	pings := []Ping{{0, 100, 1100}, {0, 100, 9100}, {0, 100, 600}, {0, 100, 2100}}
	got, want := JonesKoenig(pings, 200), (Point{At: 1100, Ahead: 900, RTT: 1100})
	should.Hold(t, got == want, "median of four is %+v, want %+v", got, want)
	got, want = JonesKoenig(pings[:3], 0), (Point{At: 1100, Ahead: 1000, RTT: 1100})
	should.Hold(t, got == want, "median of three is %+v, want %+v", got, want)
}

func TestEnvelopeTakesTheTightestBoundOfEachSide(t *testing.T) {
	// The clock is 1000 ahead. The first answer is late, the second question.
	pings := []Ping{{2000, 1010, 2900}, {5000, 4700, 5710}, {8000, 7500, 9000}}
	e := SKaMPI(pings)
	should.Hold(t, e.Ahead == 1000 && e.Bound == 11, "%+v, want 1000 ahead to within 11 ns", e)
	should.Equal(t, e.At, 3855, "the estimate is for the reading")
}

func TestFastestTakesTheShortestRoundTrip(t *testing.T) {
	pings := []Ping{{0, 50, 500}, {1000, 980, 1040}, {2000, 2100, 2400}}
	got, want := Netgauge(pings), (Estimate{Point{At: 1020, Ahead: 40, RTT: 40}, 21})
	should.Hold(t, got == want, "%+v, want %+v", got, want)
}

// The lines of the papers on clocks that are known: 1 s apart, 50 ppm, asymmetric noise.
func TestEstimatesRecoverAKnownClock(t *testing.T) {
	truth := Model{Origin: 40e9, Offset: 1e9, Slope: 50e-6}
	var points []Point
	for i := range 50 {
		var pings []Ping
		for k := range 21 {
			sent := int64(40e9) + int64(i)*20e6 + int64(k)*5000
			there, back := int64(1000+17*(k%7)), int64(1000+900*(k%5/4))
			arrived := sent + there
			pings = append(pings, Ping{sent, truth.Global(arrived), arrived + back})
		}
		e := SKaMPI(pings)
		must.Hold(t, math.Abs(float64(e.Ahead)-truth.Ahead(e.At)) <= float64(e.Bound), "envelope %+v misses %v by more than its bound", e, truth.Ahead(e.At))
		points = append(points, JonesKoenig(pings, 2000))
	}
	m := must.Get(Fit(points, 40e9))(t)
	near(t, "slope", m.Slope, truth.Slope, 1e-7)
	near(t, "ahead after 20 s", m.Ahead(60e9), truth.Ahead(60e9), 2000)
}

func TestQuietLeavesPreemptedPointsOutAndKeepsAQuarterAtLeast(t *testing.T) {
	var points []Point
	for i := range 100 {
		p := Point{At: int64(i) * 1e7, Ahead: 500, RTT: 1000 + int64(i%3)*100}
		if i%10 > 2 { // seven in ten lost their core for 4 ms
			p.Ahead, p.RTT = p.Ahead+2e6, 4e6
		}
		points = append(points, p)
	}
	kept := Quiet(points)
	should.Equal(t, len(kept), 30, "points kept")
	m, err := Fit(kept, 0)
	should.Hold(t, err == nil && m.Ahead(1e9) == 500, "their line is ahead by %v (%v), want 500", m.Ahead(1e9), err)
	should.Equal(t, len(Quiet(points[:3])), 3, "of three like points kept")
}
