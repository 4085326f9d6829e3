//go:build cgo

package rank

import (
	"testing"
	"time"
)

func TestWindowIsDoubledOnlyAfterBadBatchesInARow(t *testing.T) {
	m := &measured{window: time.Millisecond}
	for _, invalid := range []int{9, 5, 4, 20, 5} {
		m.adjust(20, invalid)
	}
	if m.window != time.Millisecond {
		t.Errorf("two bad batches, a good one and two bad ones: %v", m.window)
	}
	m.adjust(20, 5)
	if m.window != 2*time.Millisecond {
		t.Errorf("three bad batches in a row: %v", m.window)
	}
}
