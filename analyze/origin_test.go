package analyze

import (
	"slices"
	"testing"

	"pgmpi/analyze/judge"
	"pgmpi/analyze/medians"
	"pgmpi/measure/host"
	"pgmpi/measure/protocol"
	"pgmpi/measure/results"
	"pgmpi/testkit/fixture"
	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

func TestAReportSaysWhereItIsFrom(t *testing.T) {
	m := fixture.Manifest()
	m.Created, m.TOML, m.Label, m.Rank.Hash = "2026-01-02T03:00:00Z", "abc", map[string]string{"commit": "4f3c2a1"}, "0123456789abcdef"
	m.Factors = host.Factors{Hostname: "login", Kernel: "5.15", Layouts: []host.Layout{
		{Shape: "p2", Kinds: []host.NodeKind{{Kernel: "6.1"}, {Kernel: "6.2"}}, Pinnings: [][]host.Pin{nil}, Nodes: []host.Node{{Host: "n1"}, {Host: "n2", Kind: 1}}},
		{Shape: "p2", Kinds: []host.NodeKind{{Kernel: "6.1"}}, Pinnings: [][]host.Pin{nil}, Nodes: []host.Node{{Host: "n1"}, {Host: "n3"}}}}}
	runs := fixture.Measured(m, fixture.Quiet...)
	for i := range runs {
		runs[i].FinishedAt = "2026-01-02T03:10:00Z"
	}
	runs[3].FinishedAt = "2026-01-02T03:30:00Z"
	runs[4].FinishedAt = "no time"
	r := analyzed(t, m, runs, judge.Default())
	should.Hold(t, r.Created == m.Created && r.Finished == "2026-01-02T03:30:00Z" && r.WallClockS == 1800 && r.Host == "login" && slices.Equal(r.Nodes, []string{"n1", "n2", "n3"}) && r.Kernel == "6.1, 6.2" && r.Label["commit"] == "4f3c2a1" && r.RankHash == m.Rank.Hash,
		"%+v", r.Origin)
	// printf abc | sha256sum
	should.Equal(t, r.GLTomlHash, "ba7816bf8f01cfea")
	old := fixture.Manifest()
	old.Factors.Kernel = "5.15"
	o := analyzed(t, old, fixture.Measured(old, fixture.Quiet...), judge.Default()).Origin
	should.Hold(t, o.Kernel == "5.15" && o.Finished == "" && o.WallClockS == 0 && o.GLTomlHash == "" && o.Label == nil, "an older folder: %+v", o)
}

func TestTheProbesOfAReportIsThatOfTheMedianMpirun(t *testing.T) {
	m := fixture.Manifest()
	runs := fixture.Measured(m, fixture.Quiet...)
	if r := analyzed(t, m, runs, judge.Default()); r.Probes != nil {
		t.Errorf("not read: %+v", r.Probes)
	}
	for i := range runs {
		runs[i].Probes = []protocol.Probes{{LineNS: 100 + float64(i), MemcpyNS: 9000}}
	}
	r := analyzed(t, m, runs, judge.Default())
	should.Hold(t, len(r.Probes) == 1 && r.Probes[0].Shape == "p2" && r.Probes[0].LineNS == 105 && r.Probes[0].MemcpyNS == 9000, "%+v", r.Probes)
}

func TestRunMediansHaveARowForEveryMpirunThatHadTheCase(t *testing.T) {
	m := fixture.Manifest()
	m.Planned(protocol.ModeSplit, &results.FollowUps{R: 2, Comparisons: []results.Comparison{{Test: 1, Case: 1, Part: 0, Calls: 8}}})
	runs := fixture.Measured(m, fixture.Quiet...)
	runs[1].Samples[0] = nil // not there, as after an interim look
	runs[2].Samples[0] = []protocol.Sample{{NS: 100}, {NS: 101}, {NS: 102}, {NS: 103}, {NS: 99}, {NS: 100}, {NS: 100000}, {NS: 5, Flags: protocol.FlagLate}}
	for k := range runs[3].Samples[0] {
		runs[3].Samples[0][k].Flags = protocol.FlagLate
	}
	for i := range runs {
		runs[i].FinishedAt = "2026-01-02T03:10:00Z"
	}
	runs = append(runs, followed(m, 5000, 700)...)
	a := must.Get(Analyze(m, runs, judge.Default()))(t)
	all := a.RunMedians()
	rows := 0
	for _, k := range all {
		rows += len(k.Runs)
	}
	want := 6*fixture.R - 1 + 2*2
	must.Hold(t, rows == want, "%d run medians, want %d", rows, want)
	k := all[0]
	k.Runs[1].Usage = medians.Usage{} // not counted
	should.Hold(t, k.Function == "MPI_Reduce" && k.MockupOf == "" && k.Calls == 1 && k.Mode == protocol.ModeMeasure && k.NP == 2 && k.Runs[1] == (medians.RunMedian{Run: 3, NS: 100.5, Samples: 7, Outliers: 1, Invalid: 1, FinishedAt: "2026-01-02T03:10:00Z"}),
		"%+v", k)
	r := k.Runs[2]
	should.Hold(t, r.Seconds() == nil && r.Samples == 0 && r.Invalid == 4, "all out of sync: %+v", r)
	if k := all[2]; k.Function != "reduce_as_allreduce" || k.MockupOf != "MPI_Reduce" {
		t.Errorf("%+v", k)
	}
	call, part := all[len(all)-2], all[len(all)-1]
	should.Hold(t, call.Mode == protocol.ModeSplit && call.Msize == 64 && call.Calls == 1 && part.Mode == protocol.ModeSplit && part.Msize == 8 && part.Calls == 8 && len(part.Runs) == 2,
		"split: %+v, %+v", call, part)
	should.Equal(t, len(a.Report.Measured.Cases[0].Runs), len(k.Runs)-1, "valid run medians of %d", len(k.Runs))
}
