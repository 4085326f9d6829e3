package host

import (
	"os"
	"reflect"
	"strings"
	"testing"

	"pgmpi/internal/remark"
	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

// The variables are from Slurm 22.05 (sbatch(1), OUTPUT ENVIRONMENT VARIABLES).
func TestJobOfABatchSystemIsReadWithoutItsOwner(t *testing.T) {
	for name, c := range map[string]struct {
		env  []string
		want *Job
	}{
		"none": {nil, nil},
		"Slurm with tasks": {[]string{"SLURM_JOB_ID=12", "SLURM_NTASKS=6", "SLURM_JOB_NUM_NODES=2", "SLURM_JOB_NODELIST=node[1-2]", "SLURM_JOB_PARTITION=main",
			"SLURM_JOB_CPUS_PER_NODE=4(x2)", "SLURM_TOPOLOGY_ADDR=s0.s4.node1", "SLURM_RESTART_COUNT=2", "SLURM_JOB_USER=me", "SLURM_JOB_ACCOUNT=mine"},
			&Job{Scheduler: "slurm", ID: "12", Partition: "main", Nodes: "node[1-2]", NodeCount: 2, Switch: "s0.s4", Restarts: 2, Slots: 6, NodeCPU: 4}},
		"Slurm without tasks": {[]string{"SLURM_JOB_ID=12", "SLURM_JOB_NUM_NODES=3", "SLURM_JOB_NODELIST=node[1-3]", "SLURM_JOB_CPUS_PER_NODE=4(x2),2"},
			&Job{Scheduler: "slurm", ID: "12", Nodes: "node[1-3]", NodeCount: 3, Slots: 10, NodeCPU: 4}},
		"damaged": {[]string{"SLURM_JOB_ID=12", "SLURM_NTASKS=many", "SLURM_JOB_CPUS_PER_NODE=4(x"}, &Job{Scheduler: "slurm", ID: "12"}},
	} {
		t.Run(name, func(t *testing.T) {
			for _, v := range os.Environ() {
				if name, _, _ := strings.Cut(v, "="); strings.HasPrefix(name, "SLURM_") {
					t.Setenv(name, "")
				}
			}
			for _, v := range c.env {
				name, value, _ := strings.Cut(v, "=")
				t.Setenv(name, value)
			}
			should.Equal(t, ReadJob(), c.want)
		})
	}
}

func TestPlaceCountsRanksAndNodes(t *testing.T) {
	for want, ranks := range map[string][]int{
		"": nil, "1x4": {4}, "2x2": {2, 2}, "3+2": {3, 2}, "2(x3)+1": {2, 2, 2, 1}, "1+2(x2)": {1, 2, 2},
	} {
		should.Equal(t, Place(ranks), want, "%v", ranks)
	}
}

// twoNodes are facts of a rank on each of two nodes with these variables.
func twoNodes(t *testing.T, first, second map[string]string) *Layout {
	t.Helper()
	var nodes []NodeFacts
	for i, env := range []map[string]string{first, second} {
		nodes = append(nodes, NodeFacts{Kind: NodeKind{Env: env, Library: "Open MPI v4.1.4"}, Node: Node{Host: []string{"a", "b"}[i]}})
	}
	l := must.Get(Merge([]RankFacts{{Host: "a", CPUs: Ranges{0}}, {Host: "b", CPUs: Ranges{0}}}, nodes))(t)
	return l
}

func TestVariablesOfPlacementMakeNoKindOfNode(t *testing.T) {
	l := twoNodes(t, map[string]string{"SLURM_CPU_BIND": "none", "UCX_TLS": "tcp"}, map[string]string{"SLURM_DISTRIBUTION": "block", "UCX_TLS": "tcp"})
	should.Hold(t, len(l.Kinds) == 1 && reflect.DeepEqual(l.Kinds[0].Env, map[string]string{"UCX_TLS": "tcp"}) && idsOf(l.differences()) == "",
		"%+v, %v", l.Kinds, l.differences())
	l = twoNodes(t, map[string]string{"SLURM_HINT": "nomultithread"}, map[string]string{"SLURM_HINT": "nomultithread"})
	should.Hold(t, l.Kinds[0].Env["SLURM_HINT"] != "", "a variable that all nodes have is lost")
	l = twoNodes(t, map[string]string{"UCX_TLS": "tcp"}, nil)
	should.Hold(t, idsOf(l.differences()) == "env-differs", "%v", l.differences())
}

func TestSettingsOfAnotherLibraryAreNoneOfThisOne(t *testing.T) {
	for library, names := range map[string]string{"Open MPI v4.1.4": "OMPI_MCA_coll=x", "MPICH 4.0.2": "MPIR_CVAR_X=x", "Intel(R) MPI Library 2021": "I_MPI_ADJUST=x"} {
		l := onOneNode(t, "0")
		l.Kinds[0].Library = library
		for _, name := range []string{"OMPI_MCA_coll", "I_MPI_ADJUST", "MV2_X"} {
			l.Kinds[0].Env = map[string]string{name: "x"}
			should.Equal(t, len(l.tuned()) > 0, name+"=x" == names, "%s with %s: %v", name, library, l.tuned())
		}
		l.Kinds[0].Env = map[string]string{"UCX_TLS": "tcp"}
		should.Hold(t, len(l.tuned()) == 1, "UCX_TLS with %s is not mentioned", library)
		l.Kinds[0].Env = map[string]string{"LD_LIBRARY_PATH": "/opt/mpi/lib"}
		should.Hold(t, len(l.tuned()) == 0, "where %s is found is mentioned", library)
		l.Kinds[0].Env = map[string]string{"MALLOC_ARENA_MAX": "1", "LD_PRELOAD": "/l.so"}
		should.Hold(t, len(l.tuned()) == 1, "another malloc with %s is not mentioned", library)
	}
}

func TestUnusedNodesAndMisplacedRanksAreMentioned(t *testing.T) {
	f := Factors{Job: &Job{Scheduler: "slurm", NodeCount: 2}}
	one := *onOneNode(t, "0", "1")
	one.Shape = "p2"
	f.Add(one)
	r := f.unused()
	should.Hold(t, idsOf(r) == string(remark.NodesUnused) && strings.Contains(r[0].Text, "1 node of the 2"), "%+v", r)
	two := *twoNodes(t, nil, nil)
	two.Shape = "2x1"
	f.Add(two)
	r = f.unused()
	should.Hold(t, len(r) == 0, "%+v", r)
	should.Equal(t, f.Place("p2")+" "+f.Place("2x1")+f.Place("p4"), "1x2 2x1", "places")
	two.Seen = 1
	var whole Layout
	for _, part := range two.Parts() {
		whole.Join(&part)
	}
	r = whole.Remarks()
	should.Hold(t, strings.Contains(idsOf(r), string(remark.UnseenNodes)) && strings.Contains(r[0].Text, "on 1 node, and they are on 2 hosts"), "%+v", r)
	if two.Shape = "1x2"; idsOf(two.misplaced()) != string(remark.Misplaced) || len(one.misplaced()) != 0 {
		t.Errorf("%v, %v", two.misplaced(), one.misplaced())
	}
}
