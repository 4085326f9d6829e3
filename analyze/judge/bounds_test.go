package judge

import (
	"math"
	"slices"
	"testing"
	"time"

	"pgmpi/internal/conf"
	"pgmpi/internal/stats"
	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

func TestSettingsAreTakenUpToTheirBounds(t *testing.T) {
	for _, c := range []struct {
		key    string
		change func(*Config, float64)
		good   []float64
		bad    []float64
	}{
		{"alpha", func(c *Config, x float64) { c.Alpha = x }, []float64{1e-9, .999}, []float64{0, -.5, 1, 1.5}},
		{"min_slowdown", func(c *Config, x float64) { c.MinSlowdown = x }, []float64{1, 999.5}, []float64{.5, 1000, 1000.5}},
		{"split_tolerance", func(c *Config, x float64) { c.SplitTolerance = x }, []float64{0, 999.5}, []float64{-.5, 1000, 1000.5}},
		{"nb_tolerance", func(c *Config, x float64) { c.NBTolerance = x }, []float64{0, 999.5}, []float64{-.5, 1000, 1000.5}},
		{"between_checks", func(c *Config, x float64) { c.BetweenChecks = x }, []float64{0, .999}, []float64{-.5, 1, 1.5}},
		{"nb_allowance", func(c *Config, x float64) { c.NBAllowance = conf.Duration(x) }, []float64{0, 1e9}, []float64{-1, 1e9 + 1}},
	} {
		for i, x := range slices.Concat(c.good, c.bad) {
			cfg := Default()
			c.change(&cfg, x)
			errs := cfg.Validate()
			bad := i >= len(c.good)
			should.Hold(t, len(errs) > 0 == bad && (!bad || errs[0].Key == c.key), "%s = %v: %v", c.key, x, errs)
		}
	}
	should.Equal(t, Default(), Config{Method: MethodDefault, Test: TestAuto, Alpha: .05, Adjust: AdjustAuto, MinSlowdown: 1.05, SplitTolerance: .05,
		NBTolerance: .25, NBAllowance: conf.Duration(time.Microsecond)})
	should.Equal(t, Method("").Rules(), MethodDefault.Rules())
}

func TestAllButASuspicionIsOfATest(t *testing.T) {
	for _, v := range []Verdict{Violated, Marginal, Kept, Undecided, Suspected, NotSuspected, SeenOnce, NotMeasured, Wrong} {
		should.Equal(t, v.Tested(), v != Suspected && v != NotSuspected, "%s", v)
	}
}

func TestSchedulesAreLooksThatAscendToR(t *testing.T) {
	half := []float64{.5, .5}
	for name, c := range map[string]struct {
		s  Schedule
		r  int
		ok bool
	}{
		"none":                 {Schedule{}, 10, true},
		"one, of one mpirun":   {Once(1), 1, true},
		"two":                  {Schedule{[]int{1, 2}, half}, 2, true},
		"a look at nothing":    {Schedule{[]int{0, 2}, half}, 2, false},
		"beyond R":             {Schedule{[]int{1, 3}, half}, 2, false},
		"twice the same":       {Schedule{[]int{2, 2}, half}, 2, false},
		"descending":           {Schedule{[]int{2, 1}, half}, 2, false},
		"a weight too few":     {Schedule{[]int{1, 2}, half[:1]}, 2, false},
		"more than all of it":  {Schedule{[]int{1, 2}, []float64{.5, .6}}, 2, false},
		"more than all of one": {Schedule{[]int{1}, []float64{1.5}}, 2, false},
	} {
		should.Equal(t, c.s.Check(c.r) == nil, c.ok, name)
	}
	should.Hold(t, !Once(10).Several() && Schedule{[]int{10}, []float64{.5}}.Several() && Schedule{[]int{5, 10}, []float64{1, 0}}.Several(), "several")
	should.Hold(t, !Schedule{[]int{10}, []float64{1 - 1e-10}}.Several() && Schedule{[]int{10}, []float64{1 - 1e-8}}.Several(), "but for rounding")
	should.Hold(t, !Schedule{[]int{10}, []float64{1 - 1e-9}}.Several(), "just within what is taken for rounding")
	s := Schedule{[]int{5, 10}, half}
	for n, want := range map[int]int{0: -1, 4: -1, 5: 0, 9: 0, 10: 1, 99: 1} {
		should.Equal(t, s.After(n), want, "after %d", n)
	}
	should.Equal(t, Pairing(.05, 13), 12) // 8·13/.05 = 2080 > 2¹¹; without the reserve's eighth 1820
}

func TestADesignFollowsFromEachOfItsConditions(t *testing.T) {
	design := func(test TestName, m int, looks []int, weights ...float64) *Design {
		cfg := Default()
		cfg.Test = test
		return must.Get(NewDesign(cfg, Schedule{looks, weights}, m))(t)
	}
	d := design(TestAuto, 0, []int{3}, 1)
	should.Hold(t, d.Refused == nil && d.Blind == nil && d.Test(0) == &cappedRank, "without tests nothing is refused: %+v", d.Refused)
	must.Do(t, d.Family(0).Look(nil))
	d = design(TestAuto, 1, []int{2}, 1) // 1/C(4,2) > .05
	should.Hold(t, d.Refused != nil && slices.Equal(d.Blind, []int{2}) && d.looks[0].weak, "one test of two mpiruns: %+v", d.Refused)
	// .05·.2/5 < 1/C(10,5) = .004 < .05/5: enough for a test, too few for the share of the look.
	d = design(TestRankSum, 5, []int{5, 10}, .2, .8)
	should.Hold(t, slices.Equal(d.Blind, []int{5}) && !d.looks[0].weak && d.Refused == nil && d.Last() == 1, "blind %v", d.Blind)
	d = design(TestRankSum, 5, []int{5}, .2)
	must.Hold(t, d.Refused != nil && !d.looks[0].weak, "such a look alone: %+v", d.Refused)
	o := Outcome{PAdjusted: .001, Ratio: 2, Lo95: 1.9, Hi95: 2.1}
	should.Equal(t, d.Family(0).verdict(0, &o, Pair{Orig: []float64{2}, Other: []float64{1}}), Undecided)
	for test, want := range map[TestName]bool{TestAuto: true, TestCappedRank: true, TestSignedRank: true, TestRankSum: false, TestKS: false} {
		d = design(test, 495, []int{10, 20}, .5, .5)
		should.Equal(t, d.Screen(0), want, "%s: a screen of 10 mpiruns", test)
	}
	cfg := Default()
	cfg.Alpha = 8.0 / 1024 // 2^-10 is exactly an eighth of it
	d = must.Get(NewDesign(cfg, Schedule{[]int{10, 20}, []float64{.5, .5}}, 1))(t)
	should.Hold(t, !d.Screen(0), "as good as the reserve asks")
	cfg.Alpha = 1.0 / 1024
	d = must.Get(NewDesign(cfg, Once(10), 1))(t)
	should.Hold(t, d.Test(0) == &cappedRank && !d.looks[0].weak, "just at the level: %s", d.Test(0).Name)
	for r, want := range map[int]TestName{rankSum.Most: TestRankSum, rankSum.Most + 1: TestRankSumNormal} {
		should.Equal(t, design(TestRankSum, 1, []int{r}, 1).Test(0).Name, want, "%d mpiruns", r)
	}
	should.Hold(t, d.minP(&rankSum, 0, 5) == 1 && d.minP(&rankSum, 1, 1) == .5 && d.minP(&rankSum, 1, 2) == 1.0/3, "the least p-values of few")
	for _, alternative := range Alternatives {
		d.alternative = alternative
		for _, test := range everyTest() {
			should.Hold(t, d.minP(test, 0, 0) == 1 && d.minP(test, 0, 5) == 1 && d.minP(test, 5, 0) == 1,
				"%s %s of nothing", alternative, test.Name)
		}
	}
	d.alternative = TwoSided
	should.Hold(t, math.Abs(d.minP(&rankSum, 5, 5)-2.0/252) < 1e-15 && d.minP(&rankSum, 1, 1) == 1 && d.minP(&rankSum, 0, 5) == 1, "two-sided")
}

func TestAComparisonTakesOnlyLevelsFromTheConfiguration(t *testing.T) {
	cfg := Default()
	cfg.Method, cfg.Test = MethodPaper, TestKS
	d := must.Get(NewComparison(cfg, TwoSided, true, 20, 20, 1))(t)
	should.Hold(t, d.Test(0) == &cappedRank && d.Method.Rules().Slowdown, "%s by method %s", d.Test(0).Name, d.Method)
	_, err := NewComparison(Default(), "slower", true, 20, 20, 1)
	should.Fail(t, err, `"slower"`)
	_, err = NewComparison(Config{}, TwoSided, true, 20, 20, 1)
	should.Hold(t, err != nil, "a level of 0")
	d = must.Get(NewComparison(Default(), TwoSided, false, 2, 3, 1))(t)
	must.Hold(t, d.Refused != nil, "2/C(5,2) > .05")
	should.Contain(t, d.Refused.Reason, "2 and 3 mpiruns are too few for 1 case (", " in both would do): the smallest p-value that ")
	d = must.Get(NewDesign(Default(), Schedule{[]int{2, 3}, []float64{.5, .5}}, 4))(t) // .05/4·.5
	must.Hold(t, d.Refused != nil, "1/C(6,3) > .00625")
	should.Contain(t, d.Refused.Reason, "3 mpiruns are too few for 4 tests (", "can give is 0.05, and a lone violation needs 0.0063")
}

func TestLooksLeaveWhatIsDoneAndWhatLacksData(t *testing.T) {
	d := must.Get(NewDesign(Default(), Schedule{[]int{10, 20}, []float64{.5, .5}}, 2))(t)
	between := make([]float64, 20) // 6 % ± 3 %: slower, on which side of 5 % is open
	for i := range between {
		between[i] = 1000 * (1.06 + .03*math.Sin(2.4*float64(i)))
	}
	flat := slices.Repeat([]float64{1000}, 20)
	f := d.Family(0)
	must.Do(t, f.Look([]Pair{{Orig: slow(10, 2000, 1), Other: flat[:10]}, {Orig: between[:10], Other: flat[:10]}}))
	was := f.Outcomes[0]
	must.Hold(t, was.Decided && was.Verdict == Violated && !f.Outcomes[1].Done(), "%+v", f.Outcomes)
	must.Do(t, f.Look([]Pair{{Orig: slow(20, 900, 1), Other: flat}, {}}))
	should.Hold(t, f.Outcomes[0].P == was.P && f.Outcomes[0].Runs == 10, "what is decided is not read again: %+v", f.Outcomes[0])
	should.Hold(t, f.Outcomes[1].Verdict == Undecided && !f.Outcomes[1].Done(), "what lacks the last look is not judged by it: %+v", f.Outcomes[1])
	for _, method := range Methods { // a folder without an mpirun
		f := looking(t, method, Once(0), 1)
		must.Do(t, f.Look([]Pair{{}}))
		should.Hold(t, f.Outcomes[0].Verdict == Undecided && !f.Outcomes[0].Done(),
			"%s: a look at nothing decides nothing: %+v", method, f.Outcomes[0])
	}
	refused := must.Get(NewDesign(Default(), Once(3), 5))(t)
	got := must.Get(refused.Judge(0, []Pair{{Orig: slow(3, 2000, 1), Other: slow(3, 1000, 1)}, {}, {}, {}, {}}))(t)
	should.Equal(t, got.Outcomes[0].Runs, 0, "a refused design tests nothing")
	got = must.Get(must.Get(NewDesign(Default(), Once(20), 1))(t).Judge(0, []Pair{{Orig: slow(20, 2000, 1), Other: flat}}))(t)
	should.Equal(t, got.Outcomes[0].Verdict, Violated)
}

func TestOutlooksAreOfWhatMoreMpirunsCouldDecide(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*Family)
		want   []int
		made   int
	}{
		"stopped, and at R": {func(*Family) {}, []int{0, 1}, 10},
		"refused":           {func(f *Family) { f.Refused = &Refusal{} }, nil, 0},
		"too weak":          {func(f *Family) { f.looks[f.Last()].weak = true }, nil, 0},
		"of folders":        {func(f *Family) { f.folders = true }, nil, 0},
	} {
		f := must.Get(NewDesign(Default(), Once(10), 4))(t).Family(0)
		f.Outcomes[0] = Outcome{Verdict: Undecided, Runs: 10}
		f.Outcomes[1] = Outcome{Verdict: Undecided, Runs: 5, Stopped: true}
		f.Outcomes[2] = Outcome{Verdict: Undecided, Runs: 4}
		f.Outcomes[3] = Outcome{Verdict: Kept, Runs: 10}
		c.change(f)
		open, made := f.open()
		should.Hold(t, slices.Equal(open, c.want) && made == c.made, "%s: %v, of %d mpiruns", name, open, made)
	}
	f := must.Get(NewDesign(Default(), Once(10), 1))(t).Family(10)
	f.Outcomes[0], f.pairs[0] = Outcome{Ratio: 1.1, Lo95: 1.01, Hi95: 1.2}, Pair{Orig: []float64{110}, Other: []float64{100}}
	should.Equal(t, f.towards(0, .8, .05), Marginal, "one step of the clock")
	for _, c := range [][3]float64{{1, 0, 1}, {.1, 0, 1}, {0, 0, .5}, {-.1, 0, 0}, {0, 1, .5}} {
		should.Equal(t, over(c[0], c[1]), c[2], "over %v with a deviation of %v", c[0], c[1])
	}
	exact := &prospect{effect: .03, n: 10} // without spread
	for _, none := range [][2]float64{{math.Inf(1), 1}, {1, math.Inf(1)}} {
		slower, kept := f.chance(exact, .1, none[0], none[1], .1)
		should.Hold(t, slower == 0 && kept == 0, "a test that finds nothing: %v, %v", slower, kept)
	}
	slower, _ := f.chance(exact, .1, 1, 1, .1)
	should.Hold(t, math.Abs(slower-1) < 1e-12, "slower than 1: %v", slower)
	f.Method = MethodMargin
	slower, _ = f.chance(exact, .1, 1, 1, .1)
	should.Equal(t, slower, 0.0, "but not than 1.05")
	// R: qt(.975, 1)/sqrt(2), qt(.975, 2)/sqrt(3)
	should.Hold(t, math.Abs(reachOf95(&cappedRank, 2)-8.98464) < 1e-4 && math.Abs(reachOf95(&cappedRank, 3)-2.48414) < 1e-4, "so few")
	should.Hold(t, math.IsInf(f.Visible(1.1, 1), 1), "an interval with its ends exchanged")
}

func TestTestsAreNamedAndKnowTheirLimits(t *testing.T) {
	for r, want := range map[int]string{10: "exact signed-rank", stats.MaxExactSignedRank: "exact signed-rank",
		stats.MaxExactSignedRank + 1: "signed-rank (normal approximation)"} {
		should.Equal(t, TestSignedRank.Title(r), want, "%d pairs", r)
	}
	should.Hold(t, TestKS.Title(5) == "exact Kolmogorov-Smirnov" && TestAuto.Title(5) == "auto", "titles")
	_, err := signedRank.P([]float64{0}, []float64{1})
	should.Hold(t, err != nil, "no time has no logarithm")
	x, y := []float64{1, 2, 3}, []float64{1, 1, 1}
	for test, want := range map[*Test]float64{&signedRank: 3, &cappedRank: 1, &ks: 1, &rankSum: 9} {
		got := must.Get(test.P(x, y))(t)
		should.Equal(t, got.Largest, want, "%s: largest", test.Name)
	}
	should.Equal(t, ZeroDifferences(x, y), 1, "zero differences")
	should.Hold(t, math.IsInf(signedRank.Reach(2, .9), 1) && math.IsInf(signedRank.Reach(4, .01), 1) && !math.IsInf(signedRank.Reach(4, .07), 1), "2^-4 = .0625")
	// R: sqrt(1-1/10)*qnorm((10*10-qwilcox(.05,10,10)+.5)/100), sqrt(pi/10)*(sqrt(-log(.05))-.4)
	cfg := Default()
	cfg.Alpha, cfg.Test = .5, TestRankSum // the p-value of one mpirun
	one := judged(t, designed(t, cfg, 1, 1), 0, []Pair{{Orig: []float64{2}, Other: []float64{1}}})
	should.Hold(t, one[0].Verdict == Violated, "%+v", one[0])
	should.Hold(t, math.Abs(rankSum.Reach(10, .05)-.567085) < 1e-6 && math.Abs(ks.Reach(10, .05)-.7459225) < 1e-7,
		"%v, %v", rankSum.Reach(10, .05), ks.Reach(10, .05))
	should.Hold(t, math.IsInf(rankSum.Reach(2, .01), 1), "1/C(4,2) > .01")
	should.Hold(t, (&Outcome{Replication: FirmLevel}).Firm(), "firm from the level on")
	should.Hold(t, Violated.Known() && Wrong.Known() && !Verdict("").Known() && !Verdict("fine").Known(), "verdicts")
	should.Hold(t, (&Outcome{Stopped: true}).Done() && (&Outcome{Decided: true}).Done() && !(&Outcome{}).Done(), "done")
}
