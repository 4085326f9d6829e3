package analyze

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"

	"pgmpi/internal/stats"
)

// neededLimit is the most mpiruns that an estimate names: beyond, the run
// medians of a few mpiruns say nothing about so small an effect.
const neededLimit = 1000

// neededPower is the chance that the estimated number of mpiruns decides.
const neededPower = 0.8

// runsNeeded fills in, for tests that the data leave undecided, how many
// mpiruns would decide them.
func (c *Collector) runsNeeded(r *Report, p Procedure, cfg Config, family []int) error {
	if p.Refused || p.Method == MethodPaper {
		return nil
	}
	var open []int
	rejected := 0
	for _, i := range family {
		switch v := &r.Verdicts[i]; {
		case v.PValue == nil || v.PAdjusted == nil || v.Ratio == nil || v.Reason != "": // it lacks data
		case v.Verdict == Undecided:
			open = append(open, i)
		case *v.PAdjusted <= p.Alpha:
			rejected++
		}
	}
	if len(open) == 0 {
		return nil
	}
	chosen, err := p.testsByR(cfg)
	if err != nil {
		return err
	}
	for _, i := range open {
		v := &r.Verdicts[i]
		v.RunsNeeded = p.needed(c.pair(i, v), *v.Ratio, p.nextLevel(rejected), chosen)
	}
	return nil
}

// testsByR says, by R up to neededLimit, which test would be chosen.
func (p Procedure) testsByR(cfg Config) ([]string, error) {
	chosen := make([]string, neededLimit+1)
	for r := p.R + 1; r <= neededLimit; r++ {
		tests, err := candidates(cfg, r)
		if err != nil {
			return nil, err
		}
		for _, test := range tests {
			if smallestP(test, r) <= p.level() {
				chosen[r] = test
				break
			}
		}
	}
	return chosen, nil
}

// nextLevel is the p-value that one more rejection needs where `rejected`
// tests have been rejected already.
func (p Procedure) nextLevel(rejected int) float64 {
	switch m := float64(p.M); {
	case p.M == 0 || rejected >= p.M:
		return p.Alpha
	case p.Adjust == AdjustBH:
		return p.Alpha * float64(rejected+1) / m
	case p.Adjust == AdjustHolm:
		return p.Alpha / (m - float64(rejected))
	}
	return p.Alpha
}

// needed is the least R from which the observed medians would be significant
// at the level, or kept at Alpha, whichever comes first.
func (p Procedure) needed(pair Pair, ratio, level float64, chosen []string) *RunsNeeded {
	slower := Marginal
	if ratio >= p.MinSlowdown && p.visible(pair) {
		slower = Violated
	}
	allowed := scale(pair.Other, p.MinSlowdown)
	atLeast := map[string][2]float64{}
	for r := p.R + 1; r <= neededLimit; r++ {
		test := chosen[r]
		if test == "" {
			continue
		}
		n, ok := atLeast[test]
		if !ok {
			n = [2]float64{sampleSize(test, pair.Orig, p.against(pair), level), sampleSize(test, allowed, pair.Orig, p.Alpha)}
			atLeast[test] = n
		}
		switch {
		case float64(r) >= n[0] && ratio > 1:
			return &RunsNeeded{R: r, Limit: neededLimit, Towards: slower, Test: test}
		case float64(r) >= n[1]:
			return &RunsNeeded{R: r, Limit: neededLimit, Towards: Kept, Test: test}
		}
	}
	return &RunsNeeded{Limit: neededLimit, Test: chosen[neededLimit]}
}

// sampleSize is how many mpiruns make "x is slower than y" significant at the
// level with a chance of neededPower, by the normal approximation of the test
// at the observed share of pairs in which x is slower (Noether, Sample size
// determination for some common nonparametric tests, JASA 82, 1987). The share
// stands for effect and spread together and needs no assumption on either. KS:
// by its asymptotic p-value at the observed distance, an even chance.
// Infinite where x is not slower.
func sampleSize(test string, x, y []float64, level float64) float64 {
	normal := distuv.UnitNormal
	z := normal.Quantile(1-level) + normal.Quantile(neededPower)
	switch test {
	case TestSignedRank:
		excess := shareOfPositiveSums(x, y) - 0.5
		if excess <= 0 {
			return math.Inf(1)
		}
		return z * z / (3 * excess * excess)
	case TestKS:
		result, err := stats.KS(x, y)
		if err != nil || result.Statistic <= 0 {
			return math.Inf(1)
		}
		return -math.Log(level) / (result.Statistic * result.Statistic)
	}
	excess := shareSlower(x, y) - 0.5
	if excess <= 0 {
		return math.Inf(1)
	}
	return z * z / (6 * excess * excess)
}

// shareSlower is the share of all pairs (x_i, y_j) with x_i > y_j; equal ones
// count half.
func shareSlower(x, y []float64) float64 {
	sum := 0.0
	for _, a := range x {
		for _, b := range y {
			sum += half(a - b)
		}
	}
	return sum / float64(len(x)*len(y))
}

// shareOfPositiveSums is the share of all i < j whose differences x − y have a
// positive sum.
func shareOfPositiveSums(x, y []float64) float64 {
	sum, pairs := 0.0, 0
	for i := range x {
		for j := range i {
			sum += half((x[i] - y[i]) + (x[j] - y[j]))
			pairs++
		}
	}
	if pairs == 0 {
		return 0.5
	}
	return sum / float64(pairs)
}

// half is 1 above 0, ½ at 0, else 0.
func half(d float64) float64 {
	switch {
	case d > 0:
		return 1
	case d == 0:
		return 0.5
	}
	return 0
}
