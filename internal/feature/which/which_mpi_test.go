package which

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"pgmpi/analyze/chosen"
	"pgmpi/testkit/mpirun"
	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

func which(b *mpirun.Fixture, args ...string) (out chosen.Which) {
	b.T.Helper()
	args = append([]string{"which", "--format", "json", "--np", "4", "--rank", b.Rank}, args...)
	if b.Lib.Name == "openmpi" {
		args = append(args, "--launch", b.Lib.MPI+" --oversubscribe")
	}
	must.Do(b.T, json.Unmarshal([]byte(b.Pgmpi(args...).Exits(b.T, 0).Stdout), &out))
	return out
}

// The environment forces each of Open MPI's algorithms. Those that call other collectives have a round of their
// own, in which these are free. `make test` forces every third one, `make test-all` all.
func TestWhichNamesTheAlgorithmThatIsForced(t *testing.T) {
	t.Parallel()
	b := mpirun.New(t, mpirun.Libraries[0])
	list := b.Algorithms().Collectives
	calls := []string{"MPI_Allreduce nonoverlapping", "MPI_Reduce_scatter non-overlapping", "MPI_Reduce_scatter_block basic_linear"}
	const own = -1
	for k := own; ; k++ {
		want, env := map[string]string{}, []string{mpirun.DynamicRules}
		for _, c := range list {
			for i, a := range c.Names {
				turn := i
				if slices.Contains(calls, c.Collective+" "+a.Name) {
					turn = own
				}
				if turn == k && a.Name != "two_proc" { // two_proc is for p = 2
					want[c.Collective] = a.Name
					env = append(env, fmt.Sprintf("OMPI_MCA_%s=%d", c.Variable, a.Value))
				}
			}
		}
		if len(want) == 0 && k != own {
			return
		}
		if k != own && k%3 != 1 && !mpirun.Everything {
			continue
		}
		t.Run(fmt.Sprint(k), func(t *testing.T) {
			t.Parallel()
			b := mpirun.New(t, mpirun.Libraries[0])
			b.Env = append(b.Env, env...)
			for _, r := range which(b, "--msizes", "4Ki", "--functions", strings.Join(slices.Sorted(maps.Keys(want)), ",")).Rows {
				should.Hold(t, slices.Contains(r.Algorithms, want[r.Collective]), "%s is made to take %s, and which says %v (%s)", r.Collective, want[r.Collective], r.Algorithms, r.Why)
				delete(want, r.Collective)
			}
			should.Equal(t, len(want), 0, "collectives without a row")
		})
	}
}

// The tuned component takes linear for MPI_Bcast in B, by gl.toml. pgmpi which needs both folders' own settings.
func TestCompareNamesTheAlgorithmThatIsAnother(t *testing.T) {
	t.Parallel()
	b := mpirun.New(t, mpirun.Libraries[0])
	for name, forced := range map[string]string{"a": "binomial", "b": "basic_linear"} {
		toml := b.SetUp(name, strings.Replace(fmt.Sprintf(mpirun.OneCase, "GL10:MPI_Bcast"), "fixed = 100", "fixed = 2\n[measure]\nalternate = false", 1))
		value := map[string]int{"basic_linear": 1, "binomial": 6}[forced]
		text := must.Get(os.ReadFile(toml))(t)
		text = fmt.Appendf(text, "[mpi.env]\nOMPI_MCA_coll_tuned_use_dynamic_rules = \"1\"\nOMPI_MCA_coll_tuned_bcast_algorithm = \"%d\"\n", value)
		must.Do(t, os.WriteFile(toml, text, 0o666))
		b.Pgmpi("check", toml, "--np", "4", "--mpiruns", "3", "--launch", b.Lib.MPI+" --oversubscribe", "--out", b.Dir+"/"+name)
		s := b.Pgmpi("which", b.Dir+"/"+name).Exits(t, 0)
		should.Contain(t, s.Stdout, forced)
	}
	s := b.Pgmpi("compare", b.Dir+"/a", b.Dir+"/b")
	should.Contain(t, s.Stdout, "Bcast 64 KiB: binary_tree or binomial → basic_linear or chain or knomial")
	b.Env = append(b.Env, "OMPI_MCA_coll_tuned_reduce_algorithm=1")
	s = b.Pgmpi("which", b.Dir+"/a").Exits(t, 2)
	should.Contain(t, s.Stderr, "OMPI_MCA_coll_tuned_reduce_algorithm", "set it so again")
}

// MPI_Barrier has no guideline to check.
func TestWhichNeedsNoGuideline(t *testing.T) {
	t.Parallel()
	b := mpirun.New(t, mpirun.Libraries[1])
	should.Equal(t, len(which(b, "--functions", "MPI_Barrier").Rows), 1)
}

// The rows are from MPICH 4.0.2's csel.c for 4 processes; its messages agree where it sends by UCX. 4.2 has them as
// well, but calls Barrier's k_dissemination.
func TestWhichReadsTheTreeOfTheLibrary(t *testing.T) {
	t.Parallel()
	b := mpirun.New(t, mpirun.Libraries[1])
	got := map[string]string{}
	for _, r := range which(b, "--msizes", "8,1Mi", "--functions", "Bcast,Allreduce,Allgather,Barrier").Rows {
		got[fmt.Sprint(r.Collective, " ", r.Msize)] = strings.TrimSuffix(fmt.Sprint(r.Algorithms, r.By), " and messages")
	}
	for call, want := range map[string]string{
		"MPI_Bcast 8": "[binomial]tree", "MPI_Allreduce 8": "[recursive_doubling]tree", "MPI_Allreduce 1048576": "[reduce_scatter_allgather]tree",
		"MPI_Allgather 8": "[recursive_doubling]tree", "MPI_Allgather 1048576": "[ring]tree", "MPI_Barrier 0": "[dissemination]tree",
	} {
		should.Equal(t, strings.Replace(got[call], "k_", "", 1), want, call)
	}
}

// As in a check with the settings of a remedy.
func TestWhichTakesWhatASettingForces(t *testing.T) {
	t.Parallel()
	b := mpirun.New(t, mpirun.Libraries[1])
	b.Env = append(b.Env, "MPIR_CVAR_SCAN_INTRA_ALGORITHM=recursive_doubling")
	rows := which(b, "--functions", "MPI_Scan,MPI_Bcast", "--msizes", "8").Rows
	should.Equal(t, len(rows), 2)
	for _, r := range rows {
		should.Equal(t, r.By == fromSetting, r.Collective == "MPI_Scan", r.Collective, r.By)
		should.Equal(t, fmt.Sprint(r.Algorithms), map[string]string{"MPI_Scan": "[recursive_doubling]", "MPI_Bcast": "[binomial]"}[r.Collective])
	}
}
