package picture

import "testing"

func TestLinearTicksAreFew(t *testing.T) {
	a := Axis{}
	for span := 0.1; span < 100; span *= 1.07 {
		ticks := a.Ticks(0.49, 0.49+span, 7)
		if n := len(ticks); n < 2 || n > 7 || ticks[n-1].Value < 0.49+span/2 {
			t.Errorf("span %g: %v", span, ticks)
		}
	}
}
