package samples

import (
	"math"
	"testing"

	"pgmpi/internal/fixture"
	"pgmpi/internal/fixture/must"
	"pgmpi/internal/fixture/should"
	"pgmpi/measure/protocol"
	"pgmpi/measure/results"
)

// pipelinedRun has single calls of 100 ns × run, and rows of 10 calls of 60 ns × run each, one
// of which was held up.
func pipelinedRun(run int) *results.Run {
	r := &results.Run{Header: results.Header{Mode: protocol.ModePipelined, Run: run, Shape: fixture.Manifest().Plan.Shapes[0]}}
	add := func(calls int, ns ...int64) {
		r.Cases = append(r.Cases, results.CaseInfo{Plan: 1, Calls: calls, CaseResult: protocol.CaseResult{Status: protocol.StatusOK, NRep: len(ns)}})
		var samples []protocol.Sample
		for _, x := range ns {
			samples = append(samples, protocol.Sample{NS: x * int64(run)})
		}
		r.Samples = append(r.Samples, samples)
	}
	add(0, 100, 100, 101, 99, 100, 5000)
	add(10, 600, 600, 601, 599, 600, 6000)
	r.Samples[0] = append(r.Samples[0], protocol.Sample{NS: 1, Flags: protocol.FlagLate})
	return r
}

func TestCallsInARowAreComparedWithinEachMpirun(t *testing.T) {
	m := fixture.Manifest()
	p := must.Get(NewPipelined("folder", m, []*results.Run{pipelinedRun(1), pipelinedRun(3), pipelinedRun(2)}))(t)
	c := p.Cases[1]
	near := func(what string, got *float64, want float64) {
		t.Helper()
		should.Hold(t, got != nil && math.Abs(*got-want) <= 1e-12, "%s: %v, want %v", what, got, want)
	}
	must.Hold(t, c.R == 3 && c.Calls == 10 && len(c.Runs) == 3 && c.Runs[2].Run == 3 && c.Reason == "", "%+v", c)
	near("single", c.SingleS, 200e-9)
	near("in a row", c.RowS, 120e-9)
	near("their mean, outliers and all", c.MeanS, 2*(600+600+601+599+600+6000)/6/10*1e-9)
	near("ratio", c.Ratio, 0.6)
	near("overlap", p.MedianRatio(), 0.6)
	other := p.Cases[0]
	should.Hold(t, other.R == 0 && other.SingleS == nil && other.Reason == "no mpirun has it", "a case that no mpirun has: %+v", other)
	wrong := pipelinedRun(1)
	wrong.Cases[1].Status, wrong.Cases[1].Message = protocol.StatusWrong, "rank 1 has 3"
	p, err := NewPipelined("folder", m, []*results.Run{wrong})
	should.Hold(t, err == nil && p.Cases[1].R == 0 && p.Cases[1].Reason == "rank 1 has 3" && p.MedianRatio() == nil, "wrong data: %+v, %v", p.Cases[1], err)
	should.Hold(t, p.NotJudged() != "", "no call has times")
}
