package stats

import (
	"slices"
	"testing"

	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
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
			equal(t, "ties", tied(doubledMidranks(slices.Concat(c.X, c.Y))), c.Expect.Ties)
			equal(t, "exact", got.Exact, true)
			close1(t, "P", got.P, c.Expect.PExact, 1e-12)
		})
	}
	must.Hold(t, len(g.Invalid) != 0, "no invalid cases")
	for _, c := range g.Invalid {
		_, err := KS(c.X, c.Y)
		should.Hold(t, err != nil, "invalid case %s was accepted", c.ID)
	}
}
