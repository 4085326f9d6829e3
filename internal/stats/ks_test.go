package stats

import (
	"slices"
	"testing"

	"pgmpi/internal/fixture/must"
)

type ksCase struct {
	ID     string
	X, Y   values
	Expect struct {
		D           float64
		Ties        bool
		PExact      float64 `json:"p_exact"`
		PAsymptotic float64 `json:"p_asymptotic"`
	}
}

func TestKSMatchesExactArithmeticWithTies(t *testing.T) {
	g := load[ksCase](t, "ks_greater.json", "kolmogorov_smirnov_orig_greater")
	for _, c := range g.Cases {
		t.Run(c.ID, func(t *testing.T) {
			got := must.Get(KS(c.X, c.Y))(t)
			close1(t, "D", got.Statistic, c.Expect.D, 1e-15)
			_, tieSum := doubledMidranks(slices.Concat(c.X, c.Y))
			equal(t, "ties", tieSum > 0, c.Expect.Ties)
			equal(t, "exact", got.Exact, true)
			close1(t, "P", got.P, c.Expect.PExact, 1e-12)
		})
	}
	if len(g.Invalid) == 0 {
		t.Fatal("no invalid cases")
	}
	for _, c := range g.Invalid {
		if _, err := KS(c.X, c.Y); err == nil {
			t.Errorf("invalid case %s was accepted", c.ID)
		}
	}
}
