package explore

import (
	"testing"

	"pgmpi/analyze"
	"pgmpi/analyze/judge"
	"pgmpi/analyze/medians"
	"pgmpi/testkit/documents"
	"pgmpi/testkit/should"
)

func TestTheDocumentOwesNothing(t *testing.T) {
	documents.Check(t, func() map[string]documents.Example {
		return map[string]documents.Example{"explore": documents.Of(kind, exploration())}
	})
}

// exploration has every answer, and an algorithm that cannot be used.
func exploration() *Exploration {
	number := func(x float64) *float64 { return &x }
	candidate := func(function string, ratio float64, verdict judge.Verdict) *Candidate {
		c := &Candidate{Function: function, MedianS: number(1e-6 / ratio), DefaultS: number(1e-6), Tested: analyze.Tested{Effect: analyze.Effect{Ratio: number(ratio)}}, Verdict: verdict}
		if verdict != "" {
			c.RatioLo95, c.RatioHi95, c.PValue, c.PAdjusted = number(ratio/1.02), number(ratio*1.02), number(.001), number(.004)
		}
		return c
	}
	e := &Exploration{
		Schema: Schema, Version: "1", Library: analyze.Library{Name: "mpich", Version: "MPICH Version: 4.0.2"},
		Shapes: []analyze.Shape{{Name: "p2"}}, Operation: analyze.Operation{Datatype: "byte", Op: "bor", MsizeLegend: "bytes of one block"},
		Select: 3, R: 10, Test: judge.TestSignedRank, Adjust: judge.AdjustBH, M: 4, Alpha: .05, MinSlowdown: 1.05, PMin: 1. / 1024,
		Count:  map[Advice]int{},
		Itself: ErrorRate{Tests: 4, False: 1}, ItselfRatio: number(.99),
		Unused: []Unused{
			{Function: "MPI_Allgather@two_proc", Shape: "p2", Status: "unavailable", Message: "MPI_ERR_UNSUPPORTED_OPERATION", Cases: 1},
			{Function: "MPI_Bcast@smp", Shape: "p2", Status: "unavailable", Message: "rank 0 of 2: MPI_Bcast: Other MPI error, error stack: MPIR_Bcast_impl(345): " + notUsable, Cases: 2},
			{Function: "MPI_Scan@smp", Shape: "p2", Status: "unavailable", Message: "rank 0 of 2: MPI_Scan: Other MPI error, error stack: MPIR_Scan_impl(5918): " + notUsable, Cases: 1},
			{Function: "MPI_Reduce@smp", Shape: "p2", Status: "unavailable", Message: "rank 0 of 2: MPI_Reduce: Other MPI error, error stack: MPID_Reduce(68", Cases: 2},
		},
	}
	for i, c := range []struct {
		word                  Advice
		own, mockup, textbook *Candidate
	}{
		{OwnAlgorithm, candidate("MPI_Allgather@ring", 2.5, judge.Violated), candidate("allgather_as_allreduce", .8, ""), candidate("allgather_as_textbook@bruck", 3, judge.Violated)},
		{SameAlgorithm, candidate("MPI_Allgather@brucks", 1.25, judge.Violated), nil, nil},
		{OnlyMockup, candidate("MPI_Allgather@ring", 1, ""), candidate("allgather_as_alltoall", 1.4, judge.Violated), nil},
		{OnlyTextbook, candidate("MPI_Allgather@ring", .9, ""), nil, candidate("allgather_as_textbook@ring", 1.7, judge.Violated)},
		{NotDecided, candidate("MPI_Allgather@ring", 1.06, judge.Undecided), nil, nil},
		{NothingSeen, candidate("MPI_Allgather@ring", .9, ""), candidate("allgather_as_alltoall", .5, ""), nil},
		{word: NotExplored},
	} {
		cell := Cell{Cell: medians.Cell{Function: "MPI_Allgather", Msize: 8 << (2 * i), Shape: "p2"}, NP: 2, Word: c.word, Own: c.own, Mockup: c.mockup, Textbook: c.textbook}
		cell.MendBy = cell.mendBy()
		if c.word == SameAlgorithm {
			cell.Takes = []string{"brucks"}
		}
		if c.word != NotExplored {
			cell.DefaultS = number(1e-6)
		}
		e.Cells = append(e.Cells, cell)
		e.Count[c.word]++
	}
	e.Exit = 1
	return e
}

func TestExportedRatiosAreThoseThatWereTested(t *testing.T) {
	e := exploration()
	e.Cells[4].Own.PValue = nil // it has numbers only from the mpiruns that chose
	exported := map[float64]bool{}
	for _, m := range metrics(e) {
		for _, v := range m.Values {
			exported[v.Value] = m.Name == "pgmpi_explore_ratio"
		}
	}
	should.Hold(t, exported[2.5] && exported[1.4] && !exported[1.06] && !exported[.8], "%v", exported)
}

// What the library takes already is faster by hand: the first line counts it apart, and its row says what selection
// costs.
func TestTheSameAlgorithmChosenByHandIsCountedApart(t *testing.T) {
	e := exploration()
	should.Contain(t, answer(e)[0].Text[0].Text, "FASTER: in 2 of 7 cells", "by up to 2.50×: in 1 another algorithm, in 1 the same, chosen by hand")
	rows := same(e)[0].Table.Rows
	should.Hold(t, len(rows) == 1 && rows[0][3] == "brucks" && rows[0][6] == "200 ns", "%v", rows)
}
