package series

import (
	"testing"

	"pgmpi/analyze"
	"pgmpi/analyze/medians"
	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

// sideOf has an mpirun for each time to set up, in ms.
func sideOf(shape string, ms ...int64) *analyze.Side {
	took := map[int]medians.Took{}
	for i, x := range ms {
		took[i+1] = medians.Took{WallNS: 1e9, SetUpNS: x * 1e6}
	}
	return &analyze.Side{Set: &medians.Set{Took: map[string]map[int]medians.Took{shape: took}}}
}

func TestWhatTakesLongerToSetUpIsTold(t *testing.T) {
	short, long := []int64{8, 9, 8, 10, 9, 8, 9, 9, 0}, []int64{35, 36, 34, 35, 36, 37, 35, 35}
	s := SetUpOf(sideOf("p2", short...), sideOf("p2", long...))
	must.Hold(t, s != nil, "what takes 26 ms longer is not told")
	should.Hold(t, s.Shape == "p2" && s.S > 25e-3 && s.S < 28e-3 && s.Lo > 24e-3 && s.Lo < s.S && s.Hi > s.S && s.Hi < 32e-3, "%+v", s)
	for name, b := range map[string]*analyze.Side{"as long": sideOf("p2", short...), "shorter": sideOf("p2", 1, 2, 1, 1, 2, 1, 1, 1),
		"by chance": sideOf("p2", 8, 9, 12, 8, 9, 11, 9, 10), "on another shape": sideOf("p4", long...), "unknown": sideOf("p2", 0, 0, 0)} {
		should.Hold(t, SetUpOf(sideOf("p2", short...), b) == nil, "%s: it does not take longer", name)
	}
}

func TestTheShapeThatTakesLongestToSetUpIsTold(t *testing.T) {
	a, b := sideOf("p2", 8, 9, 8, 9, 8, 9), sideOf("p2", 18, 19, 18, 19, 18, 19)
	a.Set.Took["p4"], b.Set.Took["p4"] = a.Set.Took["p2"], sideOf("p4", 38, 39, 38, 39, 38, 39).Set.Took["p4"]
	a.Set.Took["p8"], b.Set.Took["p8"] = a.Set.Took["p2"], b.Set.Took["p2"]
	s := SetUpOf(a, b)
	should.Hold(t, s != nil && s.Shape == "p4", "%+v", s)
}
