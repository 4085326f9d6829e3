package report

import (
	"testing"

	"pgmpi/internal/fixture/should"
)

func TestLargeRatiosOfTablesHaveNoExponent(t *testing.T) {
	for x, want := range map[float64]string{1.5: "1.5", 10.12: "10.1", 999.4: "999", 999.6: "1000", 5250: "5250", 123456: "123456"} {
		should.Equal(t, timesSlower(x), want)
	}
}
