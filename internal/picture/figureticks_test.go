package picture

import (
	"testing"

	"pgmpi/testkit/should"
)

func TestLinearTicksAreFew(t *testing.T) {
	a := Axis{}
	for span := 0.1; span < 100; span *= 1.07 {
		ticks := a.Ticks(0.49, 0.49+span, 7)
		n := len(ticks)
		should.Hold(t, n >= 2 && n <= 7 && ticks[n-1].Value >= 0.49+span/2, "span %g: %v", span, ticks)
	}
}
