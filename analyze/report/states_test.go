package report

import (
	"strings"
	"testing"

	"pgmpi/analyze"
	"pgmpi/analyze/report/check"
	"pgmpi/analyze/selector"
	"pgmpi/guidelines"
	"pgmpi/measure/protocol"
	"pgmpi/measure/results"
	"pgmpi/testkit/documents"
	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

// stated is a folder of a machine that is slow in 8 of 20 mpiruns, in which Reduce at 64
// KiB takes three times as long as Allreduce; in the others it is as fast. In mpirun 3
// the machine changed its state.
func stated(t *testing.T) (*results.Manifest, []results.Run, *analyze.Analysis) {
	t.Helper()
	slow := func(run int) bool { return run%5 == 2 || run%5 == 4 }
	m, runs := measured([]guidelines.Shape{{NP: 2}}, []int64{1, 1024, 65536, 1 << 20}, few, 20, func(function string, size int64, run int) []protocol.Sample {
		ns := 10 * (1000 + 2*size)
		if slow(run) {
			ns = 2 * ns
			if function == "MPI_Reduce" && size == 65536 {
				ns = 3 * ns
			}
		}
		ns += int64(run*7%20) * ns / 1000
		return []protocol.Sample{{NS: ns}, {NS: ns + 1}, {NS: ns + 2}}
	})
	for i := range runs {
		line := 98.5
		if slow(i + 1) {
			line = 512.3
		}
		runs[i].Probes = []protocol.Probes{{LineNS: line}, {AtS: 1, LineNS: line + 4, MemcpyNS: 9123}, {AtS: 2, LineNS: line - 4}}
	}
	runs[2].Probes[2].LineNS = 480
	a := must.Get(analyze.Analyze(m, runs, config()))(t)
	return m, runs, a
}

func TestStatesOfTheMachineAndAnswersByStateAreSaid(t *testing.T) {
	m, runs, a := stated(t)
	out := strings.Join(strings.Fields(text(t, "table", a.Report)), " ")
	should.Contain(t, out,
		"States of the machine, p2: 2, told apart by cache-line round trip: state 1 in 12 mpiruns, state 2 in 8 (calls take 2.00× as long)",
		"State 2 cache-line round trip 512 ns; mpiruns 2, 4, 7, 9, 12, 14, 17, 19",
		"Within 1 mpirun the machine changed its state; such an mpirun is in the state of most of its readings, and left out of answers by state.",
		"kept in state 1 (11), violated in state 2 (8)",
	)
	selection := must.Get(selector.Select(&m.Plan, "GL8:64Ki"))(t)
	e := must.Get(a.Explain(selection.Tests[0], func(run int) (*results.Run, error) { return &runs[run-1], nil }))(t)
	documents.Golden(t, "explain-states.txt", documents.Written(t, "table", check.Explanations.Document(e)))
}

func TestStatesInWhichEveryAnswerIsTheSameAreSaidToo(t *testing.T) {
	_, _, a := stated(t)
	for i := range a.Report.Verdicts {
		a.Report.Verdicts[i].ByState = nil
	}
	should.Contain(t, strings.Join(strings.Fields(text(t, "table", a.Report)), " "), "no answer is shown to depend on them by the 18 of 18 tests with enough mpiruns in two states to tell")
}
