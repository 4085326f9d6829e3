package main

import (
	"path/filepath"
	"strings"
	"testing"

	"pgmpi/internal/conf"
	"pgmpi/testkit/mpirun"
)

func TestSettingsThatDoNothingAreRemarks(t *testing.T) {
	t.Parallel()
	b := newFixture(t, mpirun.Libraries[0])
	for _, c := range []struct {
		env  string
		says []string
	}{
		{`OMPI_MCA_coll_tuned_bcast_algorithm = "6"`, []string{"coll_tuned_bcast_algorithm does nothing: OMPI_MCA_coll_tuned_use_dynamic_rules is not 1"}},
		{`OMPI_MCA_coll_tuned_use_dynamic_rules = "1", OMPI_MCA_coll_tuned_bcast_algorithm = "99", OMPI_MCA_coll_tuned_dynamic_rules_filename = "/nowhere"`,
			[]string{`coll_tuned_bcast_algorithm does nothing: unknown algorithm of MPI_Bcast "99"`, "coll_tuned_dynamic_rules_filename does nothing: rank 0 of 2: open /nowhere: no such file"}},
		{`OMPI_MCA_coll_tuned_use_dynamic_rules = "1", OMPI_MCA_coll_tuned_bcast_algorithm = "6", I_MPI_ADJUST_BCAST = "3"`,
			[]string{"I_MPI_ADJUST_BCAST in mpi.env does nothing: the ranks have another MPI library"}},
	} {
		b.Out = filepath.Join(b.Dir, "out"+conf.FormatSize(int64(1+len(c.env))))
		path := b.TOML(twice + "[mpi]\nenv = { " + c.env + " }\n")
		said := b.Check("--guidelines", path, "--format", "json").Exits(t, 0, 1, 4)
		for _, want := range c.says {
			if !strings.Contains(said.Stderr, want) || !strings.Contains(said.Stdout, strings.ReplaceAll(want, `"`, `\"`)) {
				t.Errorf("%s: no remark says %q\n%s", c.env, want, said.Stderr)
			}
		}
		if n := strings.Count(said.Stdout, `"setting-ignored"`); n != len(c.says) {
			t.Errorf("%s: %d remarks, want %d", c.env, n, len(c.says))
		}
	}
}
