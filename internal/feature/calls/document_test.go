package calls

import (
	"testing"

	"pgmpi/analyze"
	"pgmpi/analyze/medians"
	"pgmpi/analyze/selector"
	"pgmpi/guidelines"
	"pgmpi/measure/protocol"
	"pgmpi/measure/results"
	"pgmpi/testkit/documents"
	"pgmpi/testkit/must"
	"pgmpi/testkit/shown"
)

func TestTheDocumentsOweNothing(t *testing.T) {
	documents.Check(t, func() map[string]documents.Example {
		return map[string]documents.Example{
			"times":       documents.Of(runTimes, times()),
			"fingerprint": documents.Of(fingerprints, noisyReduce(t)),
			"quantiles":   documents.Of(quantileLists, inTwoFolders(t)),
			"windowed":    documents.Of(fingerprints, windowed(t)),
		}
	})
}

func times() *Times {
	x := 1.5e-6
	return &Times{Schema: TimesSchema, Version: "1.0", Folder: analyze.ComparedFolder{Folder: "one", R: 10},
		Operation: analyze.Operation{Datatype: "byte", Op: "bor", MsizeLegend: analyze.Legend}, Cases: []CaseTimes{
			{Cell: medians.Cell{Function: "MPI_Bcast", Msize: 8, Shape: "p2"}, NP: 2, R: 10, MinS: &x, Q1S: &x,
				MedianS: &x, Q3S: &x, MaxS: &x},
			{Cell: medians.Cell{Function: "MPI_Bcast", Msize: 1 << 30, Shape: "p2"}, NP: 2, Reason: "needs 3 GiB"},
		}}
}

// noisyReduce shows Reduce at 64 KiB, in the noisy mpiruns.
func noisyReduce(t *testing.T) *Fingerprint {
	t.Helper()
	m, runs := shown.Measured([]guidelines.Shape{{NP: 2}}, shown.NoisySizes, shown.Few, 4, shown.Noisy)
	shown.CountFaults(runs)
	i := must.Get(selector.SelectCases(&m.Plan, "Reduce:64Ki"))(t)[0]
	var all []*results.Run
	for n := range runs {
		all = append(all, &runs[n])
	}
	f := must.Get(newFingerprint("results", m, i, all))(t)
	must.Do(t, f.AddRanks([]RanksOfRun{{Run: 1, NS: [][]int64{{400000, 410000, 420000}, {300000, 310000, 430000}}}}))
	f.Reading = &Reading{WithS: 4.1e-4, WithoutS: 4e-4, Ratio: 1.025}
	f.AddCounts(1, []protocol.Counter{{Name: "page-faults", From: "perf_event_open"}},
		[][]int64{make([]int64, len(f.Runs[0].NS))})
	for i := range f.Counters[0].Runs[0].N {
		f.Counters[0].Runs[0].N[i] = int64(i % 7)
	}
	f.Counters = append(f.Counters, CounterTimes{Counter: protocol.Counter{Name: "cycles",
		Why: "the virtual machine hides it"}, Runs: []CounterSamples{}})
	must.Do(t, f.Correlate())
	return f
}

// inTwoFolders makes two fingerprints that differ by a tenth.
func inTwoFolders(t *testing.T) *[2]*Fingerprint {
	t.Helper()
	a, b := noisyReduce(t), noisyReduce(t)
	b.Folder.Folder = "after"
	for i := range b.All.Quantiles {
		b.All.Quantiles[i].S *= 1.1
	}
	return &[2]*Fingerprint{a, b}
}

// windowed makes a fingerprint of two windows.
func windowed(t *testing.T) *Fingerprint {
	t.Helper()
	f := noisyReduce(t)
	for len(f.Runs) < 8 {
		f.Runs = append(f.Runs, f.Runs[len(f.Runs)-1])
	}
	for i := range f.Runs {
		f.Runs[i].Run, f.Runs[i].WindowNS = i+1, int64(1+i%2)*1e6
	}
	return f
}
