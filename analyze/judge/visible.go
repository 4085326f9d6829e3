package judge

import (
	"math"

	"gonum.org/v1/gonum/mathext"
)

const (
	// seeing is the chance with which Visible is seen.
	seeing = 0.8
	// twoSided95 turns a standard error into half a 95 % interval.
	twoSided95 = 1.959964
)

// Visible is the least ratio that a test with this 95 % interval of its ratio shows
// with a chance of 80 %, if nothing else in its family is significant; +Inf: none.
// It is an estimate: the test's own distribution is taken for normal on the log scale.
func (d *Design) Visible(lo, hi float64) float64 {
	p := d.needs(0) * d.finding[d.Last()]
	if d.looks[d.Last()].pMin > p || !(lo > 0) || !(hi >= lo) || math.IsInf(hi, 1) {
		return math.Inf(1)
	}
	if d.alternative == TwoSided {
		p /= 2
	}
	se := math.Log(hi/lo) / (2 * twoSided95)
	z := mathext.NormalQuantile(1-p) + mathext.NormalQuantile(seeing)
	return max(d.MinSlowdown, math.Exp(z*se))
}
