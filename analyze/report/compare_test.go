package report

import (
	"encoding/json"
	"strings"
	"testing"

	"pgmpi/analyze"
	"pgmpi/analyze/judge"
	"pgmpi/analyze/medians"
	"pgmpi/analyze/report/checks"
	"pgmpi/analyze/series"
	"pgmpi/guidelines"
	"pgmpi/internal/fixture/must"
	"pgmpi/internal/fixture/should"
	"pgmpi/internal/remark"
)

func pointer(x float64) *float64 { return &x }

func change(function string, msize int64, a, b, p float64, stars string, change series.Change) series.CaseChange {
	return series.CaseChange{Cell: medians.Cell{Function: function, Msize: msize, Shape: "p2"}, NP: 2, AMedianS: &a, BMedianS: &b, AR: 10, BR: 12,
		Ratio: pointer(b / a), RatioLo: pointer(b / a * 0.98), RatioHi: pointer(b / a * 1.03), PValue: pointer(p / 2), PAdjusted: &p,
		Stars: stars, Change: change, CouldHaveSeen: pointer(1.2)}
}

// comparison has one case of every change.
func comparison() *series.Comparison {
	return &series.Comparison{
		Schema: series.CompareSchema, Version: "1.0",
		A:         analyze.ComparedFolder{Folder: "before", Library: analyze.Library{Name: "mpich", Version: "MPICH Version: 4.0.2\nand more"}, R: 10, Created: "2026-01-02T03:04:05Z"},
		B:         analyze.ComparedFolder{Folder: "after", Library: analyze.Library{Name: "mpich", Version: "MPICH Version: 4.1\nand more"}, R: 12, Created: "2026-01-03T03:04:05Z"},
		Operation: analyze.Operation{Datatype: "byte", Op: "bor", MsizeLegend: analyze.Legend}, Alternative: judge.TwoSided, Test: judge.TestRankSum, Adjust: judge.AdjustBH,
		M: 5, Alpha: 0.05, MinSlowdown: 1.05, PMin: 3.1e-6, ClockTickS: 1e-8, FailOn: series.ExitOnBoth, CouldHaveSeen: pointer(1.2),
		Cases: []series.CaseChange{
			change("MPI_Bcast", 8, 1e-6, 1.01e-6, 0.41, "", series.NoDifference),
			change("MPI_Bcast", 1024, 2e-6, 3e-6, 0.0004, "***", series.Slower),
			change("MPI_Bcast", 65536, 2e-5, 2.02e-5, 0.02, "*", series.SlightlySlower),
			change("MPI_Reduce", 8, 3e-6, 1e-6, 0.009, "**", series.Faster),
			{Cell: medians.Cell{Function: "MPI_Reduce", Msize: 1 << 20, Shape: "p2"}, NP: 2, AMedianS: pointer(1e-3), Change: series.LeftOut, Reason: "B: needs 3 GiB"},
		},
		Functions: []series.FunctionChange{{Function: "MPI_Bcast", Shape: "p2", Sizes: 3, Ratio: pointer(1.15), Slower: 1},
			{Function: "MPI_Reduce", Shape: "p2", Sizes: 1, Ratio: pointer(1.0 / 3), Faster: 1}},
		Guidelines: []series.GuidelineChange{
			{Change: series.NewlyViolated, Asked: series.Asked{Guideline: "GL1", Type: guidelines.Monotony, Function: "MPI_Bcast", Msize: 1024, MsizeOther: 65536, Shape: "p2"},
				AVerdict: judge.Kept, BVerdict: judge.Violated, ARatio: pointer(0.7), BRatio: pointer(1.3)},
			{Change: series.NewlyKept, Asked: series.Asked{Guideline: "GL14", Type: guidelines.Pattern, Function: "MPI_Reduce", Mockup: "reduce_as_reduce_scatter_block+gather",
				Msize: 8, MsizeOther: 8, Shape: "p2"}, AVerdict: judge.Violated, BVerdict: judge.Kept, ARatio: pointer(2), BRatio: pointer(0.7)},
		},
		Algorithms: []series.AlgorithmChange{{Cell: medians.Cell{Function: "MPI_Bcast", Msize: 1024, Shape: "p2"}, A: "binomial", B: "pipeline, 128 KiB segments"},
			{Cell: medians.Cell{Function: "MPI_Bcast", Msize: 65536, Shape: "p2"}, A: "binomial", B: "pipeline, 128 KiB segments"},
			{Cell: medians.Cell{Function: "MPI_Reduce", Msize: 8, Shape: "p2"}, A: "chain or knomial"}, {Cell: medians.Cell{Function: "MPI_Barrier", Shape: "p2"}, A: "tree", B: "bruck"}},
		Differences: []series.Difference{{Factor: "kernel", A: "6.1", B: "6.2"}, {Factor: "library", A: "MPICH Version: 4.0.2", B: "MPICH Version: 4.1"}},
		Wrong:       []analyze.CaseMessage{},
		Warnings:    []remark.Remark{{ID: "differs-kernel", Text: "kernel is 6.1 in A and 6.2 in B: measure again"}},
		Exit:        1,
	}
}

// shifted is comparison on a machine that became slower, with all its rows, and more wanted than could be seen.
func shifted() *series.Comparison {
	c := comparison()
	c.Guidelines, c.AllRows, c.Need, c.Blind, c.Exit = nil, true, 1.1, 1, 4
	c.Shift = &series.Shift{Cases: 20, Slower: 18, Faster: 2, Ratio: pointer(1.3), Together: true,
		Probes: []series.ProbeShift{{Shape: "p2", Quantity: medians.ByLine, ANS: 100, BNS: 400, Moved: true}, {Shape: "p2", Quantity: medians.ByMemcpy, ANS: 9000, BNS: 9100}}}
	return c
}

func spread() *series.Spread {
	return &series.Spread{Schema: series.SpreadSchema, Version: "1.0", Operation: analyze.Operation{Datatype: "byte", Op: "bor", MsizeLegend: analyze.Legend},
		Folders: []analyze.ComparedFolder{{Folder: "one", R: 10}, {Folder: "two", R: 10}, {Folder: "three", R: 10}},
		Cases: []series.CaseSpread{{Cell: medians.Cell{Function: "MPI_Bcast", Msize: 8, Shape: "p2"}, NP: 2, MedianS: 1e-6, Normalised: []float64{1, 0.98, 1.03},
			Min: 0.98, Max: 1.03, MaxOverMin: 1.03 / 0.98, CV: 0.025}},
		Functions: []series.FunctionSpread{{Function: "MPI_Bcast", Shape: "p2", Sizes: 1, MaxOverMin: 1.03 / 0.98, WorstMsize: 8, CV: 0.025}},
		Warnings:  []remark.Remark{},
	}
}

// wideComparison has long names.
func wideComparison() *series.Comparison {
	c := comparison()
	c.A.Folder = strings.Repeat("deep/", 60)
	c.Differences = append(c.Differences, series.Difference{Factor: "env X", A: strings.Repeat("a", 300), B: strings.Repeat("b", 300)})
	c.Cases[4].Reason = strings.Repeat("reason ", 40)
	c.Guidelines[1].Guideline, c.Guidelines[1].Mockup = "a-very-long-id-of-a-users-own-guideline", "allreduce_as_reduce_scatter_block+allgather"
	c.Guidelines[1].Function = "MPI_Reduce_scatter_block"
	return c
}

// wideSpread has as many folders, up to six of which are shown one by one, and long names.
func wideSpread(folders int) *series.Spread {
	s := spread()
	for range folders - len(s.Folders) {
		s.Folders = append(s.Folders, analyze.ComparedFolder{Folder: strings.Repeat("x", 200)})
		for i := range s.Cases {
			s.Cases[i].Normalised = append(s.Cases[i].Normalised, 1)
		}
	}
	s.Cases[0].Function = "allreduce_as_reduce_scatter_block+allgather"
	return s
}

func TestComparisonIsWholeInJSON(t *testing.T) {
	var again series.Comparison
	must.Do(t, json.Unmarshal([]byte(written(t, "json", checks.Comparisons.Document(comparison()))), &again))
	should.Hold(t, again.ExitCode() == 1 && len(again.Cases) == 5 && again.Cases[1].Change == series.Slower, "%+v", again)
}
