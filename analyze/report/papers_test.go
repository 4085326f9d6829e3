package report

import (
	"pgmpi/analyze/series"
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
