package lint

import (
	"testing"

	"pgmpi/guidelines"
	"pgmpi/internal/feature/lint/table"
	"pgmpi/internal/fixture/documents"
	"pgmpi/internal/fixture/must"
	"pgmpi/internal/fixture/should"
)

func TestTheDocumentsOweNothing(t *testing.T) {
	documents.Check(t, func() map[string]documents.Example {
		return map[string]documents.Example{"lint": documents.Of(kind, linted(t)), "lint-against": documents.Of(kindAgainst, lintedAgainst(t)),
			"fit": documents.Of(fits, fitted())}
	})
}

func linted(t *testing.T) *table.Lint {
	plan := must.Get(guidelines.Build(guidelines.Settings{Check: guidelines.Config{Guidelines: []string{"GL2:MPI_Bcast", "GL8", "GL16"}}, Msizes: []string{"8", "4Ki", "1Mi"},
		Datatype: "int", Op: "sum", Shapes: []guidelines.Shape{{NP: 64}, {NP: 65536}}}))(t)
	return table.New(table.OpenMPI(), table.Model{Alpha: 2e-6, Gap: 2e-7, Beta: 7e-11, Gamma: 1.5e-10, Copy: 1.5e-10}, plan, true)
}

func lintedAgainst(t *testing.T) *table.Against {
	a := table.NewAgainst(table.Model{Alpha: 2e-6, Gap: 2e-7, Beta: 7e-11, Gamma: 1.5e-10, Copy: 1.5e-10})
	a.Folders, a.Unknown = []string{"jobs/a"}, []string{"jobs/b"}
	a.Counts = []table.Counted{{Guideline: "GL8", Hits: 2, Misses: 1, Kept: 3}, {Guideline: "GL9", Misses: 1}, {Guideline: table.Own, Hits: 5, False: 2}}
	a.Tests = []table.Compared{{Folder: "jobs/a", Row: linted(t).Suspected()[0], Measured: 1.31}}
	return a
}

func fitted() *table.Fitted {
	some := func(x, lo, hi float64) table.Estimate {
		return table.Estimate{Value: x, Lo: &lo, Hi: &hi}
	}
	sizes := []int64{8, 1024, 65536, 1 << 20}
	return &table.Fitted{Schema: table.FittedSchema, Folder: "x", Few: []string{"MPI_Scan on p8"}, Lines: []table.Fitting{
		{Function: "MPI_Bcast", Shape: guidelines.Shape{NP: 8}, Mpiruns: 10, Alpha: some(2.1e-6, 2e-6, 2.3e-6), Beta: some(4e-10, 3.9e-10, 4.2e-10), Sizes: sizes, Residuals: []float64{.01, -.02, .01, 0}, Typical: .01, Off: []int64{}},
		{Function: "MPI_Bcast@binomial", Shape: guidelines.Shape{NP: 8}, Mpiruns: 1, Alpha: table.Estimate{Value: 12e-6}, Beta: table.Estimate{Value: 1.2e-9}, Sizes: sizes, Residuals: []float64{.3, -.5, .4, -.3}, Typical: .35, Off: sizes, Break: 65536}}}
}

func TestLargeRatiosOfTablesHaveNoExponent(t *testing.T) {
	for x, want := range map[float64]string{1.5: "1.5", 10.12: "10.1", 999.4: "999", 999.6: "1000", 5250: "5250", 123456: "123456"} {
		should.Equal(t, timesSlower(x), want)
	}
}
