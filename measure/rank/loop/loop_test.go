//go:build cgo

package loop

import (
	"maps"
	"slices"
	"testing"

	"pgmpi/measure/protocol"
	"pgmpi/testkit/should"
)

func TestDriverAndRankProgramHaveTheSameNames(t *testing.T) {
	for _, c := range []struct {
		what         string
		driver, rank []string
	}{
		{"synchronisations", protocol.Syncs, keys(syncs)},
		{"treatments of caches", protocol.Caches, keys(caches)},
		{"counters", protocol.Counters, eventNames()},
	} {
		for _, name := range c.driver {
			should.Hold(t, slices.Contains(c.rank, name), "%s: only the driver knows %q", c.what, name)
		}
		for _, name := range c.rank {
			should.Hold(t, slices.Contains(c.driver, name), "%s: only the rank program knows %q", c.what, name)
		}
	}
}

func keys[T any](m map[string]T) []string { return slices.Collect(maps.Keys(m)) }

func TestRotatingBuffersHaveAtLeastTwoPositions(t *testing.T) {
	l := &Loop{cache: caches["rotate"], CacheBytes: 1 << 20}
	for _, bytes := range []int64{1, 8, 4096, 1 << 20, 64 << 20} {
		room := l.Span(bytes) - bytes
		positions := 1 + room/stride(bytes)
		should.Hold(t, positions >= 2 && (positions-1)*stride(bytes)+bytes <= l.Span(bytes), "%d bytes: %d positions in %d", bytes, positions, l.Span(bytes))
		should.Hold(t, stride(bytes) >= bytes && stride(bytes)%64 == 0, "%d bytes: positions are %d apart", bytes, stride(bytes))
	}
	should.Hold(t, l.Span(0) == 0 && (&Loop{cache: caches["cold"], CacheBytes: 9}).Span(8) == 8, "memory is taken where nothing rotates")
}
