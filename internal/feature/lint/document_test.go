package lint

import (
	"testing"

	"pgmpi/guidelines"
	"pgmpi/internal/feature/lint/table"
	"pgmpi/testkit/documents"
	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

func TestTheDocumentsOweNothing(t *testing.T) {
	documents.Check(t, func() map[string]documents.Example {
		return map[string]documents.Example{"lint": documents.Of(kind, linted(t))}
	})
}

func linted(t *testing.T) *table.Lint {
	plan := must.Get(guidelines.Build(guidelines.Settings{Check: guidelines.Config{Guidelines: []string{"GL2:MPI_Bcast", "GL8", "GL16"}}, Msizes: []string{"8", "4Ki", "1Mi"},
		Datatype: "int", Op: "sum", Shapes: []guidelines.Shape{{NP: 64}, {NP: 65536}}}))(t)
	return table.New(table.OpenMPI(), table.Model{Alpha: 2e-6, Gap: 2e-7, Beta: 7e-11, Gamma: 1.5e-10, Copy: 1.5e-10}, plan, true)
}

func TestLargeRatiosOfTablesHaveNoExponent(t *testing.T) {
	for x, want := range map[float64]string{1.5: "1.5", 10.12: "10.1", 999.4: "999", 999.6: "1000", 5250: "5250", 123456: "123456"} {
		should.Equal(t, timesSlower(x), want)
	}
}
