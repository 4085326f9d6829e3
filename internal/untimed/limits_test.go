package untimed

import (
	"testing"

	"pgmpi/guidelines"
	"pgmpi/measure/host"
	"pgmpi/measure/protocol"
	"pgmpi/testkit/should"
)

// Open MPI leaves room for headers, and UCX chooses where it is told nothing.
func TestEagerLimitsAreOfTheLibrarysVariables(t *testing.T) {
	ucx := protocol.OfEnvironment + "UCX_RNDV_THRESH"
	tcp := protocol.Variable{Name: "btl_tcp_eager_limit", Known: true, Value: "65536"}
	for name, c := range map[string]struct {
		read  protocol.Variable
		nodes bool
		want  []int64
	}{
		"vader":        {protocol.Variable{Name: "btl_vader_eager_limit", Known: true, Value: "4096"}, true, []int64{4040}},
		"a small one":  {protocol.Variable{Name: "btl_vader_eager_limit", Known: true, Value: "32"}, false, nil},
		"not there":    {protocol.Variable{Name: "btl_vader_eager_limit"}, false, nil},
		"UCX":          {protocol.Variable{Name: ucx, Known: true, Value: "64K"}, false, []int64{64<<10 - 1}},
		"UCX chooses":  {protocol.Variable{Name: ucx, Known: true, Value: "auto"}, false, nil},
		"TCP":          {tcp, true, []int64{65480}},
		"TCP on one":   {tcp, false, nil},
		"another name": {protocol.Variable{Name: "btl_self_eager_limit", Known: true, Value: "1024"}, true, nil},
	} {
		should.Equal(t, largestEager([]protocol.Variable{c.read}, c.nodes), c.want, "%s", name)
	}
}

func TestPairsOfRanksAreOfShapesWithSeveralDistances(t *testing.T) {
	on := func(shape string, nodes ...host.Ranges) host.Layout {
		l := host.Layout{Shape: shape, Kinds: []host.NodeKind{{}}}
		for i, ranks := range nodes {
			l.Pinnings = append(l.Pinnings, []host.Pin{{CPUs: host.Ranges{0}, Ranks: len(ranks)}})
			l.Nodes = append(l.Nodes, host.Node{Host: string(rune('a' + i)), Pinning: i, Ranks: ranks})
		}
		return l
	}
	got := PairsOf([]host.Layout{on("p3", host.Ranges{0, 1, 2}), on("2x1", host.Ranges{0}, host.Ranges{1}), on("p4", host.Ranges{0, 1}, host.Ranges{2, 3})}, 1)
	should.Hold(t, len(got) == 1 && got[0].Shape == "p4" && len(got[0].Pairs) == 2, "%+v", got)
	should.Equal(t, got[0].Pairs[0], [2]int{0, 1})
	should.Equal(t, PairsOf(nil, 1), []guidelines.Between(nil))
}
