package main

import (
	"path/filepath"
	"slices"
	"testing"

	"pgmpi/analyze/series"
	"pgmpi/testkit/mpirun"
	"pgmpi/testkit/should"
)

// harmless has a variable of each library, and a value with which it changes nothing.
var harmless = map[string][2]string{
	"openmpi": {"OMPI_MCA_coll_tuned_scan_algorithm_segmentsize", "0"},
	"mpich":   {"MPIR_CVAR_SCATTERV_INTRA_ALGORITHM", "auto"},
}

// Only the ranks of B get the variables of a setting, and the comparison names them.
func TestSideOfAbRunsUnderASetting(t *testing.T) {
	eitherAtOnce(t, func(t *testing.T, b *fixture) {
		variable, value := harmless[b.Lib.Name][0], harmless[b.Lib.Name][1]
		b.Put("setting/env.sh", "export MALLOC_TRIM_THRESHOLD_='1000000000'\nexport "+variable+"='"+value+"'\n")
		gl := b.SetUp("gl", sameTwice)
		s := b.Pgmpi("ab", gl, "--under", filepath.Join(b.Dir, "setting"), "--out", b.Out, "--mpiruns", "4", "--alpha", "0.5", "--format", "json", "--quiet").Exits(t, 0, 1)
		c := comparisonOf(t, s.Stdout)
		for _, name := range []string{variable, "MALLOC_TRIM_THRESHOLD_"} {
			i := slices.IndexFunc(c.Differences, func(d series.Difference) bool { return d.Factor == "env "+name })
			if i < 0 || c.Differences[i].B != map[string]string{variable: value, "MALLOC_TRIM_THRESHOLD_": "1000000000"}[name] {
				t.Errorf("%s is not among what differs: %+v", name, c.Differences)
			}
		}
		for side, want := range map[string]bool{"a": false, "b": true} {
			ranks := b.environment(filepath.Join(b.Out, side)).Factors.Layouts[0].Kinds[0].Env
			_, there := ranks[variable]
			should.Hold(t, there == want, "ranks of %s have %s: %t, want %t", side, variable, there, want)
		}
	})
}

func TestAFileOfASettingThatIsNotThereStartsNothing(t *testing.T) {
	t.Parallel()
	b := newFixture(t, mpirun.Libraries[0])
	b.Put("setting/env.sh", "export OMPI_MCA_coll_tuned_dynamic_rules_filename='"+b.Dir+"/absent.rules'\n")
	b.Pgmpi("check", "--rank", b.Rank, "--under", filepath.Join(b.Dir, "setting"), "--out", b.Out).
		Exits(t, 2).Says(t, "setting/env.sh", "absent.rules, which is not there")
	should.Hold(t, !b.There(filepath.Base(b.Out)), "there is a results folder")
}
