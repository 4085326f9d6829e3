package judge

import (
	"math"
	"reflect"
	"slices"
	"testing"

	"pgmpi/testkit/golden"
	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

type goldenProcedure struct {
	Cases []struct {
		ID    string
		R     int
		Tests []struct {
			Name       string
			Orig, Mock []float64
		}
		Expect struct {
			Test       string
			AutoTest   string `json:"auto_test"`
			M          int
			Alpha      float64
			Delta      float64
			Correction string
			PMin       float64 `json:"p_min_family"`
			Refuse     bool
			PaperMode  []struct {
				P         float64
				Violation bool
				Stars     string
			} `json:"paper_mode"`
			Tests []struct {
				Name        string
				PRaw        float64 `json:"p_raw"`
				PAdj        float64 `json:"p_adj"`
				PKept       float64 `json:"p_kept"`
				RatioHL     float64 `json:"ratio_hl"`
				MedianRatio float64 `json:"median_ratio"`
				Verdict     string
				Stars       string
			}
		}
	}
}

// testName maps the vectors' names of tests to ours.
var testName = map[string]TestName{"rank-sum": TestRankSum, "signed-rank": TestSignedRank, "ks": TestKS}

func TestProcedureMatchesGoldenVectors(t *testing.T) {
	for _, c := range golden.Load[goldenProcedure](t, "procedure.json", "default_procedure").Cases {
		t.Run(c.ID, func(t *testing.T) {
			want := c.Expect
			cfg := Config{Method: MethodDefault, Test: testName[want.Test], Alpha: want.Alpha, Adjust: Adjust(want.Correction),
				MinSlowdown: 1 + want.Delta}
			d := designed(t, cfg, c.R, want.M)
			near(t, "p_min_family", d.PMin(0), want.PMin)
			if (d.Refused != nil) != want.Refuse {
				t.Fatalf("refused: %v, want %v", d.Refused, want.Refuse)
			}
			cfg.Test = TestAuto
			auto := designed(t, cfg, c.R, want.M)
			if want.AutoTest == "refuse" {
				if auto.Refused == nil {
					t.Errorf("auto chose %s, want a refusal", auto.Test(0).Name)
				}
			} else if auto.Test(0).Paired != (want.AutoTest == "signed-rank") || auto.Refused != nil {
				t.Errorf("auto chose %s (%v), want %s", auto.Test(0).Name, auto.Refused, want.AutoTest)
			}
			family := make([]Pair, len(c.Tests))
			for i, test := range c.Tests {
				family[i] = Pair{Orig: test.Orig, Other: test.Mock}
			}
			got := judged(t, d, 0, family)
			for i, w := range want.Tests {
				near(t, w.Name+" p_raw", got[i].P, w.PRaw)
				near(t, w.Name+" p_adj", got[i].PAdjusted, w.PAdj)
				near(t, w.Name+" p_kept", got[i].PKept, w.PKept)
				near(t, w.Name+" ratio_hl", got[i].Ratio, w.RatioHL)
				if want.Refuse {
					if got[i].Verdict != Undecided {
						t.Errorf("%s: verdict %s in spite of the refusal", w.Name, got[i].Verdict)
					}
					continue
				}
				if string(got[i].Verdict) != w.Verdict || got[i].Stars != w.Stars {
					t.Errorf("%s: %s%s, want %s%s", w.Name, got[i].Verdict, got[i].Stars, w.Verdict, w.Stars)
				}
			}
			methodsAreTheDefaultWithOneChange(t, cfg, c.R, want.M, family)
			paper := designed(t, Config{Method: MethodPaper, Test: TestAuto, Alpha: want.Alpha, Adjust: AdjustAuto,
				MinSlowdown: 1 + want.Delta}, c.R, want.M)
			got = judged(t, paper, 0, family)
			for i, w := range want.PaperMode {
				near(t, c.Tests[i].Name+" paper p", got[i].P, w.P)
				near(t, c.Tests[i].Name+" median ratio", got[i].Ratio, want.Tests[i].MedianRatio)
				if (got[i].Verdict == Violated) != w.Violation || got[i].Stars != w.Stars {
					t.Errorf("%s: paper says %s%s, want violation %v%s", c.Tests[i].Name, got[i].Verdict, got[i].Stars, w.Violation, w.Stars)
				}
			}
		})
	}
}

// methodsAreTheDefaultWithOneChange is docs/dev/statistics.md: ci is default with
// Holm, margin tests against (1+δ) times the other side.
func methodsAreTheDefaultWithOneChange(t *testing.T, cfg Config, r, m int, family []Pair) {
	t.Helper()
	apply := func(cfg Config, family []Pair) []Outcome { return judged(t, designed(t, cfg, r, m), 0, family) }
	cfg.Test, cfg.Adjust = TestAuto, AdjustHolm
	holm := apply(cfg, family)
	cfg.Method, cfg.Adjust = MethodCI, AdjustAuto
	for i, got := range apply(cfg, family) {
		if got != holm[i] {
			t.Errorf("test %d: ci %+v, default with Holm %+v", i, got, holm[i])
		}
	}
	cfg.Method, cfg.Adjust = MethodDefault, AdjustBH
	plain := apply(cfg, family)
	scaled := make([]Pair, len(family))
	for i, pair := range family {
		scaled[i] = Pair{Orig: pair.Orig, Other: scale(pair.Other, cfg.MinSlowdown)}
	}
	against := apply(cfg, scaled)
	cfg.Method, cfg.Adjust = MethodMargin, AdjustAuto
	for i, got := range apply(cfg, family) {
		if got.P != against[i].P || got.PAdjusted != against[i].PAdjusted || got.Stars != against[i].Stars {
			t.Errorf("test %d: margin p %g, %g%s; default against the scaled side %g, %g%s", i, got.P, got.PAdjusted, got.Stars,
				against[i].P, against[i].PAdjusted, against[i].Stars)
		}
		if got.PKept != plain[i].PKept || got.Ratio != plain[i].Ratio || got.Lo95 != plain[i].Lo95 || got.Hi95 != plain[i].Hi95 {
			t.Errorf("test %d: margin changes more than the test: %+v, default %+v", i, got, plain[i])
		}
	}
}

// designed is the design of a single look.
func designed(t *testing.T, cfg Config, r, m int) *Design {
	t.Helper()
	d := must.Get(NewDesign(cfg, Once(r), m))(t)
	return d
}

// judged takes the first look.
func judged(t *testing.T, d *Design, tick float64, pairs []Pair) []Outcome {
	t.Helper()
	f := d.Family(tick)
	must.Do(t, f.Look(pairs))
	return f.Outcomes
}

func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.IsNaN(got) || math.Abs(got-want) > 1e-10*math.Abs(want) {
		t.Errorf("%s: %.17g, want %.17g", what, got, want)
	}
}

// The numbers are from docs/dev/statistics.md: the smallest R that can report a
// lone violation at alpha = .05, m = 495.
func TestRefusalNamesTheRThatWouldDo(t *testing.T) {
	for _, c := range []struct {
		method       Method
		test         TestName
		adjust       Adjust
		r, m, needed int
	}{
		{MethodDefault, TestAuto, AdjustAuto, 5, 495, 8},
		{MethodDefault, TestRankSum, AdjustAuto, 7, 495, 8},
		{MethodDefault, TestKS, AdjustAuto, 7, 495, 8},
		{MethodDefault, TestSignedRank, AdjustAuto, 13, 495, 14},
		{MethodCI, TestSignedRank, AdjustAuto, 10, 495, 14},
		{MethodDefault, TestRankSum, AdjustNone, 2, 495, 3},
		{MethodPaper, TestAuto, AdjustBH, 9, 495, 10},
		{MethodPaper, TestAuto, AdjustAuto, 2, 495, 3},
	} {
		cfg := Config{Method: c.method, Test: c.test, Adjust: c.adjust, Alpha: 0.05, MinSlowdown: 1.05}
		refusal := designed(t, cfg, c.r, c.m).Refused
		if refusal == nil || refusal.RNeeded != c.needed {
			t.Errorf("%+v: %+v, want R = %d", c, refusal, c.needed)
		}
		if designed(t, cfg, c.needed, c.m).Refused != nil {
			t.Errorf("%+v: R = %d is refused too", c, c.needed)
		}
	}
}

func TestUnknownNamesAreErrors(t *testing.T) {
	good := Config{Method: MethodDefault, Test: TestAuto, Adjust: AdjustAuto, Alpha: 0.05, MinSlowdown: 1.05}
	for _, change := range []func(*Config){
		func(c *Config) { c.Method = "best" },
		func(c *Config) { c.Test = "t" },
		func(c *Config) { c.Test = TestRankSumNormal }, // not by name
		func(c *Config) { c.Adjust = "by" },
	} {
		cfg := good
		change(&cfg)
		if _, err := NewDesign(cfg, Once(10), 10); err == nil {
			t.Errorf("%+v is no error", cfg)
		}
	}
}

// slow gives R medians around base that never tie.
func slow(r int, base, step float64) []float64 {
	out := make([]float64, r)
	for i := range out {
		out[i] = base + step*float64(i)
	}
	return out
}

func TestVerdictRules(t *testing.T) {
	cfg := Config{Method: MethodDefault, Test: TestRankSum, Adjust: AdjustNone, Alpha: 0.05, MinSlowdown: 1.05}
	for _, c := range []struct {
		name   string
		method Method
		tick   float64
		pair   Pair
		want   Verdict
	}{
		{"large slowdown", MethodDefault, 10, Pair{Orig: slow(10, 2000, 1), Other: slow(10, 1000, 1)}, Violated},
		{"significant but small", MethodDefault, 10, Pair{Orig: slow(10, 1030, 1), Other: slow(10, 1000, 1)}, Marginal},
		{"small counts for the paper", MethodPaper, 10, Pair{Orig: slow(10, 1030, 1), Other: slow(10, 1000, 1)}, Violated},
		{"two clock ticks that read as 19", MethodDefault, 10, Pair{Orig: slow(10, 69, 0), Other: slow(10, 50, 0)}, Violated},
		{"medians two ticks apart, pairs one", MethodDefault, 10, Pair{Orig: []float64{110, 110, 110, 110, 110, 150, 150, 150, 150, 150}, Other: []float64{100, 100, 100, 100, 100, 120, 140, 140, 140, 140}}, Marginal},
		{"one clock tick", MethodDefault, 10, Pair{Orig: slow(10, 60, 0), Other: slow(10, 50, 0)}, Marginal},
		{"two clock ticks", MethodDefault, 10, Pair{Orig: slow(10, 70, 0), Other: slow(10, 50, 0)}, Violated},
		{"faster", MethodDefault, 10, Pair{Orig: slow(10, 900, 1), Other: slow(10, 1000, 1)}, Kept},
		{"equal within the margin", MethodDefault, 10, Pair{Orig: slow(10, 1000, 1), Other: slow(10, 1000, 1)}, Kept},
		{"noisy", MethodDefault, 10, Pair{Orig: slow(10, 1000, 100), Other: slow(10, 1000, 100)}, Undecided},
		{"margin: 4 % is kept", MethodMargin, 0, Pair{Orig: slow(10, 1030, 1), Other: slow(10, 1000, 1)}, Kept},
		{"margin: 2x is violated", MethodMargin, 0, Pair{Orig: slow(10, 2000, 1), Other: slow(10, 1000, 1)}, Violated},
	} {
		cfg.Method = c.method
		got := judged(t, designed(t, cfg, 10, 1), c.tick, []Pair{c.pair})
		if got[0].Verdict != c.want {
			t.Errorf("%s: %s, want %s (%+v)", c.name, got[0].Verdict, c.want, got[0])
		}
	}
}

// A planned test without data counts in the adjustment as p = 1.
func TestMissingTestsStayInTheFamily(t *testing.T) {
	cfg := Config{Method: MethodDefault, Test: TestRankSum, Adjust: AdjustHolm, Alpha: 0.05, MinSlowdown: 1.05}
	got := judged(t, designed(t, cfg, 3, 2), 0, []Pair{{}, {Orig: slow(3, 2000, 1), Other: slow(3, 1000, 1)}})
	if got[1].PAdjusted != 2*got[1].P {
		t.Errorf("adjusted %g of %g: the empty pair did not count", got[1].PAdjusted, got[1].P)
	}
	if got[0].Verdict != Undecided || !math.IsNaN(got[0].P) {
		t.Errorf("the empty pair: %+v", got[0])
	}
}

func TestComparedRefusalAndTestFollowTheMpirunsOfBoth(t *testing.T) {
	for _, x := range []struct {
		a, b, needed int // needed 0: not refused
		test         TestName
	}{
		{1, 12, 5, TestRankSum}, // with 5 in both: 2/C(10,5) ≤ .05/2
		{12, 12, 0, TestRankSum},
		{12, 51, 0, TestRankSumNormal},
	} {
		d := must.Get(NewComparison(Default(), TwoSided, false, x.a, x.b, 2))(t)
		if d.Test(0).Name != x.test || (d.Refused != nil) != (x.needed > 0) || d.Refused != nil && d.Refused.RNeeded != x.needed {
			t.Errorf("%d and %d mpiruns: %s, %+v", x.a, x.b, d.Test(0).Name, d.Refused)
		}
	}
}

// What is not here cannot be asked of a test by name elsewhere.
func TestEveryTestIsComplete(t *testing.T) {
	optional := []string{"Paired", "Centre", "Most", "Beyond"}
	for _, s := range everyTest() {
		v := reflect.ValueOf(*s)
		for i := range v.NumField() {
			if name := v.Type().Field(i).Name; v.Field(i).IsZero() && !slices.Contains(optional, name) {
				t.Errorf("test %q lacks %s", s.Name, name)
			}
		}
		should.Equal(t, s.Centre != nil, s.Paired, "%s: a centre of pairs", s.Name)
		if Get(s.Name) != s {
			t.Errorf("%s is not found by its name", s.Name)
		}
	}
	should.Hold(t, !automatic[len(automatic)-1].Paired,
		"what auto falls back to needs no pairs: a look that is too weak pairs none")
}
