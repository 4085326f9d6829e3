package clocks

import (
	"cmp"
	"errors"
	"math"
	"slices"
)

// Model tells how far a clock is ahead of a reference clock, by its own reading t (S-REVISITED,
// Algorithms 4 and 16):
//
//	ahead(t) = Offset + Intercept + Slope·(t − Origin), in ns
//
// Offset holds the whole nanoseconds of a difference that may be years; then
// Intercept is small and nothing is rounded. The zero Model is the reference.
type Model struct {
	Origin    int64   // reading of the own clock, ns
	Offset    int64   // ns
	Intercept float64 // ns
	Slope     float64 // ns per ns
}

// Ahead returns how far the clock is ahead of the reference at its reading t, ns.
func (m Model) Ahead(t int64) float64 {
	return float64(m.Offset) + m.rest(t)
}

func (m Model) rest(t int64) float64 { return m.Intercept + m.Slope*float64(t-m.Origin) }

// Global returns the reference's time at the reading t, ns (S-REVISITED,
// Algorithm 16).
func (m Model) Global(t int64) int64 {
	return t - m.Offset - int64(math.Round(m.rest(t)))
}

// Pinned returns the model with the same slope that is `ahead` ns ahead at the reading t: the intercept
// is measured again (S-REVISITED, Algorithm 4, Compute_And_Set_Intercept).
func (m Model) Pinned(t, ahead int64) Model {
	return Model{Origin: t, Offset: ahead, Slope: m.Slope}
}

// Merge returns the model of a clock relative to the outer reference. `inner` is its model relative to
// a clock whose own model is `outer` (S-REVISITED, Algorithm 4, Merge_LMs). For equal origins:
//
//	intercept = i1 + i2 − i2·s1
//	slope     = s1 + s2 − s1·s2
//
// with 1 the outer, 2 the inner one. Equation 1 of the paper has i1·s2 instead of i2·s1; it is for
// models that are functions of the reference's clock.
func Merge(outer, inner Model) Model {
	// The middle clock's reading at the inner origin, less the outer origin:
	// whole nanoseconds first.
	apart := float64(inner.Origin-inner.Offset-outer.Origin) - inner.Intercept
	return Model{
		Origin:    inner.Origin,
		Offset:    outer.Offset + inner.Offset,
		Intercept: outer.Intercept + inner.Intercept + outer.Slope*apart,
		Slope:     outer.Slope + inner.Slope - outer.Slope*inner.Slope,
	}
}

// Point is one fit point: at its own reading At, ns, a clock was found to be
// Ahead ns ahead of the reference, by exchanges whose round trip took RTT ns.
type Point struct{ At, Ahead, RTT int64 }

// Quiet leaves out the points whose round trip took more than twice the lower
// quartile: a process that lost its core meanwhile has shifted them by
// half of that. (S-NETGAUGE §2.2 keeps the quarter with the shortest; here at least
// a quarter stays, and on a quiet machine all do.)
func Quiet(points []Point) []Point {
	if len(points) == 0 {
		return nil
	}
	byRTT := slices.SortedFunc(slices.Values(points), func(a, b Point) int { return cmp.Compare(a.RTT, b.RTT) })
	limit := 2 * byRTT[(len(byRTT)-1)/4].RTT
	return slices.DeleteFunc(slices.Clone(points), func(p Point) bool { return p.RTT > limit })
}

// Fit returns the least-squares line through the points, with its origin at the
// given reading. It takes at least two points with different readings.
func Fit(points []Point, origin int64) (Model, error) {
	if len(points) < 2 {
		return Model{}, errors.New("a line needs at least two fit points")
	}
	base, offset := points[0].At, points[0].Ahead
	var meanX, meanY float64
	for _, p := range points {
		meanX += float64(p.At - base)
		meanY += float64(p.Ahead - offset)
	}
	meanX /= float64(len(points))
	meanY /= float64(len(points))
	var xx, xy float64
	for _, p := range points {
		x := float64(p.At-base) - meanX
		xx += x * x
		xy += x * (float64(p.Ahead-offset) - meanY)
	}
	if xx == 0 {
		return Model{}, errors.New("all fit points have the same reading: the clock stands still")
	}
	slope := xy / xx
	return Model{
		Origin: origin, Offset: offset, Slope: slope,
		Intercept: meanY - slope*(meanX-float64(origin-base)),
	}, nil
}

// Ping is one exchange with the reference: the clock's readings before the
// question and after the answer, and the reference's reading in between; ns.
type Ping struct{ Sent, Remote, Back int64 }

func (p Ping) RTT() int64 { return p.Back - p.Sent }

type Estimate struct {
	Point
	// Bound is the largest possible error, ns: no message arrives before it is
	// sent. Clocks that drift much within the exchanges can exceed it.
	Bound int64
}

// SKaMPI estimates the difference by bounding it: every exchange gives a lower and an upper
// bound, and the estimate is the middle between the tightest ones (S-REVISITED, Algorithm 7).
// There must be at least one exchange.
func SKaMPI(pings []Ping) Estimate {
	least, most := int64(math.MinInt64), int64(math.MaxInt64)
	var atLeast, atMost int64
	for _, p := range pings {
		if d := p.Sent - p.Remote; d > least {
			least, atLeast = d, p.Sent
		}
		if d := p.Back - p.Remote; d < most {
			most, atMost = d, p.Back
		}
	}
	width := max(most-least, least-most)
	return Estimate{Point: Point{At: atLeast + (atMost-atLeast)/2, Ahead: least + (most-least)/2, RTT: width}, Bound: width/2 + 1}
}

// Netgauge estimates the difference from the exchange with the shortest round
// trip (S-NETGAUGE §3.1). There must be at least one exchange.
func Netgauge(pings []Ping) Estimate {
	p := slices.MinFunc(pings, func(a, b Ping) int { return cmp.Compare(a.RTT(), b.RTT()) })
	half := p.RTT() / 2
	return Estimate{Point: Point{At: p.Sent + half, Ahead: p.Sent + half - p.Remote, RTT: p.RTT()}, Bound: half + 1}
}

// JonesKoenig estimates the difference as Jones and Koenig do: the median of the differences
// after the answer, less half of the given round-trip time, with its own reading
// (S-REVISITED, Algorithms 4 and 15). For an even number it takes the lower median, so that
// it is one of the exchanges. There must be at least one.
func JonesKoenig(pings []Ping, rtt int64) Point {
	points := make([]Point, len(pings))
	for i, p := range pings {
		points[i] = Point{At: p.Back, Ahead: p.Back - p.Remote - rtt/2, RTT: p.RTT()}
	}
	slices.SortFunc(points, func(a, b Point) int { return cmp.Compare(a.Ahead, b.Ahead) })
	return points[(len(points)-1)/2]
}
