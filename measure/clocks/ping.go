package clocks

import (
	"cmp"
	"math"
	"slices"
)

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
