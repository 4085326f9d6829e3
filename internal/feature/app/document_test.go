package app

import (
	"os"
	"testing"

	"pgmpi/internal/feature/app/profile"
	"pgmpi/testkit/documents"
	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

func TestTheDocumentsOweNothing(t *testing.T) {
	documents.Check(t, func() map[string]documents.Example {
		return map[string]documents.Example{"profile": documents.Of(profiles, profiled()), "gain": documents.Of(gains, gained()),
			"apply": documents.Of(applications, replaced()), "try": documents.Of(tries, tried())}
	})
}

func TestABarrierBeforeEachCallIsSaidToChangeTheTimes(t *testing.T) {
	p := profiled()
	p.Sync, p.Calls[0].WaitingNS = true, 1e9
	d := profiles.Document(p)
	should.Contain(t, d.Sections[0].Text[1].Text, "10.0 % of the run-time is waiting for late ranks", "40.0 % the blocking collectives themselves. "+
		"A barrier before each (--sync) tells them apart, and changes the program's times.")
	should.Equal(t, d.Sections[1].Table.Rows[0][7], "10.0 %")
}

func TestAProfileSaysWhereNothingIsWorthACheck(t *testing.T) {
	p := profiled()
	p.Calls, p.Messages = p.Calls[1:2], p.Messages[1:2]
	d := profiles.Document(p)
	should.Equal(t, d.Sections[0].Text[1].Text, "solver on 2 ranks, Open MPI v4.1.4.", "no word of waiting where no time is")
	should.Equal(t, d.Sections[0].Text[2].Text, "No call that a check measures takes 0.1 % of the run-time: faster collectives and messages would spare at most 1.0 %.")
}

func TestAScreenLeavesOutFindingsThatTakeNoTime(t *testing.T) {
	g := gained()
	g.Findings[2].RuntimeS = .001
	should.Equal(t, len(gainFindings(g, leastTold)), 1)
	should.Equal(t, len(gainFindings(g, 0)), 2)
}

func TestTheProgramsOutputIsNotAmongTheJSON(t *testing.T) {
	should.Equal(t, beside(must.Get(profiles.Format("table"))(t)), os.Stdout)
	should.Equal(t, beside(must.Get(profiles.Format("json"))(t)), os.Stderr)
}

func profiled() *profile.Profile {
	return &profile.Profile{Schema: profile.Schema, Program: "solver", Library: "Open MPI v4.1.4, package: Debian", Host: "vm", Processes: 2, Ranks: 2, WallNS: 5e9, LostCalls: 3, LostNS: 1000,
		MallocMmap: "1000000000", Functions: []profile.Function{
			{Name: "MPI_Init", Calls: 2, SumNS: 3e8}, {Name: "MPI_Send", Calls: 100, SumNS: 8e8}, {Name: "MPI_Recv", Calls: 100, SumNS: 4e8},
			{Name: "MPI_Waitall", Calls: 20, SumNS: 1e7}, {Name: "MPI_Comm_split", Calls: 2, SumNS: 1e6},
		}, Messages: []profile.Message{
			{Function: "MPI_Send", Bytes: 4096, Pair: profile.OnNode, Calls: 80, SumNS: 7e8}, {Function: "MPI_Send", Bytes: 0, Calls: 20, SumNS: 1e8},
			{Function: "MPI_Waitall", Bytes: 512, Pair: profile.BetweenNodes, Calls: 20, SumNS: 1e7},
		}, Sites: []profile.Site{
			{Function: "MPI_Scan", Bytes: 65536, Module: "/home/me/solver", Offset: 4660, Where: "prefix at solver.c:42", Calls: 2000, SumNS: 4e9}, {Function: "MPI_Send", Module: "/home/me/solver", Offset: 4711, Where: "solver+0x1267", Calls: 100, SumNS: 8e8},
		}, Calls: []profile.Call{
			{Function: "MPI_Scan", Bytes: 65536, Processes: 2, Communicator: "world", Datatype: "MPI_DOUBLE", Op: "MPI_SUM", Calls: 2000, Ranks: 2, SumNS: 4e9, LeastRankNS: 1.5e9, MostRankNS: 2.5e9, LeastCallNS: 9e5, Sampled: 250, Faults: 4000},
			{Function: "MPI_Alltoallv", Bytes: 1024, Processes: 1, Communicator: "inter", Datatype: "derived with holes", Uneven: true, Calls: 10, Ranks: 1, SumNS: 1e6, LeastRankNS: 1e6, MostRankNS: 1e6, LeastCallNS: 9e4},
			{Function: "MPI_Iallreduce", Bytes: 8, Processes: 2, Communicator: "world", Datatype: "MPI_DOUBLE", Op: "MPI_SUM", Calls: 20, Ranks: 2, SumNS: 5e5, LeastRankNS: 1e5, MostRankNS: 4e5, LeastCallNS: 9e3},
		}}
}

func gained() *GainResult {
	return &GainResult{Schema: GainSchema, Check: "c", Profile: "app.prof", Program: "solver", Library: "Open MPI v4.1.4", WallS: 5, CollectiveS: 2, WaitingS: .25, CoveredS: 1.9, NeedsS: .6004, RestS: 1.2996, AtMostS: .01,
		Setting: Saved{.5, .4, .6}, Mockup: Saved{.1, .05, .2}, Notes: []string{"a note"},
		Calls: []GainCall{
			{Function: "MPI_Scan", Bytes: 65536, Processes: 2, Communicator: "world", Datatype: "MPI_DOUBLE", Op: "MPI_SUM", Calls: 1000, RuntimeS: 1.8, NeedsS: number(.6)},
			{Function: "MPI_Bcast", Bytes: 8, Processes: 1, Communicator: "inter", Datatype: "MPI_BYTE", Calls: 10, RuntimeS: .1, NeedsS: number(.0004)},
			{Function: "MPI_Alltoallv", Bytes: 1024, Uneven: true, Processes: 2, Communicator: "part", Datatype: "MPI_BYTE", Calls: 10, RuntimeS: .1},
		},
		Findings: []GainFinding{
			{Function: "MPI_Scan", Bytes: 65536, Processes: 2, Calls: 1000, RuntimeS: 2, Msize: 65536, By: "linear", Ratio: 1.5, RatioLo: 1.4, RatioHi: 1.6, Saved: Saved{.5, .4, .6}},
			{Function: "MPI_Gather", Bytes: 8, Processes: 2, Calls: 10, RuntimeS: .2, Msize: 8, By: "gather_as_allgather", Mockup: "gather_as_allgather", Ratio: 2, RatioLo: 1.5, RatioHi: 3, Saved: Saved{.1, .05, .2}},
			{Function: "MPI_Reduce", Bytes: 8, Processes: 2, Calls: 10, RuntimeS: .1, Msize: 8, By: "reduce_as_allreduce", Mockup: "reduce_as_allreduce", Ratio: 2, RatioLo: 1.5, RatioHi: 3, Why: "the check reduced double by sum"},
		},
		MessagesS: .5, MessagesNeedS: .05, OtherS: .4, Other: "RMA", OtherMostS: .3, Messages: []GainMessages{{From: 4096, To: 32768, RuntimeS: .4, AtMostS: .2, By: "OMPI_MCA_btl_vader_eager_limit=32768"}},
		Trades: []GainTrade{{What: "malloc's variables", Folder: "c/remedy/trade-1", Saved: Saved{.15, .1, .2}, Faster: 2, Slower: 1}},
		AB:     &ProgramAB{WithoutS: []float64{5, 5}, WithS: []float64{4, 4.5}, Ratio: 1.1, RatioLo: 1.05, RatioHi: 1.2}}
}

func replaced() *ApplyResult {
	return &ApplyResult{Schema: ApplySchema, Check: "c", Profile: "app.prof", Program: "solver", Folder: "/c/apply", WallS: 5, Predicted: Saved{.1, .05, .2}, AB: gained().AB, Legal: 35,
		Rules: []AppliedRule{{Function: "MPI_Scan", Processes: 2, From: 65536, To: 65536, Mockup: "scan_as_exscan+reduce_local", Types: "all", Hits: 4000}}}
}
