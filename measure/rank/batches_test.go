//go:build cgo

package rank

import (
	"testing"
	"time"

	"pgmpi/internal/fixture/should"
)

func TestWindowIsDoubledOnlyAfterBadBatchesInARow(t *testing.T) {
	m := &measured{window: time.Millisecond}
	for _, invalid := range []int{9, 5, 4, 20, 5} {
		m.adjust(20, invalid)
	}
	should.Equal(t, m.window, time.Millisecond, "two bad batches, a good one and two bad ones")
	m.adjust(20, 5)
	should.Equal(t, m.window, 2*time.Millisecond, "three bad batches in a row")
}
