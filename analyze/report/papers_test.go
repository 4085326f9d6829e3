package report

import (
	"pgmpi/analyze/series"
	"pgmpi/guidelines"
	"pgmpi/testkit/shown"
)

// levels are three set-ups; the third changes nothing.
func levels() *series.Levels {
	b, c := shown.Comparison(), shown.Comparison()
	c.B.Folder = "results-c"
	for i := range c.Cases {
		if c.Cases[i].Change == series.Slower || c.Cases[i].Change == series.Faster {
			c.Cases[i].Change = series.NoDifference
		}
	}
	c.Guidelines = nil
	return &series.Levels{Schema: series.LevelsSchema, Factor: series.Factor{Name: "pinning", Levels: []string{"core.toml", "socket.toml", "none.toml"}}, Comparisons: []*series.Comparison{b, c}}
}

func summaries() *series.Summaries {
	ratio := func(x float64) *float64 { return &x }
	asked := series.Asked{Guideline: "GL8", Type: guidelines.Pattern, Function: "MPI_Reduce", Mockup: "reduce_as_allreduce", Msize: 1024, MsizeOther: 1024, Shape: "p2"}
	other := asked
	other.Msize = 65536
	return &series.Summaries{Schema: series.SummariesSchema, Folder: shown.Comparison().A, Operation: shown.Comparison().Operation, MinSlowdown: 1.05,
		By: []series.BySummary{{Summary: series.RunMedian, Slow: 1}, {Summary: series.Least, Missed: 1}, {Summary: series.MeanOfMeans, Slow: 2, More: 1}},
		Tests: []series.SummariesTest{
			{Asked: asked, Ratios: []*float64{ratio(1.4), ratio(1.01), ratio(1.3)}, Slow: []bool{true, false, true}},
			{Asked: other, Ratios: []*float64{ratio(1), nil, ratio(1.06)}, Slow: []bool{false, false, true}},
		}}
}
