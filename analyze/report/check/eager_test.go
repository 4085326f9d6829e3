package check

import (
	"strings"
	"testing"

	"pgmpi/analyze"
	"pgmpi/analyze/judge"
	"pgmpi/guidelines"
	"pgmpi/measure/host"
	"pgmpi/testkit/should"
)

var slowMessage = func() analyze.Verdict {
	ratio := 2.93
	v := analyze.Verdict{Guideline: "GL2", Type: guidelines.Split, Function: "MPI_Send", Msize: 4096, MsizeOther: 2048, K: 2, Shape: "p4", Verdict: judge.Violated}
	v.Ratio = &ratio
	return v
}()

// twoNodes has ranks 0 and 1 on one node, and 2 on another.
var twoNodes = host.Factors{Layouts: []host.Layout{{Shape: "p4", Kinds: []host.NodeKind{{Packages: []host.Ranges{{0, 1}}}},
	Pinnings: [][]host.Pin{{{CPUs: host.Ranges{0}, Ranks: 1}, {CPUs: host.Ranges{1}, Ranks: 1}}, {{CPUs: host.Ranges{0}, Ranks: 1}}},
	Nodes:    []host.Node{{Host: "a", Ranks: host.Ranges{0, 1}}, {Host: "b", Pinning: 1, Ranks: host.Ranges{2}}}}}}

func says(name, version string, verdicts ...analyze.Verdict) string {
	r := &analyze.Report{Library: analyze.Library{Name: name, Version: version}, Verdicts: verdicts, Measured: analyze.Measured{Factors: twoNodes}}
	var out []string
	for _, s := range eagerLimit(r) {
		for _, l := range s.Text {
			out = append(out, l.Text)
		}
	}
	return strings.ReplaceAll(strings.Join(out, " "), "\u00a0", " ")
}

func TestTheScreenNamesTheSettingOfAnEagerLimit(t *testing.T) {
	should.Equal(t, says("openmpi", "Open MPI v4.1.4", slowMessage), "OMPI_MCA_btl_vader_eager_limit=32768 may mend Send 4 KiB 2.93× and collectives of such sizes. "+
		"It costs memory: one message before its receive from each of 127 others on a node takes up to 127 × 32 KiB at a process.")
	should.Contain(t, says("openmpi", "Open MPI v5.0.7", slowMessage), "OMPI_MCA_btl_sm_eager_limit=32768 may mend")
	should.Contain(t, says("mpich", "MPICH Version: 4.0.2", slowMessage), "UCX_RNDV_THRESH=65536 may mend")
	should.Equal(t, says("other", "", slowMessage), "Send 4 KiB 2.93×: several smaller messages are faster.")
	for name, change := range map[string]func(v *analyze.Verdict){
		"a collective":    func(v *analyze.Verdict) { v.Function = "MPI_Bcast" },
		"a long message":  func(v *analyze.Verdict) { v.Msize = 1 << 20 },
		"not shown":       func(v *analyze.Verdict) { v.Verdict = judge.Suspected },
		"another pattern": func(v *analyze.Verdict) { v.Type = guidelines.Pattern },
	} {
		v := slowMessage
		change(&v)
		should.Equal(t, says("openmpi", "Open MPI v4.1.4", v), "", "%s", name)
	}
}

func TestWhatIsSlowBetweenNodesHasItsOwnSetting(t *testing.T) {
	far := slowMessage
	far.Function, far.Msize = "MPI_Send/1-2", 64<<10
	text := says("openmpi", "Open MPI v4.1.4", slowMessage, far)
	should.Contain(t, text, "OMPI_MCA_btl_vader_eager_limit=32768 may mend Send 4 KiB 2.93× and", "OMPI_MCA_btl_tcp_eager_limit=131072 may mend Send/1-2 64 KiB 2.93× and")
}
