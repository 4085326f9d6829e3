package check

import (
	"strings"
	"testing"

	"pgmpi/analyze"
	"pgmpi/analyze/judge"
	"pgmpi/guidelines"
	"pgmpi/testkit/should"
)

func TestTheScreenNamesTheSettingOfAnEagerLimit(t *testing.T) {
	ratio := 2.93
	slow := analyze.Verdict{Guideline: "GL2", Type: guidelines.Split, Function: "MPI_Send", Msize: 4096, MsizeOther: 2048, K: 2, Verdict: judge.Violated}
	slow.Ratio = &ratio
	says := func(name, version string, change func(v *analyze.Verdict)) string {
		v := slow
		change(&v)
		r := &analyze.Report{Library: analyze.Library{Name: name, Version: version}, Verdicts: []analyze.Verdict{v}}
		var out []string
		for _, s := range eagerLimit(r) {
			for _, l := range s.Text {
				out = append(out, l.Text)
			}
		}
		return strings.ReplaceAll(strings.Join(out, " "), "\u00a0", " ")
	}
	same := func(*analyze.Verdict) {}
	should.Equal(t, says("openmpi", "Open MPI v4.1.4", same), "OMPI_MCA_btl_vader_eager_limit=32768 may mend Send 4 KiB 2.93× and collectives of such sizes. "+
		"It costs memory: one message before its receive from each of 127 others on a node takes up to 127 × 32 KiB at a process.")
	should.Contain(t, says("openmpi", "Open MPI v5.0.7", same), "OMPI_MCA_btl_sm_eager_limit=32768 may mend")
	should.Contain(t, says("mpich", "MPICH Version: 4.0.2", same), "UCX_RNDV_THRESH=65536 may mend")
	should.Equal(t, says("other", "", same), "Send 4 KiB 2.93×: several smaller messages are faster.")
	for name, change := range map[string]func(v *analyze.Verdict){
		"a collective":    func(v *analyze.Verdict) { v.Function = "MPI_Bcast" },
		"a long message":  func(v *analyze.Verdict) { v.Msize = 1 << 20 },
		"not shown":       func(v *analyze.Verdict) { v.Verdict = judge.Suspected },
		"another pattern": func(v *analyze.Verdict) { v.Type = guidelines.Pattern },
	} {
		should.Equal(t, says("openmpi", "Open MPI v4.1.4", change), "", "%s", name)
	}
}
