package main

import (
	"encoding/json"
	"strings"
	"testing"

	"pgmpi/testkit/mpirun"
	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

func TestWrongMockupsAreNamedAndTheRestGoesOn(t *testing.T) {
	t.Parallel()
	wrong := mpirun.Libraries[0]
	wrong.Rank = "pgmpi-rank-wrong-openmpi"
	b := newFixture(t, wrong)
	text := strings.Replace(quick, `"GL8", "GL1:MPI_Bcast"`, `"GL3", "GL5", "GL7", "GL8", "GL9", "GL12", "GL29"`, 1)
	b.Check("--guidelines", b.TOML(text)).Exits(t, 3).Says(t, "exclude = [", "wrong data")
	r := b.Report()
	spoiled := map[string]bool{}
	for _, w := range r.Wrong {
		spoiled[w.Function] = true
	}
	for _, id := range []string{"gather_as_allgather", "allgather_as_alltoall", "scatter_as_bcast", "reduce_as_allreduce", "reduce_scatter_as_allreduce",
		"barrier_as_allreduce"} {
		should.Hold(t, spoiled[id], "%s is wrong on purpose, and was not caught", id)
	}
	for _, v := range r.Verdicts {
		should.Equal(t, v.Verdict == "wrong", spoiled[v.Mockup], "%s with %s is %s", v.Guideline, v.Mockup, v.Verdict)
		should.Hold(t, v.Guideline != "GL12" || v.MedianS != nil, "GL12 has nothing to do with the wrong mock-ups, and was not measured: %+v", v)
	}
	exclude := must.Get(json.Marshal(r.Exclude))(t)
	b.Out += "-2"
	b.Check("--guidelines", b.TOML(strings.Replace(text, "[check]", "[check]\nexclude = "+string(exclude), 1))).Exits(t, 0, 1)
}
