package check

import (
	"testing"

	"pgmpi/analyze"
	"pgmpi/testkit/should"
)

func TestTheScreenNamesCallsThatAreSlowerOnFewerProcesses(t *testing.T) {
	number := func(x float64) *float64 { return &x }
	x := analyze.Across{Function: "MPI_Bcast", Msize: 8, Shape: "p4", More: "p8", MedianS: number(50e-6), MoreMedianS: number(5e-6)}
	x.Ratio, x.RatioLo95, x.RatioHi95 = number(10), number(9), number(12)
	out := slowerOnFewer(&analyze.Report{Across: []analyze.Across{x}})
	should.Hold(t, len(out) == 1 && len(out[0].Text) == 1, "%+v", out)
	should.Equal(t, out[0].Text[0].Text, "Bcast 8 B: 50.0 µs on p4, 5.00 µs on p8: 10.0× [9.00, 12.0]")
	should.Equal(t, len(slowerOnFewer(&analyze.Report{})), 0, "without any")
}
