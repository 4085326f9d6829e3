package table

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgmpi/analyze/chosen"
	"pgmpi/guidelines"
	"pgmpi/internal/tuning"
	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

func callOf(function string, np int, block int64) tuning.Call {
	return tuning.Call{Function: "MPI_" + function, NP: np, Block: block, Elements: block / 4}
}

// The rows are lines of coll_tuned_decision_fixed.c of Open MPI 4.1.6, on both sides of limits.
func TestOpenMPIsTableIsThatOfItsDecisionFunctions(t *testing.T) {
	for _, c := range []struct {
		call tuning.Call
		want string
	}{
		{callOf("Allreduce", 63, 124), "segmented_ring"},
		{callOf("Allreduce", 63, 128), "rabenseifner"},
		{callOf("Allreduce", 64, 262140), "recursive_doubling"},
		{callOf("Allreduce", 5000, 20000), "recursive_doubling"},
		{callOf("Bcast", 1024, 524284), "knomial"},
		{callOf("Bcast", 1024, 524288), "scatter_allgather"},
		{callOf("Reduce", 2048, 8), "binomial"},
		{callOf("Reduce", 300, 8192), "in-order_binary"},
		{callOf("Reduce_scatter", 64, 4), "recursive_halving"}, // 256 bytes of all
		{callOf("Reduce_scatter_block", 64, 65536), "basic_linear"},
		{callOf("Allgather", 2, 1<<20), "two_proc"},
		{callOf("Gather", 4, 1024), "basic_linear"},
		{callOf("Scatter", 100, 512), "linear_nb"},
		{callOf("Alltoall", 2, 2), "two_proc"},
		{callOf("Scan", 7, 8), "linear"},
	} {
		should.Equal(t, must.Get(OpenMPI().algorithm(c.call))(t), c.want, "%s on %d, %d bytes", c.call.Function, c.call.NP, c.call.Block)
	}
}

// Every formula uses names that are known, and no result is negative.
func TestEveryAlgorithmHasACost(t *testing.T) {
	for _, r := range rows {
		for _, collective := range r.collectives {
			for _, name := range r.names {
				for _, np := range []int{2, 3, 4, 7, 64, 100} {
					for _, block := range []int64{0, 4, 1 << 20} {
						w := must.Get(OpenMPI().work(callOf(collective, np, block), name))(t)
						for _, x := range w {
							should.Hold(t, x >= 0 && !math.IsInf(x, 0), "%s by %s on %d, %d bytes: %v", collective, name, np, block, w)
						}
					}
				}
			}
		}
	}
	should.Hold(t, math.IsNaN(value(rows[1].work[0], nil)), "an unknown name has a value")
}

func TestCostsAreThoseOfThePapers(t *testing.T) {
	for _, c := range []struct {
		call      tuning.Call
		algorithm string
		want      work
	}{
		{callOf("Bcast", 8, 1000), "binomial", work{3, 0, 3000}},
		{callOf("Bcast", 16, 1000), "knomial", work{2, 4, 6000}},
		{callOf("Bcast", 9, 4096), "pipeline+1Ki", work{11, 0, 11 * 1024}},
		{callOf("Bcast", 9, 4096), "chain+1Ki+fan2", work{7, 1, 7*1024 + 4096}},
		{callOf("Bcast", 8, 800), "scatter_allgather_ring", work{10, 0, 1400}},
		{callOf("Bcast", 8, 16), "scatter_allgather_ring", work{1, 6, 112}}, // 4 elements
		{callOf("Allreduce", 8, 800), "rabenseifner", work{6, 0, 1400, 700}},
		{callOf("Allreduce", 6, 600), "recursive_doubling", work{5, 0, 3000, 2400}},
		{callOf("Allreduce", 8, 16), "rabenseifner", work{2, 12, 224, 112}},
		{callOf("Allgather", 8, 100), "ring", work{7, 0, 700}},
		{callOf("Allgather", 8, 100), "neighbor", work{4, 0, 700}},
		{callOf("Allgather", 7, 100), "neighbor", work{6, 0, 600}},
		{callOf("Alltoall", 8, 100), "modified_bruck", work{3, 0, 1200, 0, 2000}},
		{callOf("Scatter", 8, 100), "linear", work{1, 6, 700}},
		{callOf("Scatter", 8, 100000), "linear", work{7, 0, 700000}},
		{callOf("Reduce_scatter", 8, 100), "recursive_halving", work{3, 0, 700, 700, 800}},
		// Reduce and Scatterv take the algorithms of the table.
		{callOf("Reduce_scatter", 8, 100), "non-overlapping", work{3 + 1, 3 - 0 + 6, 3*2*800 + 700, 3 * 2 * 800}},
	} {
		should.Equal(t, must.Get(OpenMPI().work(c.call, c.algorithm))(t), c.want, "%s by %s on %d", c.call.Function, c.algorithm, c.call.NP)
	}
}

func TestATableThatCannotBeReadIsNamedWithItsLine(t *testing.T) {
	for text, want := range map[string]string{
		"MPI_Bcast\n  <4 binomial":                   "",
		"bcast_as_allreduce":                         "x:1: not the name of a collective",
		"MPI_Bcast\n  <4":                            "x:2: not \"<PROCESSES",
		"  * binomial":                               "x:1: not \"<PROCESSES",
		"MPI_Bcast\n  4 binomial":                    `x:2: "4" is no limit`,
		"MPI_Bcast\n  * binomial <0 chain":           `x:2: "<0" is no limit`,
		"MPI_Bcast\n  * binomail":                    `x:2: no cost is known of MPI_Bcast by "binomail"`,
		"# nothing":                                  "x: no table of algorithms",
		`{"schema": "pgmpi-report/1"}`:               "x is not what `pgmpi which",
		`{"schema": "pgmpi-which/1", "rows": "one"}`: "x is not what `pgmpi which",
	} {
		_, err := Read("x", []byte(text))
		should.Hold(t, (err == nil) == (want == "") && strings.HasPrefix(fmt.Sprint(err), want) || want == "" && err == nil, "%q: %v", text, err)
	}
}

func TestBetweenTwoSizesThatWereAskedBothHaveTheAlgorithm(t *testing.T) {
	w := &chosen.Which{Rows: []chosen.WhichRow{
		{Collective: "MPI_Bcast", Shape: "p8", Msize: 8, Algorithms: []string{"binomial", "chain"}},
		{Collective: "MPI_Bcast", Shape: "4x2", Msize: 64, Algorithms: []string{"binomial"}},
		{Collective: "MPI_Bcast", Shape: "p8", Msize: 512, Algorithms: []string{"pipeline+1Ki"}},
		{Collective: "MPI_Bcast", Shape: "p8", Msize: 4096},
	}}
	table := asked{w}.table("x")
	for size, want := range map[int64]string{8: "binomial", 10: "binomial", 64: "binomial", 100: "", 512: "pipeline+1Ki", 1024: "", 4: ""} {
		name, err := table.algorithm(callOf("Bcast", 8, size))
		should.Hold(t, name == want && (err == nil) == (want != ""), "%d bytes: %q, %v", size, name, err)
	}
	_, err := table.algorithm(callOf("Bcast", 16, 8))
	should.Hold(t, err != nil, "another number of processes has an algorithm")
	should.Equal(t, table.own("MPI_Bcast"), []string{"binomial", "chain", "binomial", "pipeline+1Ki"})
}

func TestMPICHsTreeIsATable(t *testing.T) {
	tree := &tuning.Tree{Text: []byte(`{"collective=bcast": {"comm_size<8": {"algorithm=MPIR_Bcast_intra_binomial": {}}, "comm_size=any": {"algorithm=MPIR_Bcast_intra_scatter_ring_allgather": {}}}}`),
		Algorithms: []string{"MPIR_Bcast_intra_binomial", "MPIR_Bcast_intra_scatter_ring_allgather", "MPIR_Gather_intra_binomial"}}
	table := must.Get(MPICH(tree))(t)
	should.Equal(t, must.Get(table.algorithm(callOf("Bcast", 4, 8)))(t), "binomial")
	should.Equal(t, must.Get(table.algorithm(callOf("Bcast", 64, 8)))(t), "scatter_ring_allgather")
	should.Equal(t, table.own("MPI_Bcast"), []string{"binomial", "scatter_ring_allgather"})
}

var prices = Model{2e-6, 2e-7, 7e-11, 1.5e-10, 1.5e-10}

func planOf(t *testing.T, ids []string, np int, msizes ...string) *guidelines.Plan {
	t.Helper()
	return must.Get(guidelines.Build(guidelines.Settings{Check: guidelines.Config{Guidelines: ids}, Msizes: msizes, Datatype: "int", Op: "sum", Shapes: []guidelines.Shape{{NP: np}}}))(t)
}

func TestACallIsSuspectedWhereItsAlgorithmCostsMore(t *testing.T) {
	l := New(OpenMPI(), prices, planOf(t, []string{"GL8", "GL12"}, 64, "8", "1Mi"), false)
	var got []string
	for _, r := range l.Rows {
		if r.Function == "MPI_Reduce" {
			got = append(got, fmt.Sprintf("%s %d %s %s %v", r.Guideline, r.Msize, r.Algorithm, r.Mockup, r.Suspected))
		}
	}
	should.Equal(t, got, []string{"GL8 8 binomial reduce_as_allreduce false", "GL8 1048576 binomial reduce_as_allreduce true",
		"own 8 binomial MPI_Reduce@in-order_binary false", "own 1048576 binomial MPI_Reduce@rabenseifner true"})
	should.Equal(t, l.Unfit, []string{"GL12"})
	worst := l.Suspected()[0]
	should.Equal(t, worst.Ratio, worst.Seconds/worst.OtherS)
	all := New(OpenMPI(), prices, planOf(t, []string{"GL8", "GL12"}, 64, "8", "1Mi"), true)
	should.Hold(t, slices.ContainsFunc(all.Rows, func(r Row) bool { return r.Guideline == "GL12" }), "GL12 is not there though all were asked for")
}

// 128 KiB hold 32768 ints.
func TestFewerElementsThanProcessesMakeAllreduceLinear(t *testing.T) {
	l := New(OpenMPI(), prices, planOf(t, []string{"GL12:MPI_Allreduce"}, 65536, "128Ki", "512Ki"), false)
	should.Equal(t, len(l.Rows), 2)
	should.Hold(t, l.Rows[0].Ratio > 1000 && !l.Rows[1].Suspected, "%+v", l.Rows)
}

func TestASplitIsAgainstTheWorstOfTheSmallerSizes(t *testing.T) {
	steps := must.Get(Read("x", []byte("MPI_Bcast\n * binomial <64 basic_linear")))(t)
	l := New(steps, prices, planOf(t, []string{"GL2:MPI_Bcast"}, 64, "8", "32", "64"), true)
	r := l.Rows[len(l.Rows)-1-3] // of 64 bytes; own rows follow
	should.Equal(t, [4]int64{r.Msize, r.Other, int64(r.K), int64(len(l.Left))}, [4]int64{64, 32, 2, 0})
}

func TestWhatHasNoTimeIsLeftOutWithAReason(t *testing.T) {
	l := New(OpenMPI(), prices, planOf(t, []string{"GL16", "GL5"}, 65536, "1Mi"), true)
	should.Equal(t, l.Left, []string{"GL5: sizes at which buffers take more than 8 GiB on a process", "GL16: sizes at which scan_as_exscan+reduce_local is no sum of calls with equal blocks",
		"own: sizes at which buffers take more than 8 GiB on a process"})
}
