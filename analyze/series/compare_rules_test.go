package series

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"pgmpi/analyze"
	"pgmpi/analyze/chosen"
	"pgmpi/analyze/judge"
	"pgmpi/analyze/medians"
	"pgmpi/guidelines"
	"pgmpi/internal/remark"
	"pgmpi/measure/host"
	"pgmpi/measure/protocol"
	"pgmpi/measure/results"
	"pgmpi/testkit/fixture"
	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

// Each rule with several conditions has here, for each of them, a case that it alone decides.

func TestTheChangeOfACaseFollowsFromEachOfItsConditions(t *testing.T) {
	for name, c := range map[string]struct {
		alternative judge.Alternative
		p, ratio    float64
		visible     bool
		want        Change
	}{
		"slower at the level and at the slowdown": {judge.TwoSided, .05, 1.25, true, Slower},
		"beyond the level":                        {judge.TwoSided, .0501, 2, true, NoDifference},
		"less than the slowdown":                  {judge.TwoSided, .01, 1.2499, true, SlightlySlower},
		"less than the clock shows":               {judge.TwoSided, .01, 2, false, SlightlySlower},
		"faster by the slowdown":                  {judge.TwoSided, .01, .8, true, Faster},
		"a little faster":                         {judge.TwoSided, .01, .9, true, SlightlyFaster},
		"faster than the clock shows":             {judge.TwoSided, .01, .5, false, SlightlyFaster},
		"only slower was asked":                   {judge.Greater, .01, .5, true, SlightlySlower},
		"only faster was asked":                   {judge.Less, .01, 2, true, SlightlyFaster},
		"neither":                                 {judge.TwoSided, .01, 1, true, SlightlyFaster},
	} {
		row := CaseChange{Ratio: &c.ratio}
		row.judge(&Comparison{Alternative: c.alternative, Alpha: .05, MinSlowdown: 1.25}, judge.Outcome{PAdjusted: c.p, Ratio: c.ratio, Stars: "*"}, c.visible)
		should.Hold(t, row.Change == c.want && (row.Stars == "*") == (c.want != NoDifference), "%s: %s%s", name, row.Change, row.Stars)
	}
	ratio := 2.0
	refused, unknown := CaseChange{Ratio: &ratio}, CaseChange{}
	refused.judge(&Comparison{Alpha: .05, Refused: &judge.Refusal{}}, judge.Outcome{Ratio: 2}, true)
	unknown.judge(&Comparison{Alpha: .05}, judge.Outcome{Ratio: math.NaN()}, true)
	should.Hold(t, refused.Change == NoDifference && unknown.Change == NoDifference, "%s, %s", refused.Change, unknown.Change)
}

func TestWhatHalfOfTheCasesCouldHaveShown(t *testing.T) {
	k := func(change Change, seen float64) CaseChange {
		return CaseChange{Change: change, CouldHaveSeen: analyze.Number(seen)}
	}
	for name, c := range map[string]struct {
		cases []CaseChange
		need  float64
		want  float64 // 0: nothing
		blind int
	}{
		"none":                         {nil, 1, 0, 0},
		"one":                          {[]CaseChange{k(NoDifference, 1.2)}, 0, 1.2, 0},
		"half of four, unsorted":       {[]CaseChange{k(Slower, 4), k(Slower, 3), k(Slower, 2), k(Slower, 1)}, 0, 2, 0},
		"of three":                     {[]CaseChange{k(Slower, 3), k(Slower, 2), k(Slower, 1)}, 0, 2, 0},
		"not those left out":           {[]CaseChange{k(LeftOut, math.NaN()), k(LeftOut, math.NaN()), k(Slower, 1.2)}, 0, 1.2, 0},
		"not those not compared":       {[]CaseChange{k(NotCompared, math.NaN()), k(NotCompared, math.NaN()), k(Slower, 1.2)}, 0, 1.2, 0},
		"but those that show nothing":  {[]CaseChange{k(NoDifference, math.NaN()), k(NoDifference, math.NaN()), k(Slower, 1.2)}, 2, 0, 2},
		"just what is needed":          {[]CaseChange{k(NoDifference, 1.5), k(NoDifference, 1.6), k(Slower, 1.6)}, 1.5, 1.6, 1},
		"any difference at all needed": {[]CaseChange{k(NoDifference, 1.5)}, 1, 1.5, 1},
	} {
		got := Comparison{Cases: c.cases, Need: c.need}
		got.sensitivity()
		should.Hold(t, analyze.Or(got.CouldHaveSeen, 0) == c.want && got.Blind == c.blind, "%s: %v, %d blind", name, got.CouldHaveSeen, got.Blind)
	}
}

func TestTheExitCodeOfAComparisonFollowsFromEachOfItsReasons(t *testing.T) {
	slower, lost, quiet := CaseChange{Change: Slower}, CaseChange{Change: NotCompared}, CaseChange{Change: NoDifference}
	violated, kept := GuidelineChange{Change: NewlyViolated}, GuidelineChange{Change: NewlyKept}
	refused := &judge.Refusal{Reason: "too few"}
	for name, c := range map[string]struct {
		c    Comparison
		exit int
		why  string // nothing could be judged
	}{
		"no difference":                 {Comparison{Cases: []CaseChange{quiet, quiet}}, 0, ""},
		"the first is slower":           {Comparison{Cases: []CaseChange{slower, quiet}}, 1, ""},
		"slower, with the machine":      {Comparison{Cases: []CaseChange{slower, quiet}, Shift: &Shift{}}, 0, ""},
		"slower, though the machine":    {Comparison{Cases: []CaseChange{slower, quiet}, Shift: &Shift{}, FailOn: ExitOnTimes}, 1, ""},
		"slower, but guidelines count":  {Comparison{Cases: []CaseChange{slower, quiet}, FailOn: ExitOnGuidelines}, 0, ""},
		"the first is newly violated":   {Comparison{Cases: []CaseChange{quiet}, Guidelines: []GuidelineChange{violated, kept}, FailOn: ExitOnGuidelines}, 1, ""},
		"newly kept":                    {Comparison{Cases: []CaseChange{quiet}, Guidelines: []GuidelineChange{kept}}, 0, ""},
		"the first was lost":            {Comparison{Cases: []CaseChange{lost, quiet}}, 4, ""},
		"all were lost":                 {Comparison{Cases: []CaseChange{lost, lost}}, 4, "2 calls cannot be compared: the folders have no valid times of the same ones"},
		"one blind":                     {Comparison{Cases: []CaseChange{quiet}, Blind: 1}, 4, ""},
		"refused":                       {Comparison{Cases: []CaseChange{quiet}, Refused: refused}, 4, "too few"},
		"refused, but newly violated":   {Comparison{Cases: []CaseChange{lost}, Refused: refused, Guidelines: []GuidelineChange{violated}}, 1, ""},
		"refused, and newly kept":       {Comparison{Cases: []CaseChange{quiet}, Refused: refused, Guidelines: []GuidelineChange{kept}}, 4, "too few"},
		"refused, and data are wrong":   {Comparison{Cases: []CaseChange{lost}, Refused: refused, Wrong: []analyze.CaseMessage{{}}}, 3, ""},
		"slower, and some data are not": {Comparison{Cases: []CaseChange{slower, lost}}, 1, ""},
	} {
		should.Hold(t, c.c.ExitCode() == c.exit && c.c.NotJudged() == c.why, "%s: exit %d, %q", name, c.c.ExitCode(), c.c.NotJudged())
	}
}

func TestMeansAreOfAFunctionOnAShape(t *testing.T) {
	k := func(function, shape string, ratio float64, change Change) CaseChange {
		return CaseChange{Cell: medians.Cell{Function: function, Shape: shape, Msize: int64(100 * ratio)}, Ratio: analyze.Number(ratio), Change: change}
	}
	cases := []CaseChange{k("x", "p2", 2, Slower), k("y", "p2", .5, Faster), k("x", "p4", 1, NoDifference), k("x", "p2", 8, Slower), k("x", "p2", math.NaN(), LeftOut)}
	var got []string
	for _, f := range means(cases) {
		got = append(got, fmt.Sprintf("%s %s: %.3g of %d, %d slower, %d faster", f.Function, f.Shape, *f.Ratio, f.Sizes, f.Slower, f.Faster))
	}
	should.Equal(t, got, []string{"x p2: 4 of 2, 2 slower, 0 faster", "y p2: 0.5 of 1, 0 slower, 1 faster", "x p4: 1 of 1, 0 slower, 0 faster"})
	c := Comparison{Cases: cases}
	should.Equal(t, *c.Of(medians.Cell{Function: "x", Shape: "p2", Msize: 800}).Ratio, 8.0)
	should.Hold(t, c.Of(medians.Cell{Function: "x", Shape: "p4", Msize: 800}) == nil, "of another shape")
}

func TestOnlyWhatIsSelectedIsComparedAndTheRestIsCounted(t *testing.T) {
	wide := func(m *results.Manifest, _ []results.Run) { fixture.Case(m, "MPI_Bcast", fixture.P2, 8) }
	a, b := side(t, "a", append(fixture.Quiet, 5000), nil), side(t, "b", fixture.Quiet, func(m *results.Manifest, _ []results.Run) { m.Rank.ClockTickNS = 11 })
	c := compared(t, a, b, func(cfg *CompareConfig) { cfg.Only = func(cell medians.Cell) bool { return cell.Msize == 64 } })
	should.Hold(t, len(c.Cases) == 1 && c.Cases[0].Msize == 64 && c.M == 1 && c.OnlyA+c.OnlyB == 0, "%+v", c)
	should.Hold(t, c.ClockTickS == 11/1e9, "%v", c.ClockTickS)
	m := fixture.Manifest()
	wide(m, nil)
	planned := analyze.Planned("wide", m)
	should.Hold(t, without(planned, b) == 1 && without(b, planned) == 0, "only one has MPI_Bcast")
	planned.Report, planned.Set = a.Report, medians.New(m)
	d := must.Get(CompareDesign([]*analyze.Side{a, b}, CompareConfig{Config: judge.Default(), Alternative: judge.TwoSided}))(t)
	should.Hold(t, d.M == 2 && d.Last() == 0, "%+v", d)
	begun := begun(planned, b, d, CompareConfig{})
	should.Hold(t, begun.OnlyA == 1 && begun.OnlyB == 0, "%d, %d", begun.OnlyA, begun.OnlyB)
	elsewhere := side(t, "b", fixture.Quiet, placed(1, 1))
	should.Equal(t, without(side(t, "a", fixture.Quiet, placed(2)), elsewhere), 6, "placed unlike")
	should.Equal(t, changes(compared(t, side(t, "older", fixture.Quiet, nil), elsewhere, nil)), "~ ~", "where the ranks lay is not known")
}

func TestDataThatCannotBeComparedAreAnError(t *testing.T) {
	a, b := side(t, "a", fixture.Quiet, nil), side(t, "b", fixture.Quiet, nil)
	clear(b.Set.Cases[0].Medians) // no time at all has no ratio
	cfg := CompareConfig{Config: judge.Default(), Alternative: judge.TwoSided}
	_, err := Compare(a, b, cfg)
	should.Hold(t, err != nil, "times of 0")
	_, err = NewSpread([]*analyze.Side{b, b}, false)
	should.Fail(t, err, "MPI_Reduce at 8 B")
	cfg.Alternative = "slower"
	_, err = CompareDesign([]*analyze.Side{a, a}, cfg)
	var not *analyze.NotComparable
	should.Hold(t, errors.As(err, &not) && strings.Contains(err.Error(), `"slower"`), "%v", err)
	other := side(t, "c", fixture.Quiet, func(m *results.Manifest, _ []results.Run) { m.Plan.Op = "bxor" })
	_, err = NewSpread([]*analyze.Side{a, other}, false)
	should.Fail(t, err, "job.op")
}

// A case that lacks a run median is not compared, and its row says how many each side has.
func TestRowsCountTheMediansThatSidesHave(t *testing.T) {
	lost := side(t, "b", fixture.Quiet, func(_ *results.Manifest, runs []results.Run) { runs[3].Samples[0] = nil })
	a := side(t, "a", fixture.Quiet, nil)
	for paired, want := range map[bool][2]int{false: {fixture.R, fixture.R - 1}, true: {fixture.R - 1, fixture.R - 1}} {
		k := compared(t, a, lost, func(cfg *CompareConfig) { cfg.Paired = paired }).Cases[0]
		should.Hold(t, k.Change == NotCompared && [2]int{k.AR, k.BR} == want, "paired %v: %+v", paired, k)
	}
	nan := math.NaN()
	for name, p := range map[string]judge.Pair{"B": {Orig: []float64{nan, 2}, Other: []float64{1, 3}},
		"A": {Orig: []float64{1, 2}, Other: []float64{nan, 3}}} {
		should.Equal(t, bothValid(p), judge.Pair{Orig: []float64{2}, Other: []float64{3}}, "lost in %s", name)
	}
	once := func(m *results.Manifest, _ []results.Run) { m.R = 1 }
	k := compared(t, side(t, "a", fixture.Quiet, once), side(t, "b", fixture.Quiet, once), nil).Cases[0]
	should.Hold(t, k.PValue != nil && k.BR == 1, "one mpirun has a p-value, too: %+v", k)
}

// What the selected cases have in common is divided out of pairs: all take 1.3 times as long in B, case 1 1.15 times that.
func TestPairsAreMeasuredByAYardstick(t *testing.T) {
	folder := func(name string, all, by float64, spoil func([]results.Run)) *analyze.Side {
		m := fixture.Wide(12)
		for len(m.Plan.Cases) < 26 {
			fixture.Case(m, "MPI_Bcast", fixture.P2, int64(len(m.Plan.Cases)))
		}
		runs := fixture.Noisy(m, func(plan, run int) float64 {
			if plan == 1 {
				return 100000 * all * by
			}
			return 100000 * all
		})
		if spoil != nil {
			spoil(runs)
		}
		return must.Get(analyze.Analyze(m, runs, judge.Default()))(t).Side(name)
	}
	bcast := func(cell medians.Cell) bool { return cell.Function == "MPI_Bcast" }
	a, b := folder("a", 1, 1, nil), folder("b", 1.3, 1.15, nil)
	for name, c := range map[string]struct {
		paired bool
		by     func(medians.Cell) bool
		want   float64
	}{
		"by MPI_Bcast":         {true, bcast, 1.15},
		"by nothing":           {true, nil, 1.3 * 1.15},
		"by too few":           {true, func(cell medians.Cell) bool { return cell.Msize == 8 }, 1.3 * 1.15},
		"which is not of runs": {false, bcast, 1.3 * 1.15},
	} {
		k := compared(t, a, b, func(cfg *CompareConfig) { cfg.Paired, cfg.Yardstick = c.paired, c.by }).Cases[1]
		should.Hold(t, math.Abs(*k.Ratio-c.want) < .02, "%s: %.3f, want %.3f", name, *k.Ratio, c.want)
	}
	// Of twenty cases of MPI_Bcast each counts; where one cannot be used, they are too few.
	lost := func(runs []results.Run) { runs[2].Samples[10] = nil }
	for name, c := range map[string]struct {
		a, b *analyze.Side
		by   func(medians.Cell) bool
		want int
	}{
		"twenty":               {a, b, bcast, 12},
		"one lost in A":        {folder("a", 1, 1, lost), b, bcast, 0},
		"one lost in B":        {a, folder("b", 1.3, 1, lost), bcast, 0},
		"one not selected":     {a, b, func(cell medians.Cell) bool { return bcast(cell) && cell.Msize != 20 }, 0},
		"not measured by B":    {a, side(t, "b", fixture.Quiet, nil), bcast, 0},
		"one more than enough": {a, b, func(cell medians.Cell) bool { return bcast(cell) || cell.Msize == 64 && cell.Function == "MPI_Reduce" }, 12},
	} {
		got := yardstick(c.a, c.b, c.by)(fixture.P2, 12)
		should.Hold(t, len(got) == c.want, "%s: %v", name, got)
		for _, by := range got {
			should.Hold(t, math.Abs(by-1.3) < .02, "%s: %v", name, got)
		}
	}
}

func TestLevelsAreWarnedOfOneByOne(t *testing.T) {
	other := func(m *results.Manifest, _ []results.Run) {
		m.Rank.LibVersion, m.Timing = "another", map[string]protocol.Timing{"p2": {Sync: "barrier"}}
	}
	a, b, c := side(t, "a", fixture.Quiet, nil), side(t, "b", fixture.Quiet, nil), side(t, "c", fixture.Quiet, other)
	all := must.Get(CompareLevels([]*analyze.Side{a, b, c}, CompareConfig{Config: judge.Default(), Alternative: judge.TwoSided}))(t)
	should.Hold(t, !warnsOf(all[0].Warnings, remark.LibraryBarrier) && warnsOf(all[1].Warnings, remark.LibraryBarrier), "%+v, %+v", all[0].Warnings, all[1].Warnings)
	refused := side(t, "d", fixture.Quiet, func(m *results.Manifest, _ []results.Run) { m.Plan.Op = "bxor" })
	_, err := CompareLevels([]*analyze.Side{a, b, refused}, CompareConfig{Config: judge.Default(), Alternative: judge.TwoSided})
	should.Fail(t, err, "job.op")
}

func warnsOf(list []remark.Remark, id remark.ID) bool {
	for _, w := range list {
		if w.ID == id {
			return true
		}
	}
	return false
}

func textOf(list []remark.Remark) string {
	var out []string
	for _, w := range list {
		out = append(out, w.Text)
	}
	return strings.Join(out, "\n")
}

func TestEachReasonToDoubtAComparisonIsAWarning(t *testing.T) {
	job := func(name string) *results.ImportedFrom { return &results.ImportedFrom{Job: name} }
	changed := func(n int, change Change) (out []GuidelineChange) {
		for i := range n {
			out = append(out, GuidelineChange{Change: change, Asked: Asked{Guideline: "GL8", Function: "MPI_Scan", Msize: int64(1) << i, Shape: "p2"}})
		}
		return out
	}
	timing := func(sync string) map[string]protocol.Timing { return map[string]protocol.Timing{"p2": {Sync: sync}} }
	for name, c := range map[string]struct {
		set  func(c *Comparison, a, b *analyze.Side)
		want string // of the text; "": no warning
	}{
		"nothing": {func(*Comparison, *analyze.Side, *analyze.Side) {}, ""},
		"MPI_Barrier of A": {func(_ *Comparison, a, b *analyze.Side) {
			b.Manifest.Rank.LibVersion, a.Manifest.Timing, b.Manifest.Timing = "another", timing("barrier"), timing("window")
		}, "MPI_Barrier"},
		"MPI_Barrier of B": {func(_ *Comparison, a, b *analyze.Side) {
			b.Manifest.Rank.LibVersion, a.Manifest.Timing, b.Manifest.Timing = "another", timing("window"), timing("barrier")
		}, "MPI_Barrier"},
		"no MPI_Barrier": {func(_ *Comparison, a, b *analyze.Side) {
			b.Manifest.Rank.LibVersion, a.Manifest.Timing, b.Manifest.Timing = "another", timing("window"), timing("window")
		}, ""},
		"the same job":    {func(_ *Comparison, a, b *analyze.Side) { a.Manifest.Imported, b.Manifest.Imported = job("x"), job("x") }, ""},
		"other jobs":      {func(_ *Comparison, a, b *analyze.Side) { a.Manifest.Imported, b.Manifest.Imported = job("x"), job("y") }, "different jobs (x, y)"},
		"A alone of one":  {func(_ *Comparison, a, b *analyze.Side) { a.Manifest.Imported = job("x") }, ""},
		"B alone of one":  {func(_ *Comparison, a, b *analyze.Side) { b.Manifest.Imported = job("x") }, ""},
		"placed unlike":   {func(_ *Comparison, a, b *analyze.Side) { placed(2)(a.Manifest, nil); placed(1, 1)(b.Manifest, nil) }, "were placed as 1x2 in a and as 2x1 in b"},
		"a case of A":     {func(c *Comparison, a, b *analyze.Side) { c.OnlyA = 1 }, "are in A only and 0 in B only"},
		"a case of B":     {func(c *Comparison, a, b *analyze.Side) { c.OnlyB = 1 }, "are in A only and 1 in B only"},
		"A is refused":    {func(_ *Comparison, a, b *analyze.Side) { a.Report.Refused = &judge.Refusal{Reason: "few"} }, "the guidelines of A have no verdict (few)"},
		"B is refused":    {func(_ *Comparison, a, b *analyze.Side) { b.Report.Refused = &judge.Refusal{Reason: "few"} }, "the guidelines of B have no verdict (few)"},
		"newly shown":     {func(c *Comparison, a, b *analyze.Side) { c.Guidelines = changed(1, NewlyShown) }, "not shown to be new"},
		"six of them":     {func(c *Comparison, a, b *analyze.Side) { c.Guidelines = changed(6, NewlyShown) }, "16 B on p2 ( → ) and 1 more"},
		"no longer shown": {func(c *Comparison, a, b *analyze.Side) { c.Guidelines = changed(1, NoLongerShown) }, "not shown to be kept"},
		"six no longer":   {func(c *Comparison, a, b *analyze.Side) { c.Guidelines = changed(6, NoLongerShown) }, "16 B on p2 ( → ) and 1 more"},
		"newly violated":  {func(c *Comparison, a, b *analyze.Side) { c.Guidelines = changed(1, NewlyViolated) }, ""},
	} {
		a, b := analyze.Planned("a", fixture.Manifest()), analyze.Planned("b", fixture.Manifest())
		a.Report, b.Report = &analyze.Report{}, &analyze.Report{}
		got := &Comparison{}
		c.set(got, a, b)
		list := compareWarnings(got, a, b)
		should.Hold(t, (len(list) == 1) == (c.want != "") && strings.Contains(textOf(list), c.want), "%s: %q", name, textOf(list))
	}
}

func TestEachFactorOfAManifestIsOne(t *testing.T) {
	m := fixture.Manifest()
	m.Factors.Mockups, m.Launch = map[string]string{"lib/my.so": "1234"}, map[string][]string{"p2": {"mpirun", "-np", "2"}}
	f := factorsOf(m)
	should.Hold(t, f["mockup my.so"] == "1234" && f["launch p2"] == "mpirun -np 2", "%v", f)
	// What a variable was is known where the folder says so, or says that it would have: it looked at it.
	under := func(of []string, env map[string]string, config string) *analyze.Side {
		m := fixture.Manifest()
		m.Config, m.Factors.Env, m.Factors.EnvOf = []byte(config), env, of
		return analyze.Planned("", m)
	}
	one, two := map[string]string{"LD_PRELOAD": "/1.so"}, map[string]string{"LD_PRELOAD": "/2.so"}
	for name, c := range map[string]struct {
		a, b *analyze.Side
		want int
	}{
		"both say it":                     {under(nil, one, ""), under(host.EnvOf(), two, ""), 1},
		"one says it, one did not look":   {under(nil, one, ""), under(host.EnvOf(), nil, ""), 0},
		"one did not look, one says it":   {under(nil, nil, ""), under(host.EnvOf(), one, ""), 0},
		"one looked, and one did not":     {under(host.EnvOf(), one, ""), under(nil, nil, ""), 0},
		"of mpi.env all would know it":    {under(nil, nil, `{"mpi":{"env":{"KEY":"1"}}}`), under(nil, nil, "{}"), 1},
		"both looked, and one found none": {under(host.EnvOf(), one, ""), under(host.EnvOf(), nil, ""), 1},
	} {
		got := differences(c.a, c.b, false)
		should.Hold(t, len(got) == c.want, "%s: %+v", name, got)
	}
}

// Tests that only one folder has, or that ran on other nodes, have not changed.
func TestGuidelinesChangeWhereBothFoldersAskedThem(t *testing.T) {
	of := func(verdict judge.Verdict, other int64) analyze.Verdict {
		return analyze.Verdict{Guideline: "GL2", Type: guidelines.Split, Function: "MPI_Reduce", Msize: 64, MsizeOther: other, Shape: "p2", Verdict: verdict}
	}
	folder := func(verdicts ...analyze.Verdict) *analyze.Side {
		s := analyze.Planned("", fixture.Manifest())
		s.Report = &analyze.Report{Verdicts: verdicts}
		return s
	}
	now := changedGuidelines(folder(of(judge.Kept, 8)), folder(of(judge.Violated, 16)))
	should.Hold(t, len(now) == 1 && now[0].MsizeOther == 16, "of the folder where it is violated: %+v", now)
	was := changedGuidelines(folder(of(judge.Violated, 8)), folder(of(judge.Kept, 16)))
	should.Hold(t, len(was) == 1 && was[0].MsizeOther == 8, "of the folder where it was: %+v", was)
	should.Equal(t, len(changedGuidelines(folder(of(judge.Violated, 8)), folder())), 0, "asked by A alone")
	hi, lo := 1.0, 1.25
	at := func(v judge.Verdict, reason string) *Point {
		return &Point{Answer: Answer{Verdict: v, Effect: analyze.Effect{RatioHi95: &hi, RatioLo95: &lo}}, Reason: reason}
	}
	should.Equal(t, guidelineChange(at(judge.Kept, ""), at(judge.Violated, ""), 1.25), NewlyShown, "intervals that touch")
	should.Equal(t, guidelineChange(at(judge.Kept, "by few"), at(judge.Violated, "too"), 1.2), NewlyViolated, "a reason is not a lack of data")
	should.Equal(t, guidelineChange(at(judge.SeenOnce, ""), at(judge.Violated, ""), 1.2), "", "seen once")
}

func TestAnAlgorithmHasChangedWhereBothFoldersKnowIt(t *testing.T) {
	row := func(msize int64, algorithm string) chosen.WhichRow {
		return chosen.WhichRow{Collective: "MPI_Bcast", Shape: "p2", Msize: msize, Algorithms: []string{algorithm}}
	}
	folder := func(library string, rows ...chosen.WhichRow) *analyze.Side {
		s := analyze.Planned("", fixture.Manifest())
		s.Report = &analyze.Report{Library: analyze.Library{Name: library}, Which: &chosen.Which{Rows: rows}}
		return s
	}
	a := folder("mpich", row(8, "bcast@binomial"), row(16, "bcast@binomial"), row(32, "bcast@binomial"))
	b := folder("mpich", row(8, "bcast@binomial"), row(16, "bcast@linear"))
	got := changedAlgorithms(a, b)
	should.Hold(t, len(got) == 1 && got[0].Msize == 16 && got[0].Function == "MPI_Bcast" && got[0].Shape == "p2" && got[0].A != "" && got[0].A != got[0].B, "%+v", got)
	other, unlooked := folder("openmpi", row(16, "bcast@linear")), folder("mpich")
	unlooked.Report.Which = nil
	should.Hold(t, changedAlgorithms(a, other) != nil, "JSON has a list, and no null")
	should.Hold(t, len(changedAlgorithms(a, other)) == 0 && len(changedAlgorithms(unlooked, b)) == 0 && len(changedAlgorithms(a, unlooked)) == 0, "another library, or nothing known")
	placed(2)(a.Manifest, nil)
	placed(1, 1)(b.Manifest, nil)
	should.Equal(t, len(changedAlgorithms(a, b)), 0, "ranks placed unlike")
}
