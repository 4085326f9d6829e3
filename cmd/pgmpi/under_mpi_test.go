package main

import (
	"path/filepath"
	"slices"
	"testing"

	"pgmpi/analyze/series"
	"pgmpi/internal/fixture/should"
)

// A variable of each library, and a value with which it changes nothing.
var harmless = map[string][2]string{
	"openmpi": {"OMPI_MCA_coll_tuned_scan_algorithm_segmentsize", "0"},
	"mpich":   {"MPIR_CVAR_SCATTERV_INTRA_ALGORITHM", "auto"},
}

// Only the ranks of B get the variables of a setting, and the comparison names them.
func TestSideOfAbRunsUnderASetting(t *testing.T) {
	eitherAtOnce(t, func(t *testing.T, b *fixture) {
		variable, value := harmless[b.lib.name][0], harmless[b.lib.name][1]
		b.put("setting/env.sh", "export MALLOC_TRIM_THRESHOLD_='1000000000'\nexport "+variable+"='"+value+"'\n")
		gl := b.setUp("gl", sameTwice)
		s := b.pgmpi("ab", gl, "--under", filepath.Join(b.dir, "setting"), "--out", b.out, "--mpiruns", "4", "--alpha", "0.5", "--format", "json", "--quiet").exits(t, 0, 1)
		c := comparisonOf(t, s.stdout)
		for _, name := range []string{variable, "MALLOC_TRIM_THRESHOLD_"} {
			i := slices.IndexFunc(c.Differences, func(d series.Difference) bool { return d.Factor == "env "+name })
			if i < 0 || c.Differences[i].B != map[string]string{variable: value, "MALLOC_TRIM_THRESHOLD_": "1000000000"}[name] {
				t.Errorf("%s is not among what differs: %+v", name, c.Differences)
			}
		}
		for side, want := range map[string]bool{"a": false, "b": true} {
			ranks := b.environment(filepath.Join(b.out, side)).Factors.Layouts[0].Kinds[0].Env
			_, there := ranks[variable]
			should.Hold(t, there == want, "ranks of %s have %s: %t, want %t", side, variable, there, want)
		}
	})
}

func TestAFileOfASettingThatIsNotThereStartsNothing(t *testing.T) {
	t.Parallel()
	b := newFixture(t, libraries[0])
	b.put("setting/env.sh", "export OMPI_MCA_coll_tuned_dynamic_rules_filename='"+b.dir+"/absent.rules'\n")
	b.pgmpi("check", "--rank", b.rank, "--under", filepath.Join(b.dir, "setting"), "--out", b.out).
		exits(t, 2).says(t, "setting/env.sh", "absent.rules, which is not there")
	should.Hold(t, !b.there(filepath.Base(b.out)), "there is a results folder")
}
