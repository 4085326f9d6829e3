package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// A slow algorithm is planted by the library's own switch, and must
// be found at the size where it is slow.
func TestPlantedSlowAlgorithmIsFound(t *testing.T) {
	const slow = `
[check]
guidelines = [%q]
[job]
np = [2]
mpiruns = 10
msizes = [%q]
[nrep]
fixed = 100
[mpi]
env = { %s }
`
	for _, c := range []struct {
		lib            library
		guideline      string
		function, size string
		msize          int64
		plant          string
	}{
		{libraries[0], "GL5", "MPI_Allgather", "64Ki", 64 << 10,
			`OMPI_MCA_coll_tuned_use_dynamic_rules = "1", OMPI_MCA_coll_tuned_allgather_algorithm = "1"`},
		{libraries[1], "GL13", "MPI_Allreduce", "4Mi", 4 << 20,
			`MPIR_CVAR_ALLREDUCE_INTRA_ALGORITHM = "smp"`},
	} {
		t.Run(c.lib.name, func(t *testing.T) {
			ratio := map[string]float64{}
			for _, plant := range []string{"", c.plant} {
				b := newBench(t, c.lib)
				s := b.check("--guidelines", b.toml(fmt.Sprintf(slow, c.guideline, c.size, plant)))
				v := b.report().Verdicts[0]
				if v.Function != c.function || v.Msize != c.msize || v.Ratio == nil {
					t.Fatalf("verdict %+v", v)
				}
				ratio[plant] = *v.Ratio
				if plant != "" && (s.code != 1 || v.Verdict != "violated" || v.Alternative == nil) {
					t.Errorf("planted: exit status %d, verdict %s, ratio %.2f, alternative %+v", s.code, v.Verdict, *v.Ratio, v.Alternative)
				}
			}
			t.Logf("ratio without and with the plant: %.2f, %.2f", ratio[""], ratio[c.plant])
			if ratio[c.plant] < 1.3*ratio[""] {
				t.Errorf("the plant does not show: ratio %.2f without, %.2f with it", ratio[""], ratio[c.plant])
			}
		})
	}
}

func TestWrongMockupsAreNamedAndTheRestGoesOn(t *testing.T) {
	wrong := libraries[0]
	wrong.rank = "pgmpi-rank-wrong-openmpi"
	b := newBench(t, wrong)
	text := strings.Replace(quick, `"GL8", "GL1:MPI_Bcast"`, `"GL3", "GL5", "GL7", "GL8", "GL9", "GL12", "GL29"`, 1)
	b.check("--guidelines", b.toml(text)).exits(t, 3).says(t, "exclude = [", "wrong data")
	r := b.report()
	spoiled := map[string]bool{}
	for _, w := range r.Wrong {
		spoiled[w.Function] = true
	}
	for _, id := range []string{"gather_as_allgather", "allgather_as_alltoall", "scatter_as_bcast", "reduce_as_allreduce", "reduce_scatter_as_allreduce",
		"barrier_as_allreduce"} {
		if !spoiled[id] {
			t.Errorf("%s is wrong on purpose, and was not caught", id)
		}
	}
	for _, v := range r.Verdicts {
		if (v.Verdict == "wrong") != spoiled[v.Mockup] {
			t.Errorf("%s with %s is %s", v.Guideline, v.Mockup, v.Verdict)
		}
		if v.Guideline == "GL12" && v.MedianS == nil {
			t.Errorf("GL12 has nothing to do with the wrong mock-ups, and was not measured: %+v", v)
		}
	}
	exclude, err := json.Marshal(r.Exclude)
	if err != nil {
		t.Fatal(err)
	}
	b.out += "-2"
	b.check("--guidelines", b.toml(strings.Replace(text, "[check]", "[check]\nexclude = "+string(exclude), 1))).exits(t, 0, 1)
}
