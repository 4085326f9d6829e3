package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgmpi/guidelines"
	"pgmpi/measure/protocol"
	"pgmpi/mockups"
	"pgmpi/testkit/mpirun"
	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

// Every collective and every mock-up is compared with its definition for one to four processes, in `make test-all`
// to eight, at counts that p divides and does not, at 1, and with one and two at 0. It is not the full product: each p up
// to 4 meets byte, int, float, double and every kind of root with one library or the other, and of 3 and 4 processes, which
// share cores, each function meets two of these datatypes on 3 and the others on 4; in `make test-all` p = 3 has both
// libraries, p = 2 meets the other datatypes, each above one of the eight, and p = 5, 7 and 8 one library each. Operators
// alternate over p, and p = 2 meets them all with one library or the other, the second and later ones of a datatype
// in the functions that reduce. The result of an operator does not depend on p, nor the effect of a root on the
// operator.
func TestEveryFunctionGivesTheRightData(t *testing.T) {
	bothAtOnce(t, func(t *testing.T, b *fixture) {
		for np := 1; np <= mostRanks(8); np++ {
			if np > 4 && np != 6 && !b.has(np/2) {
				continue
			}
			for i, d := range mockups.Datatypes()[1:] { // auto stands for two of them
				if np > 4 && i != np-1 || np <= 4 && (np != 2 || !mpirun.Everything) && isOther(d) {
					continue
				}
				which := every
				if np > 2 && !mpirun.Everything {
					which = everySecond(np + i/5) // a library has byte and double, or int and float: places 0 and 6, 1 and 5
				}
				for k, op := range d.Ops {
					turn := k == np%len(d.Ops)
					both := np > 4 || np == 3 && mpirun.Everything
					if turn && (both || b.has(i)) || !turn && np == 2 && b.has(i+k) {
						b.verify(np, d, op, roots(np)[(i+k)%3], turn, which)
					}
				}
			}
		}
	})
}

func every(mockups.Function) bool { return true }

// everySecond chooses half of the functions: every second one of the table, beginning with its first or its second.
func everySecond(number int) func(mockups.Function) bool {
	half := map[string]bool{}
	for i, f := range mockups.All() {
		half[f.ID] = (i+number)%2 == 0
	}
	return func(f mockups.Function) bool { return half[f.ID] }
}

// isOther tells whether a datatype is met on two processes alone: it makes no difference to the messages.
func isOther(d mockups.Datatype) bool {
	return slices.Contains([]string{"unsigned", "int64", "uint64", "2int", "double_complex"}, d.Name)
}

// roots returns the first, a middle and the last rank.
func roots(np int) [3]int { return [3]int{0, np / 2, np - 1} }

// matmul2 is the operator of measure/rank/native/matmul2.c, which does not commute.
const matmul2 = "matmul2"

// Every function that reduces keeps the order of the ranks. That holds also where the root is not the first, and
// where p is no power of two. At p = 3, 4 and 7 the two libraries together meet every root, in `make test-all` one of
// them twice; p = 5, 6 and 8 are one library's. Beyond 4: `make test-all`.
func TestOperatorThatDoesNotCommuteKeepsTheOrderOfTheRanks(t *testing.T) {
	bothAtOnce(t, func(t *testing.T, b *fixture) {
		b.useRank("pgmpi-rank-injected-" + b.Lib.Name) // no clock is in the data
		d, _ := mockups.GetDatatype("int")
		for np := 2; np <= mostRanks(8); np++ {
			for i, root := range roots(np) {
				many := np == 3 || np == 4 || np == 7
				if i == np%3 && (many && mpirun.Everything || np == 2 || !many && b.has(np/2)) || many && b.has(i+np) {
					b.verify(np, d, matmul2, root, false, every)
				}
			}
		}
	})
}

// A mock-up that combines in the wrong order passes with every predefined operator; only one that does not commute
// shows it.
func TestWrongOrderIsSeenWithAnOperatorThatDoesNotCommute(t *testing.T) {
	t.Parallel()
	b := newFixture(t, mpirun.Libraries[0])
	b.useRank("pgmpi-rank-wrong-openmpi")
	d, _ := mockups.GetDatatype("int")
	for op, want := range map[string]protocol.Status{"sum": protocol.StatusOK, matmul2: protocol.StatusWrong} {
		j := verifyJob(3, d, op, 0, false)
		keep(j, func(f mockups.Function) bool { return f.ID == "scan_as_exscan+reduce_local" })
		out := must.Get(b.RunJob(3, j))(t)
		for _, c := range out.Cases {
			msize := j.Cases[c.Case].Msize
			should.Hold(t, msize <= 0 || c.Status == want,
				"%s: own block before the prefix is %s at %d bytes, want %s", op, c.Status, msize, want)
		}
	}
}

// Only the last rank wants an element more than the table gives: none may wait for it.
func TestMockupThatTakesMoreThanItsTempIsNotMeasured(t *testing.T) {
	t.Parallel()
	b := newFixture(t, mpirun.Libraries[0])
	b.useRank("pgmpi-rank-wrong-openmpi")
	d, _ := mockups.GetDatatype("int")
	j := verifyJob(3, d, "sum", 0, true)
	keep(j, func(f mockups.Function) bool { return f.ID == "MPI_Bcast" || f.Of == "MPI_Bcast" })
	j.FirstCalls = 1
	out := must.Get(b.RunJob(3, j))(t)
	const greedy = "bcast_as_scatter+allgather"
	for _, c := range out.Cases {
		id := j.Cases[c.Case].Function
		if f, _ := mockups.Get(id); f.Over != "" {
			continue // 3 ranks cannot be divided among nodes
		}
		should.Equal(t, c.Status == protocol.StatusNotMeasured, id == greedy, "%s is %s: %s", id, c.Status, c.Message)
		want := "rank 2 of 3: the table in mockups.go gives " + greedy + " too little Temp"
		should.Hold(t, id != greedy || c.Message == want, "message %q, want %q", c.Message, want)
	}
}

// useRank replaces the rank program by another of the built ones.
func (b *fixture) useRank(name string) {
	b.T.Helper()
	must.Do(b.T, errors.Join(os.Remove(b.Rank), os.Symlink(filepath.Join(b.Bin, name), b.Rank)))
}

// measureJob makes a job that measures no case yet.
func measureJob(np int, datatype, op string) *protocol.Job {
	return &protocol.Job{NP: np, StallNS: int64(mpirun.Stall), CallsJob: &protocol.CallsJob{Measure: &protocol.MeasureJob{}, Datatype: datatype, Op: op,
		Sync: "barrier", Clock: "monotonic", ClockSync: "shared", TempMemory: 64 << 20}}
}

// verifyJob verifies every function, or those that reduce, at these counts of elements. By default there are more of
// them where no other job has these functions, and where the ranks share no cores; in `make test-all` all. Every p
// up to 8 divides 840, and none but 1 divides 841: of the two, 3 has the one and 4 the other.
func verifyJob(np int, d mockups.Datatype, op string, root int, all bool, counts ...int64) *protocol.Job {
	j := measureJob(np, d.Name, op)
	j.Root, j.Verify = root, true
	switch {
	case len(counts) > 0:
	case all && np <= 2 || mpirun.Everything:
		counts = []int64{0, 1, 7, 840, 841}
	case np == 3:
		counts = []int64{1, 841}
	case np == 4:
		counts = []int64{1, 840}
	default:
		counts = []int64{1, 840, 841}
	}
	for _, f := range mockups.All() {
		for _, count := range counts {
			if !all && !f.Reduces || !f.HasData() && count > 0 {
				continue
			}
			j.Order = append(j.Order, len(j.Cases))
			j.Cases = append(j.Cases, protocol.JobCase{Function: f.ID, Msize: count * guidelines.Extent(d.Name, f.ID), NRep: 1})
		}
	}
	return j
}

// keep drops the cases of other functions from a job that has each case once.
func keep(j *protocol.Job, wanted func(mockups.Function) bool) {
	j.Cases = slices.DeleteFunc(j.Cases, func(c protocol.JobCase) bool {
		f, _ := mockups.Get(c.Function)
		return !wanted(f)
	})
	j.Order = j.Order[:len(j.Cases)]
}

// takesForSigned tells whether a function compares unsigned numbers as signed ones: MPICH 4.0.2 does
// (pmodels/mpich, issue 6083). Exscan on two processes compares none.
func (b *fixture) takesForSigned(f mockups.Function, np int, datatype, op string) bool {
	exscan := f.ID == "MPI_Exscan" || f.Of == "MPI_Exscan"
	return f.Reduces && (datatype == "unsigned" || datatype == "uint64") && (op == "min" || op == "max") && (np > 2 || !exscan) && b.isMPICH402()
}

// divided returns how many ranks of a node leave several nodes, or 0.
func (b *fixture) divided(np int) int {
	return map[int]int{4: 2, 6: 2 + b.LibraryIndex(), 8: 4}[np]
}

// verify runs one mpirun that verifies all functions, or those that reduce, that which chooses. The ranks are told that they are on
// several nodes, where as many can be on each; elsewhere, functions that divide their work among nodes are not
// measured.
func (b *fixture) verify(np int, d mockups.Datatype, op string, root int, all bool, which func(mockups.Function) bool) {
	b.T.Helper()
	j := verifyJob(np, d, op, root, all)
	keep(j, which)
	what := fmt.Sprintf("p = %d, %s, %s, root %d", np, d.Name, op, root)
	of := b.divided(np)
	out, err := b.with(fmt.Sprint("nodes-of-", max(of, 2))).RunJob(np, j)
	if err != nil {
		b.T.Errorf("%s: %v", what, err)
		return
	}
	for _, c := range out.Cases {
		id, want := j.Cases[c.Case].Function, protocol.StatusOK
		f, _ := mockups.Get(id)
		if f.Over != "" && of == 0 || f.Commuting && op == matmul2 || (f.Message || f.Fewer != "") && np == 1 {
			want = protocol.StatusNotMeasured
		}
		if size := j.Cases[c.Case].Msize; want == protocol.StatusOK && size > 0 && b.takesForSigned(f, np, d.Name, op) {
			if want = protocol.StatusWrong; size == d.Bytes {
				continue // with one element the order may be the same
			}
		}
		if c.Status != want {
			b.T.Errorf("%s: %s at %d bytes is %s: %s", what, id, j.Cases[c.Case].Msize, c.Status, c.Message)
		}
	}
}

// A mock-up that divides its work among nodes says why it cannot. Wrong collectives have no say in that.
func TestMockupOnNodesSaysWhyItIsNotMeasured(t *testing.T) {
	t.Parallel()
	b := newFixture(t, mpirun.Libraries[0])
	for _, c := range []struct {
		np          int
		nodes, want string
	}{
		{2, "", "all 2 ranks on one node"},
		{3, "nodes-of-1", "one rank on each of 3 nodes"},
		{3, "nodes-of-2", "1 to 2 ranks on a node"},
		{4, "nodes-dealt", "do not have numbers in a row"},
		{4, "nodes-of-2", ""},
	} {
		j := measureJob(c.np, "int", "sum")
		j.Order, j.Cases = []int{0, 1}, []protocol.JobCase{{Function: "scatter_as_lane", NRep: 1}, {Function: "MPI_Scatter", NRep: 1}}
		out, err := b.with(c.nodes+",spoiled-MPI_Allreduce,spoiled-MPI_Bcast").RunJob(c.np, j)
		if err != nil {
			t.Errorf("%s: %v", c.nodes, err)
			continue
		}
		lane, call := out.Cases[0], out.Cases[1]
		should.Hold(t, (lane.Status == protocol.StatusNotMeasured) == (c.want != "") && strings.Contains(lane.Message, c.want) && call.Status == protocol.StatusOK,
			"p = %d, %s: the mock-up is %s: %s, want %q; the call is %s", c.np, c.nodes, lane.Status, lane.Message, c.want, call.Status)
	}
}

// A shape whose nodes the library does not see is refused.
func TestShapeThatTheLibraryDoesNotSeeIsRefused(t *testing.T) {
	t.Parallel()
	b := newFixture(t, mpirun.Libraries[0])
	j := measureJob(2, "int", "sum")
	j.Order, j.Cases, j.Place, j.Nodes = []int{0}, []protocol.JobCase{{Function: "MPI_Bcast", NRep: 1}}, "1x2", 1
	_, err := b.RunJob(2, j)
	must.Do(t, err)
	_, err = b.with("nodes-of-1").RunJob(2, j)
	should.Hold(t, err != nil && strings.Contains(err.Error(), "the library has the ranks on 2 nodes, and their hosts are 1"), "%v", err)
}
