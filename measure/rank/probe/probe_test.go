//go:build cgo

package probe

import (
	"slices"
	"testing"

	"pgmpi/testkit/should"
)

func TestReadingsAreSpreadEvenlyOverTheCases(t *testing.T) {
	for cases, want := range map[int][]int{0: {0}, 1: {0, 1}, 2: {0, 1, 2}, 4: {0, 1, 2, 3, 4}, 120: {0, 30, 60, 90, 120}} {
		var got []int
		for done := range cases + 1 {
			if (&Reader{cases: cases}).Due(done) {
				got = append(got, done)
			}
		}
		should.Hold(t, slices.Equal(got, want), "%d cases: readings when %v are done, want %v", cases, got, want)
	}
}
