package stats

import (
	"errors"
	"testing"

	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

func TestAdjustMatchesR(t *testing.T) {
	type testCase struct {
		ID     string
		P      values
		Expect struct {
			Holm, BH   []float64
			RejectHolm []bool `json:"reject_holm_005"`
			RejectBH   []bool `json:"reject_bh_005"`
		}
	}
	g := load[testCase](t, "holm_bh.json", "p_adjust")
	for _, c := range g.Cases {
		for _, m := range []struct {
			method string
			want   []float64
			reject []bool
		}{
			{AdjustHolm, c.Expect.Holm, c.Expect.RejectHolm},
			{AdjustBH, c.Expect.BH, c.Expect.RejectBH},
		} {
			t.Run(c.ID+"/"+m.method, func(t *testing.T) {
				got := must.Get(Adjust(c.P, m.method))(t)
				closeAll(t, "adjusted", got, m.want, 1e-13)
				equal(t, "number of decisions", len(m.reject), len(got))
				for i := range got {
					equal(t, "rejected at .05", got[i] <= 0.05, m.reject[i])
				}
			})
		}
	}
	must.Hold(t, len(g.Invalid) != 0, "no invalid cases")
	for _, c := range g.Invalid {
		for _, method := range []string{AdjustNone, AdjustBH, AdjustHolm} {
			_, err := Adjust(c.P, method)
			should.Hold(t, err != nil, "invalid case %s was accepted by %s", c.ID, method)
		}
	}
}

func TestAdjustNoneCopies(t *testing.T) {
	p := []float64{0.3, 0.01}
	got := must.Get(Adjust(p, AdjustNone))(t)
	closeAll(t, "unadjusted", got, p, 0)
	got[0] = 1
	equal(t, "input", p[0], 0.3)
}

func TestAdjustRefusesAnUnknownMethod(t *testing.T) {
	_, err := Adjust([]float64{0.1}, "bonferroni")
	should.Hold(t, err != nil, "bonferroni was accepted")
}

func TestStarsIncludeTheirLimits(t *testing.T) {
	for p, want := range map[float64]string{
		0: "***", 0.001: "***", 0.0011: "**", 0.01: "**", 0.011: "*", 0.05: "*", 0.0501: "", 1: "",
	} {
		equal(t, "stars", Stars(p), want)
	}
}

func TestSequentialPMatchesTheSpendingRule(t *testing.T) {
	type look struct {
		Look  int
		PSeq  []float64 `json:"p_seq"`
		Holm  []float64
		BH    []float64
		VHolm []int `json:"violated_holm_005"`
		VBH   []int `json:"violated_bh_005"`
	}
	type testCase struct {
		ID      string
		Looks   []int
		Weights []float64
		P       [][]float64
		Expect  []look
	}
	for _, c := range load[testCase](t, "sequential.json", "sequential_bonferroni_spending").Cases {
		t.Run(c.ID, func(t *testing.T) {
			equal(t, "looks", len(c.Expect), len(c.Looks))
			for k, want := range c.Expect {
				var p []float64
				for _, test := range c.P {
					spent := must.Get(SequentialP(test[:k+1], c.Weights))(t)
					p = append(p, spent)
				}
				closeAll(t, "p_seq", p, want.PSeq, 1e-12)
				checkFamily(t, p, AdjustHolm, want.Holm, want.VHolm)
				checkFamily(t, p, AdjustBH, want.BH, want.VBH)
			}
		})
	}
}

func checkFamily(t *testing.T, p []float64, method string, want []float64, violated []int) {
	t.Helper()
	got := must.Get(Adjust(p, method))(t)
	closeAll(t, method, got, want, 1e-12)
	var found []float64
	for i, v := range got {
		if v <= 0.05 {
			found = append(found, float64(i))
		}
	}
	var expected []float64
	for _, i := range violated {
		expected = append(expected, float64(i))
	}
	closeAll(t, method+" violated", found, expected, 0)
}

func TestSequentialPRefusesBadWeights(t *testing.T) {
	p := []float64{0.1, 0.2}
	for name, c := range map[string]struct {
		weights []float64
		want    error
	}{
		"none":     {nil, ErrEmpty},
		"too few":  {[]float64{1}, ErrLengths},
		"zero":     {[]float64{1, 0}, ErrRange},
		"too much": {[]float64{0.6, 0.5}, ErrRange},
	} {
		_, err := SequentialP(p, c.weights)
		should.Hold(t, errors.Is(err, c.want), "%s: error %v, want %v", name, err, c.want)
	}
}
