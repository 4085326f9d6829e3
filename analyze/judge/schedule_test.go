package judge

import (
	"reflect"
	"testing"
)

// Golden vectors of docs/statistics.md. R: ceiling(log2(8*c(1, 6, 495)/.05)) is 8 10 17;
// without the reserve of 8 the paired test of 495 would come at 14, in the second look of 16.
func TestTheUsualScheduleLooksAt8ThenWherePairsSufficeThen8Later(t *testing.T) {
	paper, strict := Default(), Default()
	paper.Method = MethodPaper
	strict.Alpha = 0.001 // log2(8·495/.001) = 21.9
	for _, c := range []struct {
		cfg   Config
		m     int
		looks []int
	}{
		{Default(), 0, []int{10, 16, 24}},
		{Default(), 6, []int{10, 16, 24}},
		{Default(), 495, []int{10, 17, 25}},
		{strict, 495, []int{10, 22, 30}},
	} {
		got := Usual(c.cfg, c.m)
		if want := (Schedule{c.looks, []float64{.5, .25, .25}}); !reflect.DeepEqual(got, want) {
			t.Errorf("m = %d at level %g: %+v, want %+v", c.m, c.cfg.Alpha, got, want)
		}
		if err := got.Check(got.R()); err != nil {
			t.Errorf("m = %d: %v", c.m, err)
		}
	}
	if got := Usual(paper, 495); !reflect.DeepEqual(got, Once(10)) {
		t.Errorf("method paper: %+v", got)
	}
	for m, want := range map[int]int{0: 8, 1: 8, 6: 10, 495: 17} {
		if got := Pairing(0.05, m); got != want {
			t.Errorf("%d tests pair well from %d mpiruns on, want %d", m, got, want)
		}
	}
}
