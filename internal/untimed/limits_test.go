package untimed

import (
	"testing"

	"pgmpi/measure/protocol"
	"pgmpi/testkit/should"
)

// Open MPI leaves room for headers, and UCX chooses where it is told nothing.
func TestEagerLimitsAreOfTheLibrarysVariables(t *testing.T) {
	ucx := protocol.OfEnvironment + "UCX_RNDV_THRESH"
	for name, c := range map[string]struct {
		read protocol.Variable
		want []int64
	}{
		"vader":       {protocol.Variable{Name: "btl_vader_eager_limit", Known: true, Value: "4096"}, []int64{4040}},
		"a small one": {protocol.Variable{Name: "btl_vader_eager_limit", Known: true, Value: "32"}, nil},
		"not there":   {protocol.Variable{Name: "btl_vader_eager_limit"}, nil},
		"UCX":         {protocol.Variable{Name: ucx, Known: true, Value: "64K"}, []int64{64<<10 - 1}},
		"UCX chooses": {protocol.Variable{Name: ucx, Known: true, Value: "auto"}, nil},
	} {
		should.Equal(t, largestEager([]protocol.Variable{c.read}), c.want, "%s", name)
	}
}
