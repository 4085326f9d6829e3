package analyze

import (
	"strings"
	"testing"

	"pgmpi/analyze/judge"
	"pgmpi/internal/fixture"
	"pgmpi/internal/remark"
	"pgmpi/measure/protocol"
)

// Each case has four calls in an mpirun.
func TestPageFaultsAreCountedByCallAndMpirun(t *testing.T) {
	m := fixture.Manifest()
	runs := fixture.Measured(m, 10000, 50000, 20000, 30000, 20000, 25000)
	if r := analyzed(t, m, runs, judge.Default()); r.Verdicts[2].PageFaults != nil || r.PageFaults != nil || warning(r, remark.PageFaults) != nil {
		t.Error("page faults of a folder that has none counted")
	}
	for n := range runs {
		for i := range runs[n].Cases {
			runs[n].Cases[i].NRep, runs[n].Cases[i].Usage = 4, &protocol.Usage{Switches: 2, SwitchesRank: 1}
		}
		runs[n].Cases[0].Usage = &protocol.Usage{Faults: 3, FaultsRank: 1} // less than one a call
		runs[n].Cases[1].Usage = &protocol.Usage{Faults: 4 * 481, FaultsRank: n % 3 % 2}
	}
	runs[0].Cases[1].Usage.Faults = 1e6 // one mpirun is not all
	a, err := Analyze(m, runs, judge.Default())
	if err != nil {
		t.Fatal(err)
	}
	r := a.Report
	for i, want := range map[int]Counted{ // GL1 at 8 B, GL2 at 64 B, GL8 at 8 and 64 B
		0: {PageFaults: Number(.75), OtherPageFaults: Number(481.), Switches: Number(0.), OtherSwitches: Number(0.)},
		1: {PageFaults: Number(481.), OtherPageFaults: Number(.75), Switches: Number(0.), OtherSwitches: Number(0.)},
		2: {PageFaults: Number(.75), OtherPageFaults: Number(0.), Switches: Number(0.), OtherSwitches: Number(.5)},
		3: {PageFaults: Number(481.), OtherPageFaults: Number(0.), Switches: Number(0.), OtherSwitches: Number(.5)},
	} {
		v := r.Verdicts[i]
		if *v.PageFaults != *want.PageFaults || *v.OtherPageFaults != *want.OtherPageFaults || *v.Switches != *want.Switches || *v.OtherSwitches != *want.OtherSwitches {
			t.Errorf("%s at %d: %v, %v faults, %v, %v switches", v.Guideline, v.Msize, *v.PageFaults, *v.OtherPageFaults, *v.Switches, *v.OtherSwitches)
		}
	}
	if len(r.PageFaults) != 1 || r.PageFaults[0].PerCall != 481 || r.PageFaults[0].Msize != 64 || r.PageFaults[0].Rank != 0 {
		t.Errorf("%+v", r.PageFaults)
	}
	w := warning(r, remark.PageFaults)
	if w == nil || !strings.Contains(w.Text, "MPI_Reduce at 64 B on p2: 481 page faults (rank 0)") || !strings.Contains(w.Remedy, "MALLOC_TRIM_THRESHOLD_") {
		t.Errorf("%+v", w)
	}
	for _, k := range a.RunMedians() {
		if k.Function == "MPI_Reduce" && k.Msize == 64 && k.Runs[0].Usage.Faults != 1e6/4 {
			t.Errorf("%+v", k)
		}
	}
}
