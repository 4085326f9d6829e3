package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestCheckOfTwoProcessesReportsEveryPlannedTest(t *testing.T) {
	eachLibrary(t, func(t *testing.T, b *bench) {
		s := b.check("--guidelines", b.toml(strings.Replace(quick, "fixed = 10", "max = 20\npredictions = 1", 1)), "--format", "json,csv").exits(t, 0, 1)
		r := b.report()
		if r.Exit != s.code {
			t.Errorf("report.json has exit_code %d, the program ended with %d", r.Exit, s.code)
		}
		if r.Library.Name != b.lib.name || r.R != 3 || len(r.Shapes) != 1 || r.Shapes[0].Name != "p2" {
			t.Errorf("report.json is of %+v, R = %d, shapes %+v", r.Library, r.R, r.Shapes)
		}
		// GL8 at two sizes, and GL1 of Bcast for one pair.
		if len(r.Verdicts) != 3 || len(r.Summary) != 2 {
			t.Errorf("%d verdicts and %d rows of the summary, want 3 and 2", len(r.Verdicts), len(r.Summary))
		}
		for _, v := range r.Verdicts {
			if v.NP != 2 || v.MedianS == nil || *v.MedianS <= 0 || v.OtherMedianS == nil || v.Ratio == nil || v.PValue == nil {
				t.Errorf("a measured verdict lacks numbers: %+v", v)
			}
		}
		if !json.Valid([]byte(s.stdout)) {
			t.Errorf("the first format, json, is not what came to standard output:\n%.300s", s.stdout)
		}
		for _, name := range []string{"manifest.json", "report.json", "report.csv", "raw/nrep-p2-1.tsv.gz", "raw/run-p2-01.tsv.gz", "raw/run-p2-02.tsv.gz"} {
			if _, err := os.Stat(filepath.Join(b.out, name)); err != nil {
				t.Error(err)
			}
		}
		if left := b.processes(false); len(left) > 0 {
			t.Errorf("processes left: %v", left)
		}
	})
}

func TestCheckOfMoreProcessesThanCores(t *testing.T) {
	eachLibrary(t, func(t *testing.T, b *bench) {
		text := strings.Replace(quick, "np = [2]", "np = [2, 4]", 1)
		if b.lib.yield {
			text += fmt.Sprintf("[mpi]\nenv = { LD_PRELOAD = %q }\n", filepath.Join(b.bin, "yield.so"))
		}
		b.check("--guidelines", b.toml(text)).exits(t, 0, 1)
		r := b.report()
		seen := map[int]int{}
		for _, v := range r.Verdicts {
			seen[v.NP]++
		}
		if seen[2] != 3 || seen[4] != 3 {
			t.Errorf("verdicts by np: %v, want 3 for 2 and for 4", seen)
		}
		if _, err := os.Stat(filepath.Join(b.out, "report.txt")); err != nil {
			t.Error(err)
		}
	})
}

func TestStagesOneByOneShareAFolder(t *testing.T) {
	eachLibrary(t, func(t *testing.T, b *bench) {
		gl := b.toml(strings.Replace(quick, "fixed = 10", "max = 20\npredictions = 1", 1))
		common := []string{"--guidelines", gl, "--rank", b.rank, "--out", b.out}
		b.pgmpi(append([]string{"nrep"}, common...)...).exits(t, 0)
		b.pgmpi(append([]string{"measure"}, common...)...).exits(t, 0)
		b.pgmpi("analyze", b.out, "--format", "csv").exits(t, 0, 1)
		if n := len(b.raw()); n != 4 {
			t.Errorf("%d raw files, want one of nrep and three that measured", n)
		}
	})
}

func TestResumeMeasuresOnlyWhatIsMissing(t *testing.T) {
	eachLibrary(t, func(t *testing.T, b *bench) {
		gl := b.toml(quick)
		b.check("--guidelines", gl).exits(t, 0, 1)
		before := b.raw()
		const missing = "run-p2-02.tsv.gz"
		if err := os.Remove(filepath.Join(b.out, "raw", missing)); err != nil {
			t.Fatal(err)
		}
		b.check("--guidelines", gl).exits(t, 2).says(t, "not empty", "--resume")
		b.check("--resume").exits(t, 0, 1)
		after := b.raw()
		if len(after) != 3 {
			t.Fatalf("raw files after --resume: %v", after)
		}
		for name, when := range after {
			if written := !when.Equal(before[name]); written != (name == missing) {
				t.Errorf("%s was written again: %v", name, written)
			}
		}
	})
}

func TestResumeRefusesOtherSettings(t *testing.T) {
	b := newBench(t, libraries[1])
	gl := b.toml(quick)
	b.check("--guidelines", gl).exits(t, 0, 1)
	for _, c := range []struct{ flag, value, key string }{
		{"--msizes", "8", "job.msizes: "}, {"--mpiruns", "5", "job.mpiruns: 3 there, 5 now"}, {"--seed", "7", "job.seed: 1 there, 7 now"},
		{"--np", "1", "job.np: [2] there, [1] now"}, {"--stall", "1m", "measure.stall: "}, {"--launch", "mpirun.mpich -np {np}", "mpi.launch: "},
	} {
		b.check("--resume", c.flag, c.value).exits(t, 2).says(t, "another configuration", c.key)
	}
	other := newBench(t, libraries[0])
	other.out = b.out
	other.check("--resume", "--guidelines", gl).exits(t, 2).says(t, "another rank program or MPI library")
	b.check("--resume", "--test", "ks", "--alpha", "0.1").exits(t, 0, 1)
	if r := b.report(); r.Test != "ks" || r.Alpha != 0.1 {
		t.Errorf("[analyze] did not change: test %s, alpha %v", r.Test, r.Alpha)
	}
}

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
