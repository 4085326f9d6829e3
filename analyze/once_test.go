package analyze

import (
	"math"
	"testing"

	"pgmpi/analyze/judge"
	"pgmpi/guidelines"
	"pgmpi/measure/protocol"
	"pgmpi/measure/results"
	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

// importedRun is a plan of GL12 at one size whose mock-up is the sum of Reduce and Bcast, and one mpirun of it.
func importedRun(reduce, bcast, allreduce int64) (*results.Manifest, []results.Run) {
	p4 := guidelines.Shape{NP: 4}
	var cases []guidelines.Case
	for _, f := range []string{"MPI_Allreduce", "MPI_Bcast", "MPI_Reduce", "allreduce_as_reduce+bcast"} {
		cases = append(cases, guidelines.Case{Function: f, Msize: 8, Shape: p4})
	}
	cases[3].Variant = results.SumVariant
	m := &results.Manifest{Kind: results.Imported, R: 1, Imported: &results.ImportedFrom{Statistic: results.Samples}, Sums: map[int][]int{3: {1, 2}},
		Plan: guidelines.Plan{Shapes: []guidelines.Shape{p4}, Datatype: "byte", Op: "bor", Cases: cases, Tests: []guidelines.Test{{Guideline: "GL12",
			Type: guidelines.Pattern, Function: "MPI_Allreduce", Mockup: cases[3].Function, Msize: 8, Shape: p4, Case: 0, Others: []int{3}}}}}
	run := results.Run{Header: results.Header{Mode: protocol.ModeMeasure, Shape: p4, Run: 1}}
	for i, ns := range []int64{allreduce, bcast, reduce} {
		var samples []protocol.Sample
		for k := range int64(101) {
			samples = append(samples, protocol.Sample{NS: ns - 50 + 37*k%101})
		}
		run.Cases = append(run.Cases, results.CaseInfo{Plan: i, Function: cases[i].Function, Msize: 8, CaseResult: protocol.CaseResult{Case: i, Status: protocol.StatusOK, NRep: len(samples)}})
		run.Samples = append(run.Samples, samples)
	}
	return m, []results.Run{run}
}

func TestWhatWasSeenOnceIsARatioOfSumsAndNeverViolated(t *testing.T) {
	for _, c := range []struct {
		allreduce int64
		want      judge.Verdict
	}{{6000, judge.SeenOnce}, {3010, judge.Undecided}, {1500, judge.Undecided}} {
		m, runs := importedRun(2000, 1000, c.allreduce)
		r := must.Get(Analyze(m, runs, judge.Default()))(t).Report
		v := &r.Verdicts[0]
		ratio := float64(c.allreduce) / 3000
		must.Hold(t, v.Verdict == c.want && v.Ratio != nil && math.Abs(*v.Ratio-ratio) < 1e-9 && v.PValue == nil, "%d ns: %+v", c.allreduce, v)
		should.Hold(t, v.RatioLo95 != nil && *v.RatioLo95 < ratio && ratio < *v.RatioHi95 && *v.RatioHi95 < 1.05*ratio, "%g to %g", *v.RatioLo95, *v.RatioHi95)
		should.Hold(t, r.Exit == 0 && r.Refused == nil && r.SeenOnce == "1 mpirun: another may differ" && warning(r, "seen-once") != nil, "exit %d, %q", r.Exit, r.SeenOnce)
	}
	m, _ := importedRun(2000, 1000, 6000)
	m.Sums = map[int][]int{3: {1, 9}}
	should.Fail(t, m.CheckIndices(), "names case 9 of 4")
}

func TestAveragesOverTheRanksBearNoVerdictButOnTheSlowerSide(t *testing.T) {
	for name, c := range map[string]struct {
		averages  []string
		allreduce int64
		want      judge.Verdict
		averaged  bool
	}{
		"none":                           {nil, 6000, judge.SeenOnce, false},
		"the other side looks too fast":  {[]string{"MPI_Reduce"}, 6000, judge.Undecided, true},
		"all of the other side":          {[]string{"MPI_Reduce", "MPI_Bcast"}, 6000, judge.Undecided, true},
		"slower even so":                 {[]string{"MPI_Allreduce"}, 6000, judge.SeenOnce, false},
		"not slower, which says nothing": {[]string{"MPI_Allreduce"}, 1500, judge.Undecided, true},
		"of all but one call":            {[]string{"MPI_Allreduce", "MPI_Reduce"}, 6000, judge.Undecided, true},
		"averages on both sides":         {[]string{"MPI_Allreduce", "MPI_Reduce", "MPI_Bcast"}, 6000, judge.SeenOnce, false},
	} {
		m, runs := importedRun(2000, 1000, c.allreduce)
		m.Imported.Averages = c.averages
		v := &must.Get(Analyze(m, runs, judge.Default()))(t).Report.Verdicts[0]
		should.Hold(t, v.Verdict == c.want && v.Averaged == c.averaged && v.Ratio != nil, "%s: %+v", name, v)
		should.Hold(t, !c.averaged || v.Reason != "" && v.Reason != "1 mpirun: another may differ", "%s: %s", name, v.Reason)
	}
}

func TestAnAverageThatSaysNothingTakesBackWhatWasFoundOnly(t *testing.T) {
	for _, c := range []struct {
		averaged    string
		found, want judge.Verdict
	}{
		{"MPI_Allreduce", judge.Violated, judge.Violated},
		{"MPI_Allreduce", judge.SeenOnce, judge.SeenOnce},
		{"MPI_Allreduce", judge.Kept, judge.Undecided},
		{"MPI_Bcast", judge.Violated, judge.Undecided},
		{"MPI_Bcast", judge.Wrong, judge.Wrong},
		{"MPI_Bcast", judge.NotMeasured, judge.NotMeasured},
		{"MPI_Reduce", judge.Kept, judge.Kept},
	} {
		m, _ := importedRun(2000, 1000, 6000)
		m.Sums, m.Plan.Tests[0].Others = nil, []int{1} // Bcast itself
		m.Imported.Averages = []string{c.averaged}
		a := &Analysis{manifest: m, tests: []int{0}, verdicts: []Verdict{{Function: "MPI_Allreduce", Verdict: c.found}}}
		a.averages()
		should.Equal(t, a.verdicts[0].Verdict, c.want, "%s of averages of %s", c.found, c.averaged)
		a.verdicts[0].Verdict = c.found
		m.Sums, m.Plan.Tests[0].Others = map[int][]int{3: {1}}, []int{3} // as a sum of one
		a.averages()
		should.Equal(t, a.verdicts[0].Verdict, c.want, "%s of averages of %s in a sum", c.found, c.averaged)
	}
}
